package evolve

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate"
)

// A cheat that was champion for a while falls: its story is told in order, and it is a failure like any other.
func TestCheatFallsOnTrial(t *testing.T) {
	for _, part := range slices.Concat(kernels.QuickTrial, kernels.SlowTrial, kernels.LongTrial) {
		t.Run(string(part), func(t *testing.T) {
			ev, m := newTrialFake(3), &memory{}
			ev.claims, ev.falls = cheats, cheatsFall(part)
			var c collector
			s := tried(t, toyConfig(t, "hills"), ev, m)
			plantCheat(t, s, ev.fake)
			sum, err := s.Run(context.Background(), c.emit)
			if err != nil {
				t.Fatal(err)
			}
			if cheats(sum.Variant.Genes) > 0 || sum.Standing != kernels.Stood {
				t.Errorf("champion %s, %s", sum.Variant.Label(), sum.Standing)
			}
			quick := slices.Contains(kernels.QuickTrial, part)
			if fell := checkFalls(t, m, c.all, quick); fell == 0 {
				t.Error("no cheat was found out: the test shows nothing")
			}
			if id, _ := m.Champion(); id != sum.Champion || sum.Outcomes[kernels.OK]+sum.Outcomes[kernels.Wrong] != sum.Evals {
				t.Errorf("%+v", sum)
			}
			got := ev.asked[sum.Champion] // at the end what is emulated goes on beside what takes the device
			device := slices.DeleteFunc(slices.Clone(got), func(p kernels.TrialPart) bool { return p == kernels.TrialEmulated })
			if len(got) != len(kernels.WholeTrial) ||
				!slices.Equal(device, []kernels.TrialPart{kernels.TrialClasses, kernels.TrialFresh,
					kernels.TrialDisturbed, kernels.TrialSanitized, kernels.TrialLaunches}) {
				t.Errorf("the last champion was asked for %v", got)
			}
		})
	}
}

// checkFalls follows the events: who fell was stored as wrong and was neither champion nor fought, after that. Where
// quick parts find them, cheats never become champion.
func checkFalls(t *testing.T, m *memory, events []Event, quick bool) (fell int) {
	t.Helper()
	gone := map[kernels.ID]bool{}
	for _, e := range events {
		if gone[e.Champion] && e.Kind != KindTrial && e.Kind != KindChampion {
			t.Errorf("%s tells of a champion that fell", e.Kind)
		}
		switch e.Kind {
		case KindTrial:
			if e.Trial.Standing() != kernels.Fell {
				continue
			}
			fell++
			gone[e.ID] = true
			if !isCheat(e.Candidate) || e.Candidate.Result.Outcome != kernels.Wrong || e.Candidate.Score != 0 {
				t.Errorf("%+v", e.Candidate)
			}
		case KindChampion, KindDuel:
			if gone[e.ID] {
				t.Errorf("%s of %s, which fell", e.Kind, e.ID.Short())
			}
		}
	}
	for _, id := range m.champions {
		if quick && gone[id] {
			t.Errorf("%s became champion", id.Short())
		}
	}
	for i := range m.candidates {
		if c := &m.candidates[i]; gone[c.ID] != (c.Result.Outcome == kernels.Wrong) {
			t.Errorf("%s fell: %v, stored as %s", c.ID.Short(), gone[c.ID], c.Result.Outcome)
		}
	}
	return fell
}

// Two champions in a row fall: the one before both is champion again, and those that lost against it stay beaten.
// Whether a second cheat is found while the first is champion is up to the seed.
func TestTwoChampionsFall(t *testing.T) {
	for seed := range uint64(30) {
		if twoChampionsFall(t, seed) {
			return
		}
	}
	t.Fatal("two cheats were never champion in a row: the test shows nothing")
}

