package evolve

import (
	"errors"
	"fmt"
	"math"

	"darwarp/kernels"
	"darwarp/store"
)

// attempts is how often a verdict that was lost is asked for.
const attempts = 3

// job is what the evaluator is asked.
func (s *Search) job(f *flight) (*kernels.Job, error) {
	if s.cfg.Job != nil && f.Space != own {
		job, err := s.cfg.Job(f.Space, f.Index)
		return &job, err
	}
	if f.Space == own {
		return s.ownJob(*f.Variant)
	}
	space := s.demes[f.Space].space
	g := space.Family.Defaults()
	if f.Index >= 0 {
		g = space.Genome(space.At(f.Index))
	}
	job, err := s.cfg.Bundle.Job(space.Family, g, space.Device, s.cfg.DType)
	if err != nil {
		return nil, err
	}
	return &job, nil
}

// launch asks the evaluator; a duel that was stored before this session is not fought again.
func (s *Search) launch(f *flight) (err error) {
	if !f.Challenger.IsZero() {
		return s.launchDuel(f)
	}
	if f.job == nil {
		if f.job, err = s.job(f); err != nil {
			return err
		}
	}
	s.setBar(f.job)
	s.ids[f.job.ID] = true
	s.learnPoint(f.Space, f.Index)
	s.queue.start(f, s.evaluate)
	return nil
}

// take enters what came of a flight.
func (s *Search) take(a answer) {
	switch {
	case a.err != nil && !errors.Is(a.err, kernels.ErrLost) && (a.flight.aside != doubting || s.trials.ctx.Err() == nil):
		s.queue.pending = append([]*flight{a.flight}, s.queue.pending...)
		s.fail(a.err)
	case a.flight.aside == doubting:
		s.doubted(a)
	case a.flight.aside == probing:
		s.probed(a)
	case a.flight.aside == controlling:
		s.controlled(a)
	case a.err != nil:
		s.lose(a.flight, a.err.Error())
	case !a.flight.Challenger.IsZero():
		s.settle(a)
	default:
		s.judge(a)
	}
}

func (s *Search) judge(a answer) {
	f := a.flight
	c := kernels.Candidate{ID: f.job.ID, Variant: f.job.Variant, Origin: f.Origin, Result: a.result, At: s.clock.stamp()}
	s.clock.spend(c.Result.Cost.Total(), s.ev.Slots())
	if err := s.cleanse(&c); err != nil {
		s.lose(f, err.Error())
		return
	}
	if shows(c.Result.Outcome) && !s.outage.on() { // once it is on, the champion decides
		s.sound()
	}
	closed := f.Space != own && s.demes[f.Space].closed
	s.admit(&c, f.Space, f.Index)
	if closed && !s.demes[f.Space].closed {
		s.sow(f.Space)
	}
	s.follow(f, &c)
	s.saveResult(c)
	if s.naive != nil {
		return
	}
	s.fail(fmt.Errorf("the naive start, the default of family %s, does not work (%s): %s", s.demes[0].space.Family.Name, c.Result.Outcome, c.Result.Detail))
}

// cleanse refuses a verdict that cannot be used and makes the rest fit to be stored. Its error says
// what is wrong on our side: the candidate is not to blame.
func (s *Search) cleanse(c *kernels.Candidate) error {
	r := &c.Result
	r.Detail = kernels.CleanDetail(r.Detail)
	if r.Proof == "" {
		r.Proof = s.proof
	}
	switch {
	case r.Outcome == kernels.Lost:
		return errors.New(r.Detail)
	case r.Outcome == kernels.Unknown || r.Outcome > kernels.Lost:
		return errors.New("the evaluator gave no verdict")
	case !finite(r.Cost.Compile, r.Cost.Gate, r.Cost.Time, r.Cost.Wait):
		return fmt.Errorf("the evaluator gave cost %+v", r.Cost)
	}
	if g := r.Gate; g != nil { // an output of NaN is infinitely wrong, which JSON cannot say
		clean := *g
		clean.Worst, clean.Frobenius = clamp(g.Worst), clamp(g.Frobenius)
		r.Gate = &clean
	}
	if r.Outcome != kernels.OK {
		r.Times = nil
		return nil
	}
	times, err := s.ownTimes(r.Times)
	if err != nil {
		return err
	}
	r.Times = times
	if s.naive == nil {
		c.Score = 1
		return nil
	}
	c.Score, err = s.cfg.Objective.Score(times, s.base, s.cfg.Workloads)
	if err == nil && !(c.Score > 0 && c.Score <= math.MaxFloat64) {
		err = fmt.Errorf("score %g", c.Score)
	}
	return err
}

// ownTimes picks the search's workloads out of a verdict's times and refuses what no clock can show.
func (s *Search) ownTimes(in []kernels.Timing) ([]kernels.Timing, error) {
	var out []kernels.Timing
	for _, w := range s.cfg.Workloads {
		found := false
		for _, t := range in {
			if t.Workload != w.Name || found {
				continue
			}
			if !(t.Median > 0 && t.Median <= math.MaxFloat64) || !finite(t.Lo, t.Hi, t.Clock) {
				return nil, fmt.Errorf("the evaluator gave time %g (%g to %g) for workload %s", t.Median, t.Lo, t.Hi, w.Name)
			}
			if t.Lo <= 0 || t.Lo > t.Median {
				t.Lo = t.Median
			}
			t.Hi = max(t.Hi, t.Median)
			out, found = append(out, t), true
		}
		if !found {
			return nil, fmt.Errorf("the evaluator gave no time for workload %s", w.Name)
		}
	}
	return out, nil
}

