package mutate

import (
	"math"
	"math/rand/v2"
	"slices"
)

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
