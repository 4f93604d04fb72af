package evolve

import (
	"fmt"
	"strings"

	"darwarp/kernels"
)

// doubt begins the trial that is due.
func (s *Search) doubt() {
	if !s.championship.canDoubt() || s.steering.paused() || s.outage.on() || s.ending.failed() ||
		s.championship.trialsSkipped() || s.championship.champion() == nil {
		return
	}
	if s.championship.waitsForTrial() && !s.ending.drains() && !s.ending.has() { // the budget was added to meanwhile
		s.championship.waitNoMore()
		s.clock.goOn()
	}
	if m, parts := s.championship.successorParts(); m != nil && !s.finishes() {
		s.launchTrial(m, parts)
		return
	}
	for parts := s.due(); len(parts) > 0; parts = s.due() {
		s.launchTrial(s.championship.champion(), parts)
	}
}

// due is the part of the champion's trial that may begin now: one after the other while it is champion, and at the end
// what takes the device beside what does not. The naive start has none: there is nobody to take its place.
func (s *Search) due() []kernels.TrialPart {
	m := s.championship.champion()
	if m == s.pop.start() || s.championship.exhausted(m) || s.championship.hasSuccessor() || s.ending.failed() {
		return nil
	}
	switch {
	case s.finishes():
		return nil
	case s.ending.drains() || s.ending.has():
		missing := s.championship.missing(m, kernels.WholeTrial)
		if len(missing) == 0 || !s.queue.idleBut(s.championship.partsInFlight()) {
			return nil
		}
		s.sayWaiting(m, missing)
		return s.championship.firstFree(missing)
	case !s.championship.mayTryChampion():
		return nil
	}
	return s.championship.firstFree(s.championship.champions(m, s.clock.elapsed(), s.settlesSoon()))
}

// finishes reports whether only what is in flight is finished: the next session tries would-be champions.
func (s *Search) finishes() bool { return s.ending.drains() && s.ending.why() != ReasonStopped }

// sayWaiting says once what the end of the search waits for.
func (s *Search) sayWaiting(m *member, missing []kernels.TrialPart) {
	if !s.championship.waitForTrial() {
		return
	}
	if !s.bounded() {
		s.clock.stop() // what follows is no part of the search's time
	}
	until := ""
	if s.bounded() {
		until = fmt.Sprintf(", until %s at most", kernels.Span(s.cfg.Budget.For+s.settling()))
	}
	s.journal.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: the trial of %s is finished first (%s)%s",
		s.ending.why(), m.id.Short(), partNames(missing), until)})
}

// launchTrial begins parts of a member's trial.
func (s *Search) launchTrial(m *member, parts []kernels.TrialPart) {
	t := m.task()
	t.purpose, t.doubts, t.parts = forTrial, m, parts
	if err := s.pop.prepare(t); err != nil {
		s.fail(err)
		return
	}
	s.championship.setBar(t.job, s.pop)
	t.job.Base = s.pop.base()
	t.job.Foremost = s.championship.isSuccessor(m) && s.foremost(m)
	s.championship.beginTrial(t)
	s.queue.start(t)
}

func partNames(parts []kernels.TrialPart) string {
	var names []string
	for _, p := range parts {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}
