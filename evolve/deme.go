package evolve

import (
	"math"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// deme is the population of one space.
type deme struct {
	space *kernels.Space
	start int // index of the family's default, -1 when it is not in the space
	known map[int]struct{}
	best  []*mutate.Individual // all that work, best first
	fresh []*mutate.Individual // those of this epoch, best first
	seen  []*mutate.Individual // all that were judged, in order
	view  *mutate.View

	recall mutate.Recall

	judged int  // points, those of killed lineages included
	closed bool // a language model's family of which nothing was seen to work: only what was asked for by name is judged
	broken int  // points that could not be rendered
}

func newDeme(space *kernels.Space, recall mutate.Recall) *deme {
	d := &deme{space: space, start: -1, known: map[int]struct{}{}, view: mutate.NewView(space), recall: recall}
	if p, err := space.Point(space.Family.Defaults()); err == nil {
		if i, ok := space.Index(p); ok {
			d.start = i
		}
	}
	d.closed = kernels.Grown(space.Family.Name) && d.start >= 0 && !space.Recorded()
	return d
}

func (d *deme) isKnown(i int) bool { _, ok := d.known[i]; return ok }

func (d *deme) learn(i int) {
	if i >= 0 {
		d.known[i] = struct{}{}
	}
}

// unrendered notes a point that could not be rendered. A language model's family with many of them is closed: the loop
// waits for each.
func (d *deme) unrendered() {
	d.broken++
	d.closed = d.closed || kernels.Grown(d.space.Family.Name) && d.broken >= mostBroken
}

// heldBack is after how many verdicts of its own a search learns from what another run has known. What was best there is
// measured first and may reign at once, but a search that breeds from it at once looks nowhere else (docs/search.md).
const heldBack = 30

// add enters a judged point; one that failed has the score +Inf. A duplicate teaches what its twin
// did, but is not bred from: it would crowd out others.
func (d *deme) add(o *mutate.Individual, duplicate bool) {
	d.learn(o.Index)
	d.seen = append(d.seen, o)
	if !duplicate && !math.IsInf(o.Score, 1) {
		d.best, d.fresh = insert(d.best, o), insert(d.fresh, o)
	}
}

// insert keeps the list ordered by score; of equals the older comes first.
func insert(list []*mutate.Individual, o *mutate.Individual) []*mutate.Individual {
	at, _ := slices.BinarySearchFunc(list, o.Score, func(x *mutate.Individual, score float64) int {
		if x.Score <= score {
			return -1
		}
		return 1
	})
	return slices.Insert(list, at, o)
}

// exhausted reports whether every point was asked for.
func (d *deme) exhausted() bool { return len(d.known) == d.space.Len() }

// pool is what operators see. In an epoch that starts afresh only what it found is bred from.
func (d *deme) pool(fresh bool) *mutate.Pool {
	p := &mutate.Pool{Space: d.space, Best: d.best, Seen: d.seen, Known: d.isKnown, View: d.view}
	if fresh {
		p.Best = d.fresh
	}
	if own := withoutRecalled(d.seen); len(own) < heldBack {
		p.Seen, p.Best = own, withoutRecalled(p.Best)
	}
	p.Niches = archive(p.Best)
	return p
}

// withoutRecalled leaves out what another run has known. It shares the list where there is nothing to leave out.
func withoutRecalled(list []*mutate.Individual) []*mutate.Individual {
	is := func(o *mutate.Individual) bool { return o.Recalled }
	if len(list) > heldBack+mutate.MostRecalled || !slices.ContainsFunc(list, is) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), is)
}

// member is a candidate that works.
type member struct {
	id      kernels.ID
	parents []kernels.ID
	born    int    // 1, 2, ... in the order of being enlisted
	code    string // hash of its machine code
	variant kernels.Variant
	space   int
	index   int
	score   float64
	upper   float64 // score at the upper ends of its intervals
	times   map[string]float64
	timings []kernels.Timing

	generation int
	resources  []kernels.Resources
}

// individual is a judged candidate as operators see it.
func individual(space *kernels.Space, c *kernels.Candidate, index int, score float64) *mutate.Individual {
	o := &mutate.Individual{ID: c.ID, Index: index, Point: space.At(index), Score: score, Cost: c.Result.Cost.Total(), Generation: c.Origin.Generation, Niche: niche(space.Family, c),
		Recalled: c.Origin.Operator == mutate.Recall{}.Name()}
	for _, t := range c.Result.Times {
		if t.Median > 0 {
			o.Noise = max(o.Noise, (t.Hi-t.Lo)/2/t.Median)
		}
	}
	return o
}
