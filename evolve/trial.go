package evolve

import (
	"fmt"
	"strings"

	"darwarp/kernels"
)

// succeed makes the winner of a duel the champion, or first an heir where it can be doubted.
func (s *Search) succeed(m *member, why string) {
	if !s.trials.inherits(m, why) {
		s.crown(m, why)
	}
}

// crown makes a member the champion.
func (s *Search) crown(m *member, why string) {
	s.trials.reign(s.contest.reigning(), s.clock.elapsed())
	s.contest.crown(m)
	s.journal.champion(m, why)
}

// doubt begins the trial that is due.
func (s *Search) doubt() {
	if !s.trials.possible() || s.steering.paused() || s.outage.on() || s.ending.failed() || s.trials.skipped() ||
		s.contest.reigning() == nil {
		return
	}
	if s.trials.waits() && !s.ending.drains() && !s.ending.has() { // the budget was added to meanwhile
		s.trials.goOn()
		s.clock.goOn()
	}
	if m, parts := s.trials.heirsParts(); m != nil {
		s.launchTrial(m, parts)
		return
	}
	for parts := s.due(); len(parts) > 0; parts = s.due() {
		s.launchTrial(s.contest.reigning(), parts)
	}
}

// due is the part of the champion's trial that may begin now: one after the other while it reigns, and at the end what takes the
// device beside what does not. The naive start has none: there is nobody to reign in its place.
func (s *Search) due() []kernels.TrialPart {
	m := s.contest.reigning()
	if m == s.pop.start() || s.trials.exhausted(m) || s.trials.hasHeir() || s.ending.failed() {
		return nil
	}
	switch {
	case s.ending.drains() && s.ending.why() != ReasonStopped: // only what is in flight is finished
		return nil
	case s.ending.drains() || s.ending.has():
		missing := s.trials.missing(m, kernels.WholeTrial)
		if len(missing) == 0 || !s.queue.idleBut(s.trials.waiting()) {
			return nil
		}
		s.sayWaiting(m, missing)
		return s.trials.next(missing)
	case !s.trials.idle():
		return nil
	}
	return s.trials.next(s.trials.champions(m, s.clock.elapsed()))
}

// sayWaiting says once what the end of the search waits for.
func (s *Search) sayWaiting(m *member, missing []kernels.TrialPart) {
	if !s.trials.wait() {
		return
	}
	s.clock.stop() // what follows is no part of the search's time
	s.journal.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: the trial of %s is finished first (%s)",
		s.ending.why(), m.id.Short(), partNames(missing))})
}

// launchTrial begins parts of a member's trial.
func (s *Search) launchTrial(m *member, parts []kernels.TrialPart) {
	t := m.task()
	t.purpose, t.doubts, t.parts = forTrial, m, parts
	if err := s.pop.prepare(t); err != nil {
		s.fail(err)
		return
	}
	s.contest.setBar(t.job, s.pop)
	t.job.Base = s.pop.base()
	s.trials.begin(t)
	s.queue.start(t, s.evaluate)
}

// tried takes what came of parts of a trial.
func (s *Search) tried(a answer) {
	t, m := a.task, a.task.doubts
	s.trials.end(t)
	if s.trials.fell(m.id) { // by another part, meanwhile
		return
	}
	if a.err != nil {
		if !s.trials.skipped() {
			s.loseTrial(t, a.err)
		}
		return
	}
	known, missing := s.trials.enter(t, a.trial)
	switch {
	case missing:
		s.loseTrial(t, fmt.Errorf("%w: the evaluator gave no verdict", kernels.ErrLost))
	case known.Fault() != nil:
		s.fall(m, known)
	default:
		s.journal.trial(known, known.Of(t.parts))
		if s.trials.isHeir(m) {
			s.inherit()
		}
	}
}

// inherit crowns the heir, who has stood the quick parts of its trial.
func (s *Search) inherit() {
	m, why := s.trials.disinherit()
	if s.pop.isDead(m.id) { // its lineage was killed meanwhile
		s.contest.defeat(m.id)
		return
	}
	s.crown(m, why)
}

// loseTrial asks again for what our side lost, which the next call of doubt does, or gives it up.
func (s *Search) loseTrial(t *task, err error) {
	m := t.doubts
	s.progress.countLost()
	attempt, dropped := s.trials.retry(m)
	note := fmt.Sprintf("trial of %s (%s), attempt %d of %d: %v",
		m.id.Short(), partNames(t.parts), attempt, attempts, err)
	s.journal.send(Event{Kind: KindLost, Family: s.family(t), ID: m.id, Note: strings.TrimSpace(line(note))})
	if attempt < attempts {
		return
	}
	what := "it stays on trial"
	if dropped {
		s.contest.defeat(m.id)
		what = "it is not crowned"
	}
	s.journal.send(Event{Kind: KindSkip, Family: s.family(t), ID: m.id, Note: "its trial was lost too often: " + what})
}

// loadTrials takes up trials of earlier sessions. What is missing of a champion's trial is tried in this one.
func (s *Search) loadTrials(keep keeper) error {
	all, err := keep.Trials()
	if err != nil {
		return err
	}
	history, err := keep.Champions()
	if err != nil {
		return err
	}
	s.trials.load(all, history, s.pop, s.contest.reigning())
	return nil
}

// standing is the champion's, empty where nobody doubts it.
func (s *Search) standing() kernels.Standing {
	return s.trials.standing(s.contest.reigning(), s.pop.start())
}
