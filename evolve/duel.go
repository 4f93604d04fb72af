package evolve

import (
	"fmt"

	"darwarp/kernels"
)

// challenge lets the best claimer fight the champion, one at a time.
func (s *Search) challenge() {
	if s.ending.drains() || s.steering.paused() || s.trials.hasHeir() || s.outage.on() || s.dueling() {
		return
	}
	m := s.contest.challenger(s.pop)
	if m == nil {
		return
	}
	t := &task{Space: m.deme.number(), Index: m.index, Champion: s.contest.reigning().id, Challenger: m.id}
	if err := s.launch(t); err != nil {
		s.fail(err)
	}
}

func (s *Search) dueling() bool {
	for _, t := range s.unanswered() {
		if t.isDuel() {
			return true
		}
	}
	return false
}

// launchDuel asks for a duel; one that was stored before this session is not fought again.
func (s *Search) launchDuel(t *task) (err error) {
	t.Weighed = s.steering.weighed()
	champion, challenger := s.pop.member(t.Champion), s.pop.member(t.Challenger)
	if s.trials.fell(t.Champion, t.Challenger) { // since the checkpoint that asks for it
		return nil
	}
	if champion == nil || challenger == nil {
		return fmt.Errorf("duel of %s with %s: not in the run", t.Challenger.Short(), t.Champion.Short())
	}
	if d, ok := s.contest.duelOf(t.Champion, t.Challenger); ok {
		s.queue.answered(answer{task: t, duel: d})
		return nil
	}
	if t.champion, err = s.pop.job(champion.task()); err != nil {
		return err
	}
	if t.job, err = s.pop.job(challenger.task()); err != nil {
		return err
	}
	t.champion.Base = s.pop.base()
	t.job.Base = t.champion.Base
	s.queue.start(t, s.evaluate)
	return nil
}

// decide enters a duel. Only Faster changes the champion.
func (s *Search) decide(t *task, d kernels.Duel) {
	s.hearNoise()
	if d.Verdict != kernels.Ambiguous && !s.outage.on() {
		s.recovered()
	}
	d.Champion, d.Challenger = t.Champion.Short(), t.Challenger.Short()
	validateDuel(&d)
	if why := s.setsAside(t); why != "" {
		s.journal.send(Event{Kind: KindDuel, ID: t.Challenger, Duel: &d, Note: "set aside: " + why})
		return
	}
	s.progress.countDuel()
	s.journal.duel(t.Challenger, d, s.contest.enter(d))
	if d.Outcome.Failed() && s.convict(t, &d) {
		return
	}
	if d.Verdict != kernels.Faster {
		s.contest.defeat(t.Challenger)
		return
	}
	s.succeed(s.pop.member(t.Challenger), fmt.Sprintf("%.2f %% faster than %s in a duel", 100*(1-d.Ratio), d.Champion))
}

// setsAside says why a duel decides nothing any more, empty where it does.
func (s *Search) setsAside(t *task) string {
	switch {
	case t.Weighed != s.steering.weighed():
		return "the weights were changed meanwhile"
	case s.trials.fell(t.Champion, t.Challenger):
		return "one of them fell on trial meanwhile"
	}
	return ""
}