func finite(all ...float64) bool {
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func clamp(v float64) float64 {
	if math.IsNaN(v) {
		return math.MaxFloat64
	}
	return max(-math.MaxFloat64, min(v, math.MaxFloat64))
}

// admit enters a judged candidate into the population: a new one, or one from the store.
func (s *Search) admit(c *kernels.Candidate, space, index int) {
	s.ids[c.ID] = true
	s.progress.count(c.Result.Outcome)
	twin, known := s.codes[c.Result.Code]
	duplicate := c.Result.Outcome == kernels.Duplicate
	score := math.Inf(1)
	switch {
	case c.Result.Outcome == kernels.OK:
		score = c.Score
	case duplicate && known:
		score = twin
	}
	if c.Result.Code != "" && !duplicate {
		s.codes[c.Result.Code] = score
	}
	if duplicate && known {
		s.twins[c.ID] = c.Result.Code
	}
	if index >= 0 {
		d := s.demes[space]
		d.learn(index)
		d.closed = d.closed && math.IsInf(score, 1)
		if !duplicate || known {
			d.judged++
			if !s.isFirst(space, index) {
				s.purse.pay(c.Origin.Operator, d.gained(score), c.Result.Cost.Total())
			}
		}
		if dead := s.stillborn(c); !dead && (!duplicate || known) {
			o := individual(d.space, c, index, score)
			d.add(o, duplicate)
			s.niches.add(space, o, c, s.base)
		}
	}
	if (space == own || s.isFirst(space, index)) && !duplicate {
		s.purse.pay(c.Origin.Operator, s.gained(score), c.Result.Cost.Total())
	}
	if space == own {
		s.stillborn(c)
		s.counsel.remember(c)
	}
	if c.Result.Outcome == kernels.OK {
		s.enlist(c, space, index)
	}
	s.learn(c, score)
}

// enlist enters a candidate that works. The first one is the naive start and first champion.
func (s *Search) enlist(c *kernels.Candidate, space, index int) {
	m := &member{id: c.ID, variant: c.Variant, space: space, index: index, score: c.Score, times: medians(c.Result.Times),
		parents: c.Origin.Parents, born: len(s.working) + 1, code: c.Result.Code, timings: c.Result.Times,
		generation: c.Origin.Generation, resources: c.Result.Resources}
	if s.naive == nil {
		s.naive, s.base, s.champion = m, m.times, m
	}
	upper := make([]kernels.Timing, len(c.Result.Times))
	for i, t := range c.Result.Times {
		upper[i] = kernels.Timing{Workload: t.Workload, Median: t.Hi}
	}
	var err error
	if m.upper, err = s.cfg.Objective.Score(upper, s.base, s.cfg.Workloads); err != nil {
		m.upper = m.score
	}
	s.working[c.ID] = m
	if space == own {
		s.owns = append(s.owns, m)
	}
	if s.progress.Best == 0 || m.score < s.progress.Best {
		s.progress.Best, s.progress.LastGain = m.score, s.progress.Evals
	}
}

func medians(times []kernels.Timing) map[string]float64 {
	out := map[string]float64{}
	for _, t := range times {
		out[t.Workload] = t.Median
	}
	return out
}

// saveResult stores a candidate with the state after it.
func (s *Search) saveResult(c kernels.Candidate) {
	first := s.naive != nil && s.naive.id == c.ID
	state := s.state()
	s.save(func() error {
		if err := s.keep.Put(&c, state); err != nil {
			return err
		}
		s.send(s.resultEvent(c))
		return nil
	})
	if first {
		s.crown(s.naive, "the naive start")
	}
}

// save appends an operation on the store. While one waits for space nothing is taken.
func (s *Search) save(op func() error) { s.saves = append(s.saves, op) }

// flush does what is to be stored; false means that it could not, and that nothing may follow.
func (s *Search) flush() bool {
	for len(s.saves) > 0 {
		err := s.saves[0]()
		switch {
		case errors.Is(err, store.ErrNoSpace):
			s.diskFull(err)
			return false
		case err != nil:
			s.fail(fmt.Errorf("storing: %w", err))
			s.saves = []func() error{func() error { return err }} // what follows would not fit to what is stored
			return false
		}
		s.saves = s.saves[1:]
		if s.full {
			s.full = false
			s.send(Event{Kind: KindDisk, Note: "there is space again: going on"})
		}
	}
	return true
}

// diskFull says once that the disk is full; on a search that ends it is an error.
func (s *Search) diskFull(err error) {
	if !s.full {
		s.full = true
		s.log.Warn("disk full: waiting", "err", err)
		s.send(Event{Kind: KindDisk, Note: "disk full: waiting for space"})
	}
	if s.stopping {
		s.fail(fmt.Errorf("storing: %w", err))
	}
}
