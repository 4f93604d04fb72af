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

// fill keeps the evaluator's slots busy.
func (s *Search) fill() {
	for !s.ending.drains() && !s.steering.paused() && s.queue.verdicts() < max(1, s.ev.Slots()) && !s.lags() {
		switch {
		case s.outage.on():
			s.probe()
			return
		case !s.pop.started():
			s.startNaive()
			return
		}
		t, ok := s.proposer.next()
		if !ok {
			if s.ending.has() || !s.unblock() {
				return
			}
			continue
		}
		if err := s.launch(t); err != nil {
			s.fail(err)
		}
	}
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
	if t.job == nil {
		if err = s.pop.prepare(t); err != nil {
			return err
		}
	}
	s.reign.setBar(t.job, s.pop)
	s.pop.claim(t)
	s.queue.start(t)
	return nil
}
