package evolve

import (
	"fmt"

	"darwarp/kernels"
)

// challenge lets the best claimer fight the champion, one at a time.
func (s *Search) challenge() {
	if s.ending.drains() || s.steering.paused() || s.outage.on() || s.dueling() {
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
	if champion == nil || challenger == nil {
		return fmt.Errorf("duel of %s with %s: not in the run", t.Challenger.Short(), t.Champion.Short())
	}
	if d, ok := s.contest.duelOf(t); ok {
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
	if t.Weighed != s.steering.weighed() {
		s.journal.send(Event{Kind: KindDuel, ID: t.Challenger, Duel: &d, Note: "set aside: the weights were changed meanwhile"})
		return
	}
	s.progress.duel()
	s.journal.duel(t.Challenger, d, s.contest.enter(d))
	if d.Verdict != kernels.Faster {
		s.contest.lose(t.Challenger)
		return
	}
	m := s.pop.member(t.Challenger)
	s.contest.crown(m)
	s.journal.champion(m, fmt.Sprintf("%.2f %% faster than %s in a duel", 100*(1-d.Ratio), d.Champion))
}
