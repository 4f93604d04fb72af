package evolve

import (
	"fmt"
	"strings"

	"darwarp/kernels"
)

// challenge lets the best claimer fight the champion, one at a time. A claimer was measured faster
// than the champion by more than its own noise, and has not lost against it.
func (s *Search) challenge() {
	if s.stopping || s.paused || s.champion == nil || s.trials.heir != nil || s.outage.on() || s.dueling() {
		return
	}
	var best *member
	for _, d := range s.demes {
		for _, o := range d.best {
			if o.Score >= s.champion.score || best != nil && o.Score >= best.score {
				break
			}
			if m := s.working[o.ID]; m.upper < s.champion.score && !s.beaten[m.id] {
				best = m
				break
			}
		}
	}
	if best = s.ownClaimer(best); best == nil {
		return
	}
	if err := s.launch(&flight{Space: best.space, Index: best.index, Champion: s.champion.id, Challenger: best.id}); err != nil {
		s.fail(err)
	}
}

func (s *Search) dueling() bool {
	for _, f := range s.unanswered() {
		if !f.Challenger.IsZero() {
			return true
		}
	}
	return false
}

func (s *Search) launchDuel(f *flight) (err error) {
	f.Weighed = s.steering.Weighed
	champion, challenger := s.working[f.Champion], s.working[f.Challenger]
	if s.hasFallen(f.Champion, f.Challenger) { // since the checkpoint that asks for it
		return nil
	}
	if champion == nil || challenger == nil {
		return fmt.Errorf("duel of %s with %s: not in the run", f.Challenger.Short(), f.Champion.Short())
	}
	if d, ok := s.fought[[2]string{f.Champion.Short(), f.Challenger.Short()}]; ok {
		s.queue.answered(answer{flight: f, duel: d})
		return nil
	}
	if f.champion, err = s.job(champion.flight()); err != nil {
		return err
	}
	if f.job, err = s.job(challenger.flight()); err != nil {
		return err
	}
	f.champion.Base, f.job.Base = s.base, s.base
	s.queue.start(f, s.evaluate)
	return nil
}

// settle enters a duel. Only Faster changes the champion.
func (s *Search) settle(a answer) {
	f, d := a.flight, a.duel
	s.hearNoise()
	if d.Verdict != kernels.Ambiguous && !s.outage.on() {
		s.sound()
	}
	d.Champion, d.Challenger = f.Champion.Short(), f.Challenger.Short()
	honest(&d)
	if aside := s.setsAside(f); aside != "" {
		s.send(Event{Kind: KindDuel, ID: f.Challenger, Duel: &d, Note: "set aside: " + aside})
		return
	}
	s.progress.Duels++
	key := [2]string{d.Champion, d.Challenger}
	if _, stored := s.fought[key]; !stored {
		s.fought[key] = d
		s.duels++
		s.save(func() error { return s.keep.PutDuel(d) })
	}
	s.save(func() error {
		s.send(Event{Kind: KindDuel, ID: f.Challenger, Duel: &d, Note: strings.TrimSuffix(string(d.Verdict)+": "+d.Detail, ": ")})
		return nil
	})
	if d.Outcome.Failed() && s.convict(f, &d) {
		return
	}
	if d.Verdict != kernels.Faster {
		s.beaten[f.Challenger] = true
		return
	}
	s.succeed(s.working[f.Challenger], fmt.Sprintf("%.2f %% faster than %s in a duel", 100*(1-d.Ratio), d.Champion))
}

// setsAside says why a duel decides nothing any more, empty where it does.
func (s *Search) setsAside(f *flight) string {
	switch {
	case f.Weighed != s.steering.Weighed:
		return "the weights were changed meanwhile"
	case s.hasFallen(f.Champion, f.Challenger):
		return "one of them fell on trial meanwhile"
	}
	return ""
}

// honest makes a duel fit to be stored: one that does not say what it claims settles nothing.
func honest(d *kernels.Duel) {
	ok := finite(d.Ratio, d.Lo, d.Hi) && d.Ratio > 0
	for _, r := range d.Rounds {
		ok = ok && finite(r.Champion, r.Challenger, r.Ratio, r.Lo, r.Hi)
	}
	if !ok {
		d.Ratio, d.Lo, d.Hi, d.Rounds = 0, 0, 0, nil
	}
	switch d.Verdict {
	case kernels.Slower, kernels.Same:
	case kernels.Faster:
		ok = ok && d.Ratio < 1
	default:
		ok = false
	}
	if !ok {
		d.Verdict = kernels.Ambiguous
	}
}

// crown stores a new champion.
func (s *Search) crown(m *member, why string) {
	s.save(func() error {
		if id, ok := s.keep.Champion(); !ok || id != m.id {
			if err := s.keep.SetChampion(m.id, why); err != nil {
				return err
			}
		}
		s.send(Event{Kind: KindChampion, ID: m.id, Score: m.score, Note: why})
		return nil
	})
}
