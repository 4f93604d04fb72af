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
// improvement per expected second. With other points in flight it is a confidence bound: see acquisition.
type Surrogate struct{}

// Name is "surrogate".
func (Surrogate) Name() string { return "surrogate" }

// Propose needs something to have worked.
func (Surrogate) Propose(rng *rand.Rand, pool *Pool) (Proposal, bool) {
	o := pool.Outlook
	if !o.lasts(pool) {
		o = look(rng, pool)
	}
	if len(o.points) == 0 {
		return Proposal{}, false
	}
	if pool.Outlook != nil {
		o.kept = pool.Outlook.kept
		*pool.Outlook = *o
	}
	rate := acquisition(rng, pool, o.best)
	at, top := o.points[0].index, math.Inf(-1)
	for _, p := range o.points {
		if gain := rate(p.mean, p.deviation) - p.cost; gain > top && !pool.Known(p.index) {
			at, top = p.index, gain
		}
	}
	return pool.closest(at), true
}

// Outlook is what a forest expects of some points, and what Estimate knows of values. With hundreds in flight several
// proposals in a row are made of one: a verdict more or less teaches little then, and growing a forest for each would
// take longer than the verdict.
type Outlook struct {
	verdicts int     // that the forest was grown from
	best     float64 // of them
	points   []outlook
	kept
}

// kept is what serves beyond the next forest.
type kept struct {
	table   *table
	tabled  int // verdicts that the table was made of
	seconds *forest
	timed   int // verdicts that the forest for seconds was grown from
}

type outlook struct {
	index                 int
	mean, deviation, cost float64
}

// perForest is how many proposals of those in flight are made of one forest: with 22 in flight, as on one GPU, each
// has its own. A live search keeps it longer once a verdict more teaches little: one of 128. Any search with many in
// flight does so for one of 32: it could not keep 64 devices busy else. But none keeps it for more than a quarter of
// those in flight: without that, searches with 150 and 320 in flight were worse after 400 verdicts.
const (
	perForest = 32
	many      = 128
	perFlight = 4
	perKnown  = 128
	perMany   = 32
)

// serves is for how many verdicts a model of those known serves.
func (p *Pool) serves(known int) int {
	n, teaches := len(p.Pending), perKnown
	switch {
	case n >= many:
		teaches = perMany
	case !p.Live:
		return n / perForest
	}
	return max(n/perForest, min(n/perFlight, known/teaches))
}

// current reports whether a model of so many verdicts still serves.
func (p *Pool) current(verdicts int) bool {
	return len(p.Best) > 0 && len(p.Seen) >= verdicts && len(p.Seen)-verdicts < p.serves(verdicts)
}

func (o *Outlook) lasts(pool *Pool) bool {
	return o != nil && pool.current(o.verdicts) &&
		slices.ContainsFunc(o.points, func(p outlook) bool { return !pool.Known(p.index) })
}

// look grows a forest and asks it about points that are worth a thought.
func look(rng *rand.Rand, pool *Pool) *Outlook {
	const random, children, few = 600, 150, 6
	choices := candidates(rng, pool, few, children, random)
	if len(choices) == 0 {
		return &Outlook{}
	}
	seen := lessons(rng, pool)
	y, best := targets(seen)
	s := pool.sample(seen, y)
	grow := grow
	if len(pool.Pending) >= many {
		grow = growBeside
	}
	f := grow(rng, s)
	rows := make([][]uint8, len(choices))
	for k, i := range choices {
		rows[k] = pool.view().row(i)
	}
	mean, deviation := f.predict(rows)
	cost := make([]float64, len(rows))
	if pool.Hurry {
		cost, _ = pool.seconds(func() *forest { return grow(rng, s.ofSeconds(seen)) }).predict(rows)
	}
	o := &Outlook{verdicts: len(pool.Seen), best: best, points: make([]outlook, len(choices))}
	for k, i := range choices {
		o.points[k] = outlook{i, mean[k], deviation[k], cost[k]}
	}
	return o
}

// seconds is a forest for the logarithm of the seconds that a verdict takes. A live search grows it again when it knows
// a sixteenth more: how long kernels take to compile and to time changes less than where the best ones are.
func (p *Pool) seconds(grow func() *forest) *forest {
	const part = 16
	o := p.Outlook
	if !p.Live || o == nil {
		return grow()
	}
	if more := len(p.Seen) - o.timed; o.kept.seconds == nil || more < 0 || more > o.timed/part {
		o.kept.seconds, o.timed = grow(), len(p.Seen)
	}
	return o.kept.seconds
}

// ofSeconds is the sample with the logarithms of seconds in place of times.
func (s sample) ofSeconds(seen []*Individual) sample {
	for i, o := range seen {
		s.y[i] = math.Log(max(o.Cost, 1e-3))
	}
	s.noise = nil
	return s
}

// acquisition rates predictions, more is better: by the logarithm of the expected improvement on best, as is right for
// one proposal at a time. With others in flight it would look for the next one beside them, because they teach nothing
// before they are answered. Then it is the lower confidence bound, and the weight of the deviation is drawn from Exp(1)
// for each proposal: one looks where it is good, the next where it is uncertain (Hutter, Hoos, Leyton-Brown, "Parallel
// Algorithm Configuration", 2012).
func acquisition(rng *rand.Rand, pool *Pool, best float64) func(mean, deviation float64) float64 {
	if len(pool.Pending) == 0 {
		return func(mean, deviation float64) float64 { return math.Log(improvement(best, mean, deviation)) }
	}
	weight := rng.ExpFloat64()
	return func(mean, deviation float64) float64 { return weight*deviation - mean }
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
