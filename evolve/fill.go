package evolve

// affordable asks a source as long as the budget lasts.
func (s *Search) affordable(next source) source {
	return func() (*task, bool) {
		if s.spent(); s.ending.has() {
			return nil, false
		}
		return next()
	}
}

// spent notes the part of the budget that is used up, if one is.
func (s *Search) spent() {
	s.ending.because(s.cfg.Budget.spent(s.progress, s.queue.verdicts(), s.clock.elapsed()+s.settling()))
}

// mostAsked is how much is asked for until verdicts are taken again. With 1,280 in flight a verdict else lies there
// until a thousand more were asked for without it (BenchmarkInFlight); of one GPU, 22 in flight, it bounds nothing.
const mostAsked = 32

// fill keeps the evaluator's slots busy. more: it has stopped before they were, for what has come meanwhile. Where
// answers are taken in order it does not, so that a search does not depend on when they come.
func (s *Search) fill() (more bool) {
	for asked := 0; s.mayAsk(); asked++ {
		switch {
		case asked == mostAsked && !s.ev.InOrder():
			return true
		case s.outage.on():
			s.probe()
			return false
		case !s.pop.started():
			s.startNaive()
			return false
		}
		s.proposer.room = s.room(asked)
		t, ok := s.proposer.next()
		if !ok {
			if s.ending.has() || !s.unblock() {
				return false
			}
			continue
		}
		if err := s.launch(t); err != nil {
			s.fail(err)
		}
	}
	return false
}

// room is how many points may be proposed together, after so many: those that are asked for now in any case.
func (s *Search) room(asked int) int {
	if !s.isFleet() {
		return 1
	}
	n := min(mostAsked-asked, s.ev.Slots()-s.queue.verdicts())
	if most := s.cfg.Budget.Evals; most > 0 {
		n = min(n, most-s.progress.Evals-s.queue.verdicts())
	}
	return max(1, n)
}

// mayAsk reports whether a slot is free, and nothing is against using it.
func (s *Search) mayAsk() bool {
	return !s.ending.drains() && !s.steering.paused() && s.queue.verdicts() < max(1, s.ev.Slots()) && !s.lags()
}

// unblock is what is left when no source has anything: to ask a model, or to believe that what was lost is to blame
// itself, for there is nobody else left to wait for. It reports whether the sources may be asked again.
func (s *Search) unblock() bool {
	switch {
	case s.advice.consider(true):
		return true
	case s.advice.asking():
		return false
	case s.outage.holds() && s.queue.verdicts() == 0:
		s.recovered()
		return true
	}
	s.ending.because(ReasonExhausted)
	return false
}

// launch asks the evaluator.
func (s *Search) launch(t *task) (err error) {
	if t.isDuel() {
		return s.launchDuel(t)
	}
	if err = s.pop.prepare(t); err != nil {
		return err
	}
	s.championship.setBar(t.job, s.pop)
	t.job.Likely = t.isLikely()
	s.pop.claim(t)
	s.queue.start(t)
	return nil
}
