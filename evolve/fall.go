package evolve

import (
	"fmt"
	"math"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
	"darwarp/store"
)

// fall files a candidate that did not stand its trial as what it was found out to be: it leaves the populations as a
// failure, and if it reigned, the champion before it that is still believed, or was never doubted, reigns again.
func (s *Search) fall(m *member, t kernels.Trial) {
	s.disown(m, t.Fault().Outcome)
	if m == s.trials.heir {
		s.trials.heir = nil
	}
	s.trials.reigns = slices.DeleteFunc(s.trials.reigns, func(o *member) bool { return o == m })
	var heir kernels.ID
	why := ""
	if m == s.champion {
		s.restoreReign()
		heir, why = s.champion.id, fmt.Sprintf("again, since %s fell on trial", m.id.Short())
	}
	state, score := s.state(), s.champion.score
	s.save(func() error {
		c, err := s.keep.Fell(t, heir, why, state)
		if err != nil {
			return err
		}
		s.send(Event{Kind: KindTrial, ID: m.id, Candidate: &c, Trial: &t, Note: "fell: " + c.Result.Detail})
		if !heir.IsZero() {
			s.send(Event{Kind: KindChampion, ID: heir, Score: score, Note: why})
		}
		return nil
	})
}

// convict files the side of a duel that was found out in it, and reports whether there is one. The naive start is none: it
// is what all others are held against.
func (s *Search) convict(f *flight, d *kernels.Duel) bool {
	id := map[kernels.Side]kernels.ID{kernels.TheChampion: f.Champion, kernels.TheChallenger: f.Challenger}[d.Culprit]
	m := s.working[id]
	if m == nil || m == s.naive {
		return false
	}
	t := s.trials.known[id]
	t.ID, t.Proof, t.At = id, s.proof, s.clock.stamp()
	t.Enter(kernels.Doubt{Part: kernels.TrialDuel, Verdict: kernels.Failed, Outcome: d.Outcome, Detail: kernels.CleanDetail(d.Detail)})
	s.trials.known[id] = t
	s.fall(m, t)
	return true
}

// restoreReign lets the last of the champions before reign. Whoever lost against it keeps that, and whoever lost against
// the one that fell may challenge.
func (s *Search) restoreReign() {
	t := &s.trials
	s.champion, t.since = s.naive, s.clock.elapsed()
	if last := len(t.reigns) - 1; last >= 0 {
		s.champion, t.reigns = t.reigns[last], t.reigns[:last]
	}
	clear(s.beaten)
	for id := range s.working {
		if d, ok := s.fought[[2]string{s.champion.id.Short(), id.Short()}]; ok && d.Verdict != kernels.Faster {
			s.beaten[id] = true
		}
	}
}

// disown takes a candidate and its twins, which have its machine code, out of all that is bred and learned from as good.
func (s *Search) disown(m *member, as kernels.Outcome) {
	fell := map[kernels.ID]bool{m.id: true}
	if m.code != "" {
		s.codes[m.code] = math.Inf(1)
		for id, code := range s.twins {
			fell[id] = fell[id] || code == m.code
		}
	}
	delete(s.working, m.id)
	s.owns = slices.DeleteFunc(s.owns, func(o *member) bool { return o == m })
	s.steering.Pins = slices.DeleteFunc(s.steering.Pins, func(id kernels.ID) bool { return fell[id] })
	for _, d := range s.demes {
		d.fail(fell)
	}
	for _, all := range s.niches.demes {
		for _, d := range all {
			d.fail(fell)
		}
	}
	if s.progress.outcomes[kernels.OK]--; s.progress.outcomes[kernels.OK] == 0 {
		delete(s.progress.outcomes, kernels.OK)
	}
	s.progress.outcomes[as]++
	s.progress.Best = 0
	for _, o := range s.working {
		if s.progress.Best == 0 || o.score < s.progress.Best {
			s.progress.Best = o.score
		}
	}
}

// fail makes individuals failures: they are learned from as such, and not bred from.
func (d *deme) fail(fell map[kernels.ID]bool) {
	is := func(o *mutate.Individual) bool { return fell[o.ID] }
	d.best, d.fresh = slices.DeleteFunc(d.best, is), slices.DeleteFunc(d.fresh, is)
	for _, o := range d.seen {
		if is(o) {
			o.Score = math.Inf(1)
		}
	}
}

// hasFallen reports whether one of the sides of a duel fell on trial.
func (s *Search) hasFallen(ids ...kernels.ID) bool {
	return slices.ContainsFunc(ids, func(id kernels.ID) bool { return s.trials.known[id].Standing() == kernels.Fell })
}

// recallTrials takes up trials of earlier sessions, and who reigned before whom. What is missing of a champion's trial is
// tried in this one.
func (s *Search) recallTrials() error {
	all, err := s.keep.Trials()
	if err != nil {
		return err
	}
	for _, t := range all {
		s.trials.known[t.ID] = t
	}
	history, err := s.keep.Champions()
	if err != nil {
		return err
	}
	s.trials.reigns = s.reignsOf(history)
	return nil
}

// condemn files those that fell between two sessions: `darwarp verify` tries candidates, too.
func (s *Search) condemn() {
	for _, m := range s.members() {
		if t := s.trials.known[m.id]; t.Standing() == kernels.Fell && m != s.naive {
			s.fall(m, t)
		}
	}
}

// reignsOf are those before the champion who still work: who came back took the place that it had.
func (s *Search) reignsOf(history []store.Champion) (reigns []*member) {
	for _, h := range history {
		m := s.working[h.ID]
		if m == nil {
			continue
		}
		if at := slices.Index(reigns, m); at >= 0 {
			reigns = reigns[:at]
		}
		reigns = append(reigns, m)
	}
	if at := slices.Index(reigns, s.champion); at >= 0 {
		return reigns[:at]
	}
	return reigns
}
