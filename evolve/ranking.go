package evolve

import (
	"cmp"
	"math"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// ranking is what operators learn and breed from.
type ranking struct {
	best  []*mutate.Individual // all that work, best first
	fresh []*mutate.Individual // those of this epoch, best first
	seen  []*mutate.Individual // all that were judged, in order

	rose int // how many were judged when the best of all came

	archives [2][]*mutate.Individual // of best and of fresh; nil: not made
	order    []*mutate.Individual    // seen by score, of equals the first before the others; nil: not made
}

// add enters one that was judged; one that failed has the score +Inf. A duplicate teaches what its twin did, but is not
// bred from: it would crowd out others.
func (r *ranking) add(o *mutate.Individual, duplicate bool) {
	r.seen = append(r.seen, o)
	if r.order != nil {
		r.order = insert(r.order, o)
	}
	if !duplicate && !math.IsInf(o.Score, 1) {
		if len(r.best) == 0 || o.Score < r.best[0].Score {
			r.rose = len(r.seen)
		}
		r.best, r.fresh = insert(r.best, o), insert(r.fresh, o)
		for i, made := range r.archives {
			if made != nil {
				r.archives[i] = archived(made, o)
			}
		}
	}
}

// rises reports whether the best of all came lately: within the last third of the verdicts, or the last few.
func (r *ranking) rises() bool {
	const few = 40
	return len(r.best) > 0 && len(r.seen)-r.rose < max(few, r.rose/2)
}

// changed has the archives and the order made again when they are needed. What is added is added to them: a proposal
// needs them, and going through thousands for each takes as long as rendering it.
func (r *ranking) changed() { r.archives, r.order = [2][]*mutate.Individual{}, nil }

// ordered is all that was seen by score, of equals the first before the others.
func (r *ranking) ordered() []*mutate.Individual {
	if r.order == nil {
		r.order = slices.Clone(r.seen)
		slices.SortStableFunc(r.order, byScore)
	}
	return r.order
}

// archive is that of everything, or of this epoch.
func (r *ranking) archive(fresh bool) []*mutate.Individual {
	of, list := &r.archives[0], r.best
	if fresh {
		of, list = &r.archives[1], r.fresh
	}
	if *of == nil {
		*of = archive(list)
	}
	return *of
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

// ranked are those that work, best first.
func (r *ranking) ranked() []*mutate.Individual { return r.best }

// renew begins an epoch.
func (r *ranking) renew() {
	r.fresh = nil
	r.changed()
}

// removeDead takes the dead out and says how many of them worked.
func (r *ranking) removeDead(dead map[kernels.ID]bool) int {
	is := func(o *mutate.Individual) bool { return dead[o.ID] }
	before := len(r.best)
	r.best, r.fresh = slices.DeleteFunc(r.best, is), slices.DeleteFunc(r.fresh, is)
	r.seen = slices.DeleteFunc(r.seen, is)
	r.changed()
	return before - len(r.best)
}

// rank orders by new scores; of equals the older comes first.
func (r *ranking) rank(score func(*mutate.Individual) float64) {
	for _, o := range r.seen {
		if !math.IsInf(o.Score, 1) {
			o.Score = score(o)
		}
	}
	r.best, r.fresh = r.sorted(r.best), r.sorted(r.fresh)
	r.changed()
}

// sorted orders a part of what was seen.
func (r *ranking) sorted(part []*mutate.Individual) (out []*mutate.Individual) {
	in := map[*mutate.Individual]bool{}
	for _, o := range part {
		in[o] = true
	}
	for _, o := range r.seen {
		if in[o] {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, byScore)
	return out
}

func byScore(a, b *mutate.Individual) int { return cmp.Compare(a.Score, b.Score) }
