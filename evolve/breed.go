package evolve

import (
	"darwarp/kernels"
	"darwarp/mutate"
	"slices"
)

// bred is what the strategy's operators propose. When the neighbourhood of all parents is used up it is a point by
// chance.
func (x *proposer) bred() (*task, bool) {
	for {
		t, ok := x.ready.next()
		switch {
		case ok && x.admits(t):
			return t, true
		case !ok && !x.breedAll():
			return nil, false
		}
	}
}

// breedAll breeds as many points as there is room for, and has them rendered side by side; false: there are none.
func (x *proposer) breedAll() bool {
	for len(x.strategy.mix) > 0 && x.ready.len() < x.room {
		open := x.pop.open()
		if len(open) == 0 {
			break
		}
		d, p, o, ok := x.breed(open)
		if !ok {
			break
		}
		x.ready.push(newTask(d, p, o))
	}
	x.pop.prepareAll(x.ready.all())
	return x.ready.len() > 0
}

func (x *proposer) breed(open []*pointDeme) (d *pointDeme, p mutate.Proposal, o kernels.Origin, ok bool) {
	const tries = 60
	for range tries {
		if d, p, o, ok = x.try(open); ok {
			return d, p, o, true
		}
	}
	d = open[x.rng.IntN(len(open))]
	p, o, ok = x.draw(mutate.Random{}, d)
	return d, p, o, ok
}

// try uses one operator once.
func (x *proposer) try(open []*pointDeme) (d *pointDeme, p mutate.Proposal, o kernels.Origin, ok bool) {
	op := x.strategy.choose(x.rng, x.pop.earned())
	if _, byChance := op.(mutate.Random); byChance {
		d = open[x.rng.IntN(len(open))]
		p, o, ok = x.draw(op, d)
		return d, p, o, ok
	}
	d, pool, pinned := x.parents()
	if pinned { // a model would pass over a parent that is not fast
		op = mutate.Genes{}
	}
	if !d.open() {
		return nil, p, o, false
	}
	p, ok = op.Propose(x.rng, x.brief(pool, d))
	if !ok || d.claimed(p.Index) {
		return nil, p, o, false
	}
	return d, p, bredBy(op, p), true
}

func bredBy(op mutate.Operator, p mutate.Proposal) kernels.Origin {
	o := kernels.Origin{Operator: op.Name(), Note: p.Note, Generation: 1}
	for _, parent := range p.Parents {
		o.Parents = append(o.Parents, parent.ID)
		o.Generation = max(o.Generation, parent.Generation+1)
	}
	return o
}

// pinShare is how often a child is bred from pinned candidates, whatever the others are worth.
const pinShare = 0.25

// parents is what an operator breeds from: now and then pinned candidates alone, or those that are good at one
// workload.
func (x *proposer) parents() (d *pointDeme, pool *mutate.Pool, pinned bool) {
	pins := x.steering.pinned()
	if len(pins) > 0 && x.rng.Float64() < pinShare {
		d = x.pop.spaceOf(pins[x.rng.IntN(len(pins))])
		return d, d.pinned(pins), true
	}
	d = x.pickDeme()
	if x.pop.byShape() && x.rng.Float64() < nicheShare {
		return d, d.nichePool(x.rng), false
	}
	return d, d.breeding(x.progress.afresh(), pins), false
}

// pickDeme chooses a family that rises, or one by the rank of its members among the best of all families.
func (x *proposer) pickDeme() *pointDeme {
	demes := x.pop.points()
	if len(demes) == 1 {
		return demes[0]
	}
	if d, ok := x.young(); ok {
		return d
	}
	if d, ok := x.rising(); ok {
		return d
	}
	const top = 15
	type entry struct {
		deme  *pointDeme
		score float64
	}
	var all []entry
	for _, d := range demes {
		best := d.pool(x.progress.afresh()).Best
		for _, o := range best[:min(top, len(best))] {
			all = append(all, entry{d, o.Score})
		}
	}
	if len(all) == 0 {
		return demes[x.rng.IntN(len(demes))]
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		if a.score < b.score {
			return -1
		}
		return 1
	})
	n := min(top, len(all))
	return all[min(x.rng.IntN(n), x.rng.IntN(n))].deme
}

// youthShare is the share of offspring that young families get while there are some, whatever their rank.
const youthShare = 0.25

func (x *proposer) young() (d *pointDeme, ok bool) {
	var all []*pointDeme
	for _, d := range x.pop.points() {
		if d.young() {
			all = append(all, d)
		}
	}
	if len(all) == 0 || x.rng.Float64() >= youthShare {
		return nil, false
	}
	return all[x.rng.IntN(len(all))], true
}

// risingShare is the share of offspring of families that still rise, each as much, whatever their rank: where one has
// the better optimum and the other the better middle, ranks alone would never tell (docs/manual/search.md).
const risingShare = 0.7

func (x *proposer) rising() (d *pointDeme, ok bool) {
	var all []*pointDeme
	for _, d := range x.pop.points() {
		if d.rises() && d.open() {
			all = append(all, d)
		}
	}
	if len(all) == 0 || x.rng.Float64() >= risingShare {
		return nil, false
	}
	return all[x.rng.IntN(len(all))], true
}
