package evolve

import (
	"fmt"
	"slices"

	"darwarp/kernels"
)

// retry asks again for what was lost. What was lost several times is held until others get a verdict, and given up
// then.
func (s *Search) retry(t *task, why string) {
	now := s.clock.now()
	t.Attempts++
	s.progress.countLost()
	s.outage.count(why, now)
	s.journal.send(Event{Kind: KindLost, Family: s.pop.familyName(t), ID: t.job.ID,
		Note: fmt.Sprintf("attempt %d of %d: %s", t.Attempts, attempts, why)})
	switch {
	case !s.pop.started() && t.Attempts >= attempts:
		s.fail(fmt.Errorf("no verdict on the naive start after %d attempts: %w", attempts, s.outage.error(now)))
	case s.ending.drains():
		t.Attempts = min(t.Attempts, attempts-1)
		s.queue.leave(t)
	case s.outage.on() || t.Attempts >= attempts:
		s.outage.hold(t)
	default:
		s.queue.start(t)
	}
}

// probe asks for the champion once more: it was right, so that only our side can lose it.
func (s *Search) probe() {
	if !s.outage.idle() {
		return
	}
	if s.spent(); s.ending.has() {
		return
	}
	t, err := s.askChampion(forProbe)
	if err != nil {
		s.fail(err)
		return
	}
	s.championship.setBar(t.job, s.pop)
	s.outage.probe()
	s.queue.start(t)
}

// askChampion makes a task of the champion that no checkpoint keeps.
func (s *Search) askChampion(why purpose) (*task, error) {
	t := s.championship.champion().task()
	t.purpose = why
	return t, s.pop.prepare(t)
}

// probed ends the outage, or begins the next pause. A champion that is no longer right says that the device is not.
func (s *Search) probed(a answer) {
	s.outage.answered()
	r := a.result
	switch {
	case s.ending.drains():
		return
	case a.err != nil:
		s.outage.fail(a.err.Error())
	case r.Outcome == kernels.OK:
		s.recovered()
		return
	case r.Outcome == kernels.Lost:
		s.outage.fail(r.Detail)
	default:
		s.outage.fail(fmt.Sprintf("the champion %s, which was right before, is %s: %s",
			a.task.job.ID.Short(), r.Outcome, r.Detail))
	}
	s.waitOut()
}

// waitOut waits before the champion is asked again, no longer than there is time.
func (s *Search) waitOut() {
	note, err := s.outage.pause(s.clock.now(), s.timeLeft())
	if err != nil {
		s.fail(err)
		return
	}
	if note != "" {
		s.journal.send(Event{Kind: KindOutage, Note: note})
	}
}

// recovered notes that evaluating works. What was held is retried, or given up: others got their verdicts meanwhile.
func (s *Search) recovered() {
	held, told := s.outage.recover(s.clock.now())
	if told {
		s.journal.send(Event{Kind: KindOutage, Note: "the champion gets its verdict again: going on"})
	}
	for _, t := range held {
		if t.Attempts < attempts {
			s.queue.start(t)
			continue
		}
		s.giveUp(t)
	}
}

// giveUp passes over a point, or files a duel as not won, unless its champion fell meanwhile.
func (s *Search) giveUp(t *task) {
	switch {
	case !t.isDuel():
		s.progress.pass(t)
	case s.championship.setsAside(t) == "":
		s.championship.defeat(t.Challenger)
	}
	s.journal.send(Event{Kind: KindSkip, Family: s.pop.familyName(t), ID: t.job.ID,
		Note: fmt.Sprintf("lost %d times while others were not: given up", t.Attempts)})
}

// showsHealth reports whether a verdict took the whole way, and so shows that evaluating works.
func showsHealth(o kernels.Outcome) bool {
	switch o {
	case kernels.OK, kernels.Wrong, kernels.Crashed, kernels.TimedOut, kernels.Flaky:
		return true
	}
	return false
}

// unanswered is what a checkpoint keeps of what was asked for.
func (s *Search) unanswered() (all []*task) {
	for _, t := range slices.Concat(s.queue.waiting(), s.outage.waiting()) {
		if t.purpose == forRun && !t.dropped {
			all = append(all, t)
		}
	}
	return all
}
