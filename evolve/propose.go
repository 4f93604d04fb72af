package evolve

import (
	"fmt"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// firstSample is how many points are spread out before anything is bred: 11 for one family. Of 11 and 15
// the smaller found the optimum of recorded spaces as often by 200 evaluations and more often by 100.
func firstSample(families int) int { return 3 + 8*families }

// patience is how many verdicts without a faster candidate end an epoch.
func (s *Search) patience() int {
	most := 0
	for _, d := range s.demes {
		most = max(most, len(d.space.Family.Genes))
	}
	return max(120, 20*most)
}

// startNaive asks for the default of the first family, alone: every score is relative to it.
func (s *Search) startNaive() {
	if s.queue.evals > 0 {
		return
	}
	d := s.demes[0]
	g := d.space.Family.Defaults()
	if err := d.space.Family.Check(g, d.space.Device, d.space.DType); err != nil {
		s.fail(fmt.Errorf("the naive start, the default of family %s, cannot run on %s: %w", d.space.Family.Name, d.space.Device.Name, err))
		return
	}
	f := &flight{Index: d.start, Origin: kernels.Origin{Operator: "default", Generation: 1, Note: "the naive start"}}
	job, err := s.job(f)
	switch {
	case err != nil:
		s.fail(err)
	case s.ids[job.ID]:
		s.fail(fmt.Errorf("the naive start %s did not work when this run began: start a new run", job.ID.Short()))
	default:
		f.job = job
		if err := s.launch(f); err != nil {
			s.fail(err)
		}
	}
}

// nextFlight chooses what to ask for: the other families' defaults, then a spread sample, then what
// the operators propose. ok is false when every point is known.
func (s *Search) nextFlight() (*flight, bool) {
	for {
		space, p, origin, ok := s.propose()
		if !ok {
			return nil, false
		}
		if f, ok := s.flightTo(space, p, origin); ok {
			return f, true
		}
	}
}

// flightTo makes a flight to a point; ok is false where it needs no verdict, and is passed over.
func (s *Search) flightTo(space int, p mutate.Proposal, o kernels.Origin) (f *flight, ok bool) {
	s.demes[space].learn(p.Index)
	f = &flight{Space: space, Index: p.Index, Origin: o}
	job, err := s.job(f)
	switch {
	case err != nil:
		s.skip(f, "cannot be rendered: "+err.Error())
		s.demes[space].unrendered()
	case s.ids[job.ID]:
		s.skip(f, "the same source as "+job.ID.Short())
	default:
		f.job = job
		return f, true
	}
	return nil, false
}

// skip passes over a point without a verdict.
func (s *Search) skip(f *flight, why string) {
	s.progress.Passed = append(s.progress.Passed, [2]int{f.Space, f.Index})
	s.send(Event{Kind: KindSkip, Family: s.demes[f.Space].space.Family.Name, Note: why})
}

func (s *Search) propose() (space int, p mutate.Proposal, o kernels.Origin, ok bool) {
	for i, d := range s.demes {
		if d.start >= 0 && !d.isKnown(d.start) {
			return i, mutate.Proposal{Index: d.start}, kernels.Origin{Operator: "default", Generation: 1}, true
		}
	}
	s.maybeRestart()
	open := s.open()
	if len(open) == 0 || len(s.strategy.mix) == 0 {
		return 0, p, o, false
	}
	if s.strategy.sample && s.progress.sample > 0 {
		return s.first(open)
	}
	const tries = 60 // then the neighbourhood of all parents is used up
	for range tries {
		if space, p, o, ok = s.breed(open); ok {
			return space, p, o, true
		}
	}
	return s.draw(mutate.Random{}, open[s.rng.IntN(len(open))])
}

// first draws the first sample: points that were best in another run, if there is one, before those
// that are spread out.
func (s *Search) first(open []int) (space int, p mutate.Proposal, o kernels.Origin, ok bool) {
	for s.progress.sample > firstSample(len(s.demes)) {
		s.progress.sample--
		at := open[s.progress.sample%len(open)]
		if space, p, o, ok = s.draw(s.demes[at].recall, at); ok {
			return space, p, o, true
		}
	}
	s.progress.sample--
	return s.draw(mutate.Spread{}, open[s.progress.sample%len(open)])
}

// open lists the spaces that have points left.
func (s *Search) open() []int {
	var out []int
	for i, d := range s.demes {
		if !d.exhausted() && !d.closed {
			out = append(out, i)
		}
	}
	return out
}

// draw uses an operator that needs no parents.
func (s *Search) draw(op mutate.Operator, space int) (int, mutate.Proposal, kernels.Origin, bool) {
	p, ok := op.Propose(s.rng, s.brief(s.demes[space].pool(false), space))
	return space, p, kernels.Origin{Operator: op.Name(), Generation: 1}, ok
}

// brief adds to a pool what the search knows of the moment. Time is in short supply where the budget
// names nothing else.
func (s *Search) brief(p *mutate.Pool, space int) *mutate.Pool {
	p.Hurry = s.cfg.Budget.For > 0 && s.cfg.Budget.Evals == 0
	for _, f := range s.queue.pending {
		if f.Space == space && f.Index >= 0 && f.Challenger.IsZero() {
			p.Pending = append(p.Pending, f.Index)
		}
	}
	return p
}

// breed tries one operator once.
func (s *Search) breed(open []int) (space int, p mutate.Proposal, o kernels.Origin, ok bool) {
	op := s.choose()
	if _, stranger := op.(mutate.Random); stranger {
		return s.draw(op, open[s.rng.IntN(len(open))])
	}
	space, pool, pinned := s.pinned()
	if pinned { // a model would pass over a parent that is not fast
		op = mutate.Genes{}
	} else {
		space = s.pickSpace()
		pool = s.parents(space)
	}
	d := s.demes[space]
	if d.exhausted() || d.closed {
		return space, p, o, false
	}
	p, ok = op.Propose(s.rng, s.brief(pool, space))
	if !ok || d.isKnown(p.Index) {
		return space, p, o, false
	}
	o = kernels.Origin{Operator: op.Name(), Note: p.Note, Generation: 1}
	for _, parent := range p.Parents {
		o.Parents = append(o.Parents, parent.ID)
		o.Generation = max(o.Generation, parent.Generation+1)
	}
	return space, p, o, true
}

// pickSpace chooses a family by the rank of its members among the best of all families.
func (s *Search) pickSpace() int {
	if len(s.demes) == 1 {
		return 0
	}
	if space, ok := s.young(); ok {
		return space
	}
	const top = 15
	type entry struct {
		space int
		score float64
	}
	var all []entry
	for i, d := range s.demes {
		best := d.pool(s.progress.afresh()).Best
		for _, o := range best[:min(top, len(best))] {
			all = append(all, entry{i, o.Score})
		}
	}
	if len(all) == 0 {
		return s.rng.IntN(len(s.demes))
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		if a.score < b.score {
			return -1
		}
		return 1
	})
	n := min(top, len(all))
	return all[min(s.rng.IntN(n), s.rng.IntN(n))].space
}

// maybeRestart ends an epoch that finds nothing more. Every other epoch starts afresh: it breeds from
// a new sample alone, and the one after it from everything.
func (s *Search) maybeRestart() {
	p := &s.progress
	if !s.strategy.renew || p.Evals-max(p.LastGain, p.EpochStart) < s.patience() {
		return
	}
	p.Epoch++
	p.EpochStart = p.Evals
	note := "breeding from everything again"
	if p.afresh() {
		p.sample = firstSample(len(s.demes))
		note = "breeding from a new sample; the champion stays"
	}
	for _, d := range s.demes {
		d.fresh = nil
	}
	p.EpochSeen = s.seen()
	s.send(Event{Kind: KindRestart, Note: fmt.Sprintf("no gain in %d evaluations: %s", s.patience(), note)})
}

// seen is the number of judged points of all spaces.
func (s *Search) seen() int {
	n := 0
	for _, d := range s.demes {
		n += d.judged
	}
	return n
}