func twoChampionsFall(t *testing.T, seed uint64) (shown bool) {
	t.Helper()
	ev, m := newTrialFake(1), &memory{}
	var promoted []kernels.ID
	release := make(chan struct{})
	var once sync.Once
	ev.claims, ev.falls = cheats, cheatsFall(kernels.TrialEmulated)
	ev.before = func(_ context.Context, job *kernels.Job, parts []kernels.TrialPart) error {
		if cheats(job.Variant.Genes) > 0 && parts[0] == kernels.TrialEmulated { // not before two of them are champion
			<-release
		}
		return nil
	}
	cfg := toyConfig(t, "hills")
	cfg.Seed = seed
	var c collector
	sum, err := tried(t, cfg, ev, m).Run(context.Background(), func(e Event) {
		c.emit(e)
		if e.Kind == KindChampion && len(promoted) < 2 {
			at := slices.IndexFunc(m.candidates, func(x kernels.Candidate) bool { return x.ID == e.ID })
			if isCheat(&m.candidates[at]) {
				promoted = append(promoted, e.ID)
			}
		}
		if len(promoted) == 2 || e.Evals >= cfg.Budget.Evals-1 { // at the end nobody comes any more
			once.Do(func() { close(release) })
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(promoted) < 2 {
		return false
	}
	checkFalls(t, m, c.all, false)
	for _, id := range promoted {
		if known := m.trial(id); known.Standing() != kernels.Fell {
			t.Errorf("%s: %s", id.Short(), known.Text())
		}
	}
	if cheats(sum.Variant.Genes) > 0 || sum.Standing != kernels.Stood {
		t.Errorf("champion %s, %s", sum.Variant.Label(), sum.Standing)
	}
	return true
}

// Who is found out in a duel falls, whichever side it is on, where there are trials and where there are none.
func TestDuelFindsOut(t *testing.T) {
	for _, side := range []kernels.Side{kernels.TheChallenger, kernels.TheChampion, "nobody"} {
		t.Run(string(side), func(t *testing.T) {
			ev, m := newFake(2, true), &memory{}
			trials := newTrialFake(1)
			trials.claims = cheats
			ev.answer = trials.fake.answer
			ev.duel = func(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
				d, _ := trials.fake.duel(ctx, champion, challenger)
				cheating := map[kernels.Side]*kernels.Job{kernels.TheChallenger: challenger, kernels.TheChampion: champion}[side]
				if cheating != nil && cheats(cheating.Variant.Genes) > 0 || cheating == nil &&
					cheats(challenger.Variant.Genes) > 0 {
					d.Verdict, d.Outcome, d.Culprit, d.Detail = kernels.Ambiguous, kernels.Suspect, side, "keeps answers"
				}
				return d, nil
			}
			var c collector
			s := mustSearch(t, toyConfig(t, "hills"), ev, m)
			plantCheat(t, s, ev)
			sum, err := s.Run(context.Background(), c.emit)
			if err != nil {
				t.Fatal(err)
			}
			fell := 0
			for i := range m.candidates {
				if x := &m.candidates[i]; x.Result.Outcome == kernels.Suspect {
					fell++
					if !isCheat(x) || x.Result.Detail != "fell on trial (duel): keeps answers" {
						t.Errorf("%+v", x.Result)
					}
				}
			}
			if found := fell > 0; found != (side != "nobody") || fell != len(c.of(KindTrial)) {
				t.Errorf("%d fell, %d events", fell, len(c.of(KindTrial)))
			}
			if side != kernels.TheChampion && cheats(sum.Variant.Genes) > 0 {
				t.Errorf("champion %s", sum.Variant.Label())
			}
		})
	}
}

// Who lost against a champion that fell may challenge again; who lost against the one that is champion again may not.
func TestDuelsOfTheFallenAreVoid(t *testing.T) {
	s := mustSearch(t, toyConfig(t, "hills"), newTrialFake(1), &memory{})
	id := func(i byte) kernels.ID { return kernels.ID{i} }
	for i := byte(1); i <= 4; i++ {
		s.pop.members[id(i)] = &member{id: id(i), score: float64(i)}
	}
	honest, cheat := s.pop.members[id(1)], s.pop.members[id(2)]
	s.pop.naive, s.championship.holder = honest, cheat
	s.championship.predecessors = []*member{honest}
	for loser, champion := range map[*member]*member{s.pop.members[id(3)]: honest, s.pop.members[id(4)]: cheat} {
		s.championship.fought[[2]string{champion.id.Short(), loser.id.Short()}] = kernels.Duel{Verdict: kernels.Slower}
		s.championship.beaten[loser.id] = true
	}
	fallen := kernels.Trial{ID: cheat.id}
	fallen.Enter(kernels.Doubt{Part: kernels.TrialEmulated, Verdict: kernels.Failed, Outcome: kernels.Crashed})
	s.progress.outcomes = map[kernels.Outcome]int{kernels.OK: 4}
	cheat.code, s.pop.twins[id(5)] = "code", "code"
	for i, x := range []kernels.ID{honest.id, cheat.id, id(5)} {
		s.pop.demes[0].add(&mutate.Individual{ID: x, Index: i, Score: 1}, x == id(5))
	}
	s.championship.demote(cheat, fallen)
	if d := s.pop.demes[0]; len(d.best) != 1 || d.best[0].ID != honest.id || !math.IsInf(d.seen[1].Score, 1) ||
		!math.IsInf(d.seen[2].Score, 1) || d.seen[0].Score != 1 {
		t.Errorf("who fell, or its twin, is still bred or learned from: %d, %+v", len(d.best), d.seen)
	}
	if s.championship.holder != honest || !s.championship.beaten[id(3)] || s.championship.beaten[id(4)] ||
		s.pop.members[cheat.id] != nil || len(s.championship.predecessors) != 0 {
		t.Errorf("champion %v, beaten %v", s.championship.holder.id.Short(), s.championship.beaten)
	}
	if s.progress.outcomes[kernels.OK] != 3 || s.progress.outcomes[kernels.Crashed] != 1 || s.progress.Best != 1 {
		t.Errorf("%+v", s.progress)
	}
}
