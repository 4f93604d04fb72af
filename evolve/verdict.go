package evolve

import (
	"errors"

	"darwarp/kernels"
)

// naiveStart is why the first champion is one.
const naiveStart = "the naive start"

// startNaive asks for the default of the first family, alone: every score is relative to it.
func (s *Search) startNaive() {
	if s.queue.verdicts() > 0 {
		return
	}
	d := s.pop.first()
	if err := d.checkDefault(); err != nil {
		s.fail(err)
		return
	}
	t := d.startTask(kernels.Origin{Operator: "default", Generation: 1, Note: naiveStart})
	err := s.pop.prepare(t)
	if err == nil && s.pop.asked(t.job.ID) {
		err = noStart("the naive start %s did not work when this run began: start a new run", t.job.ID.Short())
	}
	if err == nil {
		err = s.launch(t)
	}
	if err != nil {
		s.fail(err)
	}
}

// take enters an answer.
func (s *Search) take(a answer) {
	switch {
	case a.err != nil && !errors.Is(a.err, kernels.ErrLost) && !s.expected(a):
		s.queue.leaveFirst(a.task)
		s.fail(a.err)
	case a.task.purpose == forTrial:
		s.championship.tried(a)
	case a.task.dropped: // a duel, and another one goes on
	case a.task.purpose == forProbe:
		s.probed(a)
	case a.task.purpose == forPace:
		s.timedAgain(a)
	case a.task.purpose == forNoise:
		s.controlled(a)
	case a.err != nil:
		s.retry(a.task, a.err.Error())
	case a.task.isDuel():
		s.decided(a.task, a.duel)
	default:
		s.judge(a.task, a.result)
	}
}

// expected reports whether an error came of what nobody waits for any more.
func (s *Search) expected(a answer) bool {
	return a.task.dropped || a.task.purpose == forTrial && s.championship.trialsSkipped()
}

// judge enters a verdict.
func (s *Search) judge(t *task, r kernels.Result) {
	c := kernels.Candidate{ID: t.job.ID, Variant: t.job.Variant, Origin: t.Origin, Result: r, At: s.clock.stamp()}
	s.clock.spend(c.Result.Cost.Total(), s.ev.Slots())
	if c.Result.Provenance == "" {
		c.Result.Provenance = s.journal.proof()
	}
	if err := s.pop.validate(&c); err != nil {
		s.retry(t, err.Error())
		return
	}
	s.journal.storeProvenance(s.ev, c.Result.Provenance)
	if showsHealth(c.Result.Outcome) && !s.outage.on() { // once it is on, the champion decides
		s.recovered()
	}
	d := s.pop.deme(t.Space)
	in := s.admit(&c, d, t.Index)
	if in.opened {
		s.proposer.seed(s.pop.space(t.Space))
	}
	s.advice.follow(&c, d.authored(t.Index))
	s.journal.candidate(c)
	switch start := s.pop.start(); {
	case start == nil:
		s.fail(noStart("the naive start, the default of family %s, does not work (%s): %s",
			s.pop.first().family(), c.Result.Outcome, c.Result.Detail))
	case start.id == c.ID:
		s.journal.champion(start, naiveStart)
	}
}

// admit enters a judged candidate: a new one, or one from the store. The first that works is the first champion.
func (s *Search) admit(c *kernels.Candidate, d deme, index int) insertion {
	s.progress.count(c.Result.Outcome)
	in := s.pop.insert(c, d, index)
	if m := in.member; m != nil {
		s.progress.found(m.score)
		if s.championship.champion() == nil {
			s.championship.setChampion(m)
		}
	}
	s.advice.note(c, in.score)
	return in
}
