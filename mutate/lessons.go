package mutate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// lessons bounds the training set: the best half of the bound, and others by chance. A proposal
// late in a long search costs no more than an early one.
func lessons(rng *rand.Rand, pool *Pool) []*Individual {
	const most = 256
	if len(pool.Seen) <= most {
		return pool.Seen
	}
	order := pool.Order
	if order == nil {
		order = byScore(pool.Seen)
	}
	return append(slices.Clone(order[:most/2]), some(rng, order[most/2:], most/2)...)
}

// some draws so many without putting any back: the first ones of a shuffled list, of which only that much is shuffled.
func some(rng *rand.Rand, list []*Individual, n int) (drawn []*Individual) {
	moved := map[int]*Individual{}
	at := func(i int) *Individual {
		if o, ok := moved[i]; ok {
			return o
		}
		return list[i]
	}
	for i := range n {
		j := i + rng.IntN(len(list)-i)
		drawn = append(drawn, at(j))
		moved[j] = at(i)
	}
	return drawn
}

// byScore are individuals by score, of equals the first before the others, where nobody keeps them so. There can be
// thousands: keys in a row are sorted, and not what pointers lead to.
func byScore(seen []*Individual) []*Individual {
	type key struct {
		score float64
		at    int
	}
	keys := make([]key, len(seen))
	for i, o := range seen {
		keys[i] = key{o.Score, i}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.score != b.score {
			return cmp.Compare(a.score, b.score)
		}
		return a.at - b.at
	})
	order := make([]*Individual, len(seen))
	for i, k := range keys {
		order[i] = seen[k.at]
	}
	return order
}

// targets are log scores, in standard deviations, with what is slower than the median compressed: how
// bad a bad point is teaches little. A failure is as bad as the worst tenth, not worse: one that were
// infinitely bad would hide all other differences from the model.
func targets(seen []*Individual) (y []float64, best float64) {
	var ok []float64
	for _, o := range seen {
		if !math.IsInf(o.Score, 1) {
			ok = append(ok, math.Log(o.Score))
		}
	}
	y = make([]float64, len(seen))
	if len(ok) == 0 {
		return y, 0
	}
	slices.Sort(ok)
	at := func(q float64) float64 { return ok[int(q*float64(len(ok)-1))] }
	middle, scale := at(0.5), max(1e-9, at(0.5)-at(0))
	sum, square := 0.0, 0.0
	for i, o := range seen {
		v := at(0.9)
		if !math.IsInf(o.Score, 1) {
			v = math.Log(o.Score)
		}
		if v > middle {
			v = middle + scale*math.Log1p((v-middle)/scale)
		}
		y[i] = v
		sum += v
		square += v * v
	}
	n := float64(len(y))
	mean := sum / n
	deviation := max(1e-9, math.Sqrt(max(0, square/n-mean*mean)))
	for i := range y {
		y[i] = (y[i] - mean) / deviation
	}
	return y, (ok[0] - mean) / deviation
}

// sample is what a forest is trained on: the verdicts. Points in flight are not part of it (a "constant liar" would
// give them a value): with 30 verdicts, 22 invented ones hide where it is good (docs/manual/search.md).
func (p *Pool) sample(seen []*Individual, y []float64) sample {
	s := sample{y: y}
	for _, o := range seen {
		s.rows = append(s.rows, p.view().row(o.Index))
		s.noise = append(s.noise, o.Noise)
	}
	return s
}
