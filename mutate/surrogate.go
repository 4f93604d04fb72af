package mutate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

// Surrogate fits a random forest to the log times of all verdicts and proposes the point that is
// expected to improve most on the best (Jones et al., Efficient Global Optimization, 1998; with a
// forest as in SMAC, Hutter et al., 2011). Where time is what a search has to spend, it is the
// improvement per expected second.
type Surrogate struct{}

// Name is "surrogate".
func (Surrogate) Name() string { return "surrogate" }

// Propose needs something to have worked.
func (Surrogate) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	const random, children, few = 600, 150, 6
	choices := candidates(rng, pool, few, children, random)
	if len(choices) == 0 {
		return Proposal{}, false
	}
	seen := lessons(rng, pool.Seen)
	y, best := targets(seen)
	s := pool.sample(seen, y)
	f := grow(rng, s)
	var cost *forest
	if pool.Hurry {
		for i, o := range seen {
			s.y[i] = math.Log(max(o.Cost, 1e-3))
		}
		s.rows, s.y, s.noise = s.rows[:len(seen)], s.y[:len(seen)], nil
		cost = grow(rng, s)
	}
	at, top := choices[0], math.Inf(-1)
	for _, i := range choices {
		row := pool.view().row(i)
		mean, deviation := f.predict(row)
		gain := math.Log(improvement(best, mean, deviation))
		if cost != nil {
			c, _ := cost.predict(row)
			gain -= c
		}
		if gain > top {
			at, top = i, gain
		}
	}
	return pool.closest(at), true
}

// improvement is the expected improvement on best of something normal, in units of y.
func improvement(best, mean, deviation float64) float64 {
	z := (best - mean) / deviation
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	below := 0.5 * math.Erfc(-z/math.Sqrt2)
	return max(1e-300, (best-mean)*below+deviation*density)
}

// lessons bounds the training set: the best half of the bound, and others by chance. A proposal
// late in a long search costs no more than an early one.
func lessons(rng *rand.Rand, seen []*Individual) []*Individual {
	const most = 256
	if len(seen) <= most {
		return seen
	}
	order := slices.Clone(seen)
	slices.SortStableFunc(order, func(a, b *Individual) int { return cmp.Compare(a.Score, b.Score) })
	rest := order[most/2:]
	for i := range most / 2 {
		j := i + rng.IntN(len(rest)-i)
		rest[i], rest[j] = rest[j], rest[i]
	}
	return order[:most]
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

// sample is what a forest is trained on: verdicts, and points in flight, which are taken for middling,
// so that the next proposal looks elsewhere.
func (p *Pool) sample(seen []*Individual, y []float64) sample {
	s := sample{y: y}
	for _, o := range seen {
		s.rows = append(s.rows, p.view().row(o.Index))
		s.noise = append(s.noise, o.Noise)
	}
	for _, i := range p.Pending {
		s.rows, s.y, s.noise = append(s.rows, p.view().row(i)), append(s.y, 0), append(s.noise, 0)
	}
	return s
}

// candidates are unknown points: all beside the best few, children of elites, and points drawn at random.
func candidates(rng *rand.Rand, pool *Pool, few, children, random int) []int {
	if len(pool.Best) == 0 {
		return nil
	}
	var out []int
	in := map[int]bool{}
	add := func(i int) {
		if !in[i] && !pool.Known(i) {
			in[i] = true
			out = append(out, i)
		}
	}
	for _, o := range pool.Best[:min(few, len(pool.Best))] {
		for _, i := range pool.view().neighbors(o.Index) {
			add(i)
		}
	}
	for range children {
		if i, ok := child(rng, pool); ok {
			add(i)
		}
	}
	for range random {
		add(pool.Space.Sample(rng))
	}
	return out
}

// child is a cheap offspring of one or two elites; ok is false where it is not legal.
func child(rng *rand.Rand, pool *Pool) (int, bool) {
	a, b := pool.parent(rng), pool.parent(rng)
	p := append(kernels.Point(nil), a.Point...)
	if rng.IntN(2) == 0 {
		for g := range p {
			if rng.IntN(2) == 0 {
				p[g] = b.Point[g]
			}
		}
	}
	for range 1 + rng.IntN(2) {
		change(rng, pool.Space, p)
	}
	return pool.Space.Index(pool.Space.Canonical(p))
}

// closest makes a proposal of a point: its parent is the elite that it differs from the least.
func (p *Pool) closest(i int) Proposal {
	at := p.Space.At(i)
	parent := p.Best[0]
	for _, o := range p.Best[:min(elites, len(p.Best))] {
		if distance(at, o.Point) < distance(at, parent.Point) {
			parent = o
		}
	}
	return Proposal{i, describe(p.Space, parent.Point, at), []*Individual{parent}}
}
