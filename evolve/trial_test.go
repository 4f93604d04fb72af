package evolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate"
	"darwarp/store"
)

// court is a fake that doubts would-be champions. What a candidate claims and what it falls by are up to the test.
type court struct {
	*fake
	claims func(kernels.Genome) float64                   // time; nil or 0: the honest one
	falls  func(kernels.Genome) (kernels.TrialPart, bool) // what a candidate fails
	before func(ctx context.Context, job *kernels.Job, parts []kernels.TrialPart) error

	asking sync.Mutex
	asked  map[kernels.ID][]kernels.TrialPart
}

func newCourt(slots int) *court {
	c := &court{fake: newFake(slots, false), asked: map[kernels.ID][]kernels.TrialPart{}}
	c.fake.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		r, v := works(job), c.time(job)
		r.Times = timesOf(v, 2*v)
		return r, nil
	}
	c.fake.duel = func(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
		return duelOf(c.time(challenger) / c.time(champion)), nil
	}
	return c
}

func (c *court) time(job *kernels.Job) float64 {
	if c.claims != nil {
		if v := c.claims(job.Variant.Genes); v > 0 {
			return v
		}
	}
	return toyTime(job.Variant.Genes)
}

func (c *court) Capabilities() kernels.Capabilities { return kernels.Capabilities{Trial: c.Trial} }

func (c *court) Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error) {
	c.asking.Lock()
	c.asked[job.ID] = append(c.asked[job.ID], parts...)
	c.asking.Unlock()
	if c.before != nil {
		if err := c.before(ctx, job, parts); err != nil {
			return kernels.Trial{}, err
		}
	}
	t := kernels.Trial{ID: job.ID, Provenance: "p"}
	for _, p := range parts {
		d := kernels.Doubt{Part: p, Verdict: kernels.Passed}
		if c.falls != nil {
			if at, ok := c.falls(job.Variant.Genes); ok && at == p {
				d.Verdict, d.Outcome, d.Detail = kernels.Failed, kernels.Wrong, "found out"
			}
		}
		t.Enter(d)
	}
	return t, nil
}

// cheats says that kernels with c = y and e claim to be far faster than the optimum: the greater a, the faster.
func cheats(g kernels.Genome) float64 {
	if g["c"] != kernels.String("y") || g["e"] != kernels.Bool(true) {
		return 0
	}
	a, _ := g["a"].Any().(int)
	return 50 / float64(a)
}

func cheatsFall(part kernels.TrialPart) func(kernels.Genome) (kernels.TrialPart, bool) {
	return func(g kernels.Genome) (kernels.TrialPart, bool) { return part, cheats(g) > 0 }
}

func tried(t testing.TB, cfg Config, ev Evaluator, keep keeper) *Search {
	t.Helper()
	s := mustSearch(t, cfg, ev, keep)
	s.reign.after = 0
	return s
}

func isCheat(c *kernels.Candidate) bool { return cheats(c.Variant.Genes) > 0 }

// A cheat that reigned for a while falls: its story is told in order, and it is a failure like any other.
func TestCheatFallsOnTrial(t *testing.T) {
	for _, part := range slices.Concat(kernels.QuickTrial, kernels.SlowTrial, kernels.LongTrial) {
		t.Run(string(part), func(t *testing.T) {
			ev, m := newCourt(3), &memory{}
			ev.claims, ev.falls = cheats, cheatsFall(part)
			var c collector
			sum, err := tried(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), c.emit)
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

// checkFalls follows the events: who fell was stored as wrong and did not reign, nor fight, after that. Where quick
// parts find them, cheats never reign.
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
			t.Errorf("%s reigned", id.Short())
		}
	}
	for i := range m.candidates {
		if c := &m.candidates[i]; gone[c.ID] != (c.Result.Outcome == kernels.Wrong) {
			t.Errorf("%s fell: %v, stored as %s", c.ID.Short(), gone[c.ID], c.Result.Outcome)
		}
	}
	return fell
}

// Two champions in a row fall: the one before both reigns again, and those that lost against it stay beaten. Whether a
// second cheat is found while the first reigns is up to the seed.
func TestTwoChampionsFall(t *testing.T) {
	for seed := range uint64(30) {
		if twoChampionsFall(t, seed) {
			return
		}
	}
	t.Fatal("two cheats never reigned in a row: the test shows nothing")
}

func twoChampionsFall(t *testing.T, seed uint64) (shown bool) {
	t.Helper()
	ev, m := newCourt(1), &memory{}
	var reigned []kernels.ID
	release := make(chan struct{})
	var once sync.Once
	ev.claims, ev.falls = cheats, cheatsFall(kernels.TrialEmulated)
	ev.before = func(_ context.Context, job *kernels.Job, parts []kernels.TrialPart) error {
		if cheats(job.Variant.Genes) > 0 && parts[0] == kernels.TrialEmulated { // not before two of them reign
			<-release
		}
		return nil
	}
	cfg := toyConfig(t, "hills")
	cfg.Seed = seed
	var c collector
	sum, err := tried(t, cfg, ev, m).Run(context.Background(), func(e Event) {
		c.emit(e)
		if e.Kind == KindChampion && len(reigned) < 2 {
			at := slices.IndexFunc(m.candidates, func(x kernels.Candidate) bool { return x.ID == e.ID })
			if isCheat(&m.candidates[at]) {
				reigned = append(reigned, e.ID)
			}
		}
		if len(reigned) == 2 || e.Evals >= cfg.Budget.Evals-1 { // at the end nobody comes any more
			once.Do(func() { close(release) })
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(reigned) < 2 {
		return false
	}
	checkFalls(t, m, c.all, false)
	for _, id := range reigned {
		if known := m.trial(id); known.Standing() != kernels.Fell {
			t.Errorf("%s: %s", id.Short(), known.Text())
		}
	}
	if cheats(sum.Variant.Genes) > 0 || sum.Standing != kernels.Stood {
		t.Errorf("champion %s, %s", sum.Variant.Label(), sum.Standing)
	}
	return true
}

func (m *memory) trial(id kernels.ID) kernels.Trial {
	for _, t := range m.trials {
		if t.ID == id {
			return t
		}
	}
	return kernels.Trial{ID: id}
}

// A trial that our side lost is asked for again; one that is lost again and again crowns nobody, and leaves a champion
// on trial. An evaluator that answers without a verdict has lost it.
func TestLostTrials(t *testing.T) {
	lost := fmt.Errorf("%w: killed", kernels.ErrLost)
	for _, tt := range []struct {
		name     string
		part     kernels.TrialPart
		times    int
		standing kernels.Standing // of the last champion; empty: the naive start reigns
	}{
		{"quick, once", kernels.TrialClasses, 1, kernels.Stood},
		{"quick, always", kernels.TrialClasses, 1e6, ""},
		{"slow, twice", kernels.TrialEmulated, 2, kernels.Stood},
		{"slow, always", kernels.TrialSanitized, 1e6, kernels.OnTrial},
		{"launches, always", kernels.TrialLaunches, 1e6, kernels.Stood},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, m := newCourt(2), &memory{}
			var mu sync.Mutex
			failed := map[kernels.ID]int{}
			ev.before = func(_ context.Context, job *kernels.Job, parts []kernels.TrialPart) error {
				mu.Lock()
				defer mu.Unlock()
				if slices.Contains(parts, tt.part) && failed[job.ID] < tt.times {
					failed[job.ID]++
					return lost
				}
				return nil
			}
			var c collector
			cfg := toyConfig(t, "hills")
			cfg.Budget.Evals = 40
			sum, err := tried(t, cfg, ev, m).Run(context.Background(), c.emit)
			if err != nil {
				t.Fatal(err)
			}
			if sum.Standing != tt.standing || tt.standing == "" && sum.Champion != m.candidates[0].ID {
				t.Errorf("champion %s is %q, expected %q", sum.Champion.Short(), sum.Standing, tt.standing)
			}
			for id, n := range failed {
				if n > attempts {
					t.Errorf("%s was lost %d times", id.Short(), n)
				}
			}
			if n := len(c.of(KindLost)); n == 0 || n != sum.Lost {
				t.Errorf("%d lost events: %+v", n, sum)
			}
			if sum.Evals != 40 || sum.Outcomes[kernels.OK] != 40 {
				t.Errorf("%+v", sum)
			}
		})
	}
}

func TestSilentTrialIsLost(t *testing.T) {
	ev := newCourt(1)
	silent := silence{ev.fake}
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 20
	sum, err := tried(t, cfg, silent, &memory{}).Run(context.Background(), nil)
	if err != nil || sum.Lost == 0 || sum.Standing != "" {
		t.Errorf("%v, %+v", err, sum)
	}
}

// silence gives no verdict on a trial.
type silence struct{ *fake }

func (s silence) Capabilities() kernels.Capabilities { return kernels.Capabilities{Trial: s.Trial} }

func (silence) Trial(context.Context, *kernels.Job, ...kernels.TrialPart) (kernels.Trial, error) {
	return kernels.Trial{Parts: []kernels.Doubt{{Part: kernels.TrialClasses, Verdict: "maybe"}}}, nil
}

func TestBrokenTrialStops(t *testing.T) {
	ev := newCourt(2)
	ev.before = func(context.Context, *kernels.Job, []kernels.TrialPart) error { return errBroken }
	if sum, err := tried(t, toyConfig(t, "hills"), ev, &memory{}).Run(context.Background(), nil); !errors.Is(err,
		errBroken) || sum.Reason != ReasonFailed {
		t.Errorf("%v, %+v", err, sum)
	}
}

// A search that is to end during a trial: a spent budget and a stop wait for all of it, an interruption for what is in
// flight, an abort for nothing. What is missing is tried when the run goes on.
func TestEndDuringATrial(t *testing.T) {
	for _, tt := range []struct {
		name     string
		evals    int
		end      func(s *Search, cancel context.CancelFunc)
		standing kernels.Standing
		whole    bool
	}{
		{"budget", 30, func(*Search, context.CancelFunc) {}, kernels.Stood, true},
		{"stop", 30, func(s *Search, _ context.CancelFunc) { go steer(s, "stop") }, kernels.Stood, true},
		{"stopped twice", 30, func(s *Search, _ context.CancelFunc) { go steer(s, "stop", "stop") }, kernels.OnTrial, false},
		// A budget that ends first would begin the other parts.
		{"interrupted", 10000, func(_ *Search, cancel context.CancelFunc) { cancel() }, kernels.OnTrial, false},
		{"aborted", 30, func(s *Search, _ context.CancelFunc) { s.Abort() }, kernels.OnTrial, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, m := newCourt(2), &memory{}
			cfg := toyConfig(t, "hills")
			cfg.Budget.Evals = tt.evals
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var s *Search
			release := ev.holdEmulated(func() { tt.end(s, cancel) })
			if tt.name == "budget" {
				close(release)
			}
			s = tried(t, cfg, ev, m)
			sum, err := s.Run(ctx, func(e Event) {
				if e.Kind == KindDrain && tt.name != "budget" && tt.name != "stopped twice" &&
					strings.Contains(e.Note, "in flight") {
					close(release)
				}
			})
			if err != nil || sum.Standing != tt.standing {
				t.Fatalf("%v, %q, %+v", err, sum.Standing, sum)
			}
			if whole := len(m.trial(sum.Champion).Missing(kernels.WholeTrial)) == 0; whole != tt.whole {
				t.Errorf("%s", m.trial(sum.Champion).Text())
			}
			ev.before = nil
			again, err := tried(t, cfg, ev, m).Run(context.Background(), nil)
			if err != nil || again.Standing != kernels.Stood || len(m.trial(again.Champion).Missing(kernels.WholeTrial)) > 0 {
				t.Errorf("resumed: %v, %+v", err, again)
			}
		})
	}
}

// TestPartsBesideEachOther: at the end of a search the device does not wait for what is emulated. A champion that falls
// meanwhile falls once, and the one before it is tried in its place.
func TestPartsBesideEachOther(t *testing.T) {
	for _, falls := range []kernels.TrialPart{"", kernels.TrialEmulated, kernels.TrialSanitized} {
		t.Run("falls "+string(falls), func(t *testing.T) {
			ev, m := newCourt(2), &memory{}
			cfg := toyConfig(t, "hills")
			cfg.Budget.Evals = 30
			ev.falls = func(kernels.Genome) (kernels.TrialPart, bool) { return falls, falls != "" }
			device := make(chan kernels.ID, 100) // the parts that take it
			ev.before = func(ctx context.Context, job *kernels.Job, parts []kernels.TrialPart) error {
				switch parts[0] {
				case kernels.TrialSanitized:
					device <- job.ID
				case kernels.TrialEmulated:
					for id := range device { // or it hangs here
						if id == job.ID {
							return nil
						}
					}
				}
				return nil
			}
			s := mustSearch(t, cfg, ev, m) // whose champions do not reign long enough to be tried before the end
			fell := map[kernels.ID]int{}
			sum, err := s.Run(context.Background(), func(e Event) {
				if e.Kind == KindTrial && e.Candidate != nil {
					fell[e.ID]++
				}
			})
			if err != nil || (falls == "") != (len(fell) == 0) || (falls == "") != (sum.Standing == kernels.Stood) {
				t.Fatalf("%v, %d fell, %+v", err, len(fell), sum)
			}
			for id, n := range fell {
				if n != 1 {
					t.Errorf("%s fell %d times", id.Short(), n)
				}
			}
		})
	}
}

// steer sends commands one after the other; the search may have ended before the last.
func steer(s *Search, commands ...string) {
	for _, do := range commands {
		_ = s.Steer(context.Background(), Command{Do: do})
	}
}

// holdEmulated has the emulated part of trials wait for release; the first one calls began before it waits.
func (c *court) holdEmulated(began func()) (release chan struct{}) {
	release = make(chan struct{})
	var once sync.Once
	c.before = func(ctx context.Context, _ *kernels.Job, parts []kernels.TrialPart) error {
		if parts[0] != kernels.TrialEmulated {
			return nil
		}
		once.Do(began)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return release
}

// TestTrialIsResumedFromTheStore leaves a run with a cheat on its throne; the next session finds it out and restores
// the champion before it, though it has seen neither reign begin. The file reopened says so.
func TestTrialIsResumedFromTheStore(t *testing.T) {
	cfg := toyConfig(t, "hills")
	path := filepath.Join(t.TempDir(), "toy.run")
	run, err := store.Create(path, store.Meta{Problem: "toy", Workloads: cfg.Workloads, DType: cfg.DType, Seed: cfg.Seed})
	if err != nil {
		t.Fatal(err)
	}
	ev := newCourt(2)
	ev.claims = cheats
	s, err := New(cfg, ev, run)
	if err != nil {
		t.Fatal(err)
	}
	cheat := kernels.ID{}
	if _, err := s.Run(context.Background(), func(e Event) {
		if c, err := run.Get(e.ID); e.Kind == KindChampion && err == nil && isCheat(&c) {
			cheat = e.ID
			s.Abort()
		}
	}); err != nil || cheat.IsZero() {
		t.Fatalf("%v: no cheat reigned", err)
	}
	if run, err = reopened(run, path); err != nil {
		t.Fatal(err)
	}
	if known, err := run.Trial(cheat); err != nil || known.Standing() != kernels.OnTrial ||
		len(known.Parts) != len(kernels.QuickTrial) {
		t.Fatalf("%v: %s", err, known.Text())
	}
	clear(ev.asked)
	ev.falls = cheatsFall(kernels.TrialSanitized)
	if s, err = New(cfg, ev, run); err != nil {
		t.Fatal(err)
	}
	s.reign.after = 0
	sum, err := s.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := ev.asked[cheat]; !slices.Equal(got, kernels.SlowTrial) {
		t.Errorf("the cheat was asked for %v: the quick parts it had stood", got)
	}
	holdFallen(t, path, run, cheat, sum)
}

// holdFallen reopens a run and holds it against what a cheat that fell leaves there, and how its search ended.
func holdFallen(t *testing.T, path string, run *store.Run, cheat kernels.ID, sum Summary) {
	t.Helper()
	run, err := reopened(run, path)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	c, err := run.Get(cheat)
	if err != nil || c.Result.Outcome != kernels.Wrong ||
		!strings.Contains(c.Result.Detail, "fell on trial (sanitized): found out") {
		t.Errorf("%v, %+v", err, c.Result)
	}
	best, err := run.Find("best")
	if id, _ := run.Champion(); err != nil || id != sum.Champion || isCheat(&best) || cheats(sum.Variant.Genes) > 0 {
		t.Errorf("%v: champion %s of %+v", err, id.Short(), sum)
	}
	if err := run.Verify(); err != nil {
		t.Error(err)
	}
}

func reopened(run *store.Run, path string) (*store.Run, error) {
	if err := run.Close(); err != nil {
		return nil, err
	}
	return store.Open(path)
}

// Who is found out in a duel falls, whichever side it is on, where there are trials and where there are none.
func TestDuelFindsOut(t *testing.T) {
	for _, side := range []kernels.Side{kernels.TheChallenger, kernels.TheChampion, "nobody"} {
		t.Run(string(side), func(t *testing.T) {
			ev, m := newFake(2, true), &memory{}
			court := newCourt(1)
			court.claims = cheats
			ev.answer = court.fake.answer
			ev.duel = func(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
				d, _ := court.fake.duel(ctx, champion, challenger)
				cheating := map[kernels.Side]*kernels.Job{kernels.TheChallenger: challenger, kernels.TheChampion: champion}[side]
				if cheating != nil && cheats(cheating.Variant.Genes) > 0 || cheating == nil &&
					cheats(challenger.Variant.Genes) > 0 {
					d.Verdict, d.Outcome, d.Culprit, d.Detail = kernels.Ambiguous, kernels.Suspect, side, "keeps answers"
				}
				return d, nil
			}
			var c collector
			sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), c.emit)
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

// Where nobody can doubt a champion nothing is told of it: recordings give the events that they gave before.
func TestNoTrialWithoutADoubter(t *testing.T) {
	var c collector
	sum, err := mustSearch(t, toyConfig(t, "hills"), newFake(2, true), &memory{}).Run(context.Background(), c.emit)
	if err != nil || sum.Standing != "" || len(c.of(KindTrial)) > 0 {
		t.Errorf("%v, %+v", err, sum)
	}
	for _, e := range c.all {
		if e.Standing != "" {
			t.Fatalf("%+v", e)
		}
	}
}

// Who lost against a champion that fell may challenge again; who lost against the one that reigns again may not.
func TestDuelsOfTheFallenAreVoid(t *testing.T) {
	s := mustSearch(t, toyConfig(t, "hills"), newCourt(1), &memory{})
	id := func(i byte) kernels.ID { return kernels.ID{i} }
	for i := byte(1); i <= 4; i++ {
		s.pop.members[id(i)] = &member{id: id(i), score: float64(i)}
	}
	honest, cheat := s.pop.members[id(1)], s.pop.members[id(2)]
	s.pop.naive, s.reign.champion = honest, cheat
	s.reign.reigns = []*member{honest}
	for loser, champion := range map[*member]*member{s.pop.members[id(3)]: honest, s.pop.members[id(4)]: cheat} {
		s.reign.fought[[2]string{champion.id.Short(), loser.id.Short()}] = kernels.Duel{Verdict: kernels.Slower}
		s.reign.beaten[loser.id] = true
	}
	fallen := kernels.Trial{ID: cheat.id}
	fallen.Enter(kernels.Doubt{Part: kernels.TrialEmulated, Verdict: kernels.Failed, Outcome: kernels.Crashed})
	s.progress.outcomes = map[kernels.Outcome]int{kernels.OK: 4}
	cheat.code, s.pop.twins[id(5)] = "code", "code"
	for i, x := range []kernels.ID{honest.id, cheat.id, id(5)} {
		s.pop.demes[0].add(&mutate.Individual{ID: x, Index: i, Score: 1}, x == id(5))
	}
	s.reign.fall(cheat, fallen)
	if d := s.pop.demes[0]; len(d.best) != 1 || d.best[0].ID != honest.id || !math.IsInf(d.seen[1].Score, 1) ||
		!math.IsInf(d.seen[2].Score, 1) || d.seen[0].Score != 1 {
		t.Errorf("who fell, or its twin, is still bred or learned from: %d, %+v", len(d.best), d.seen)
	}
	if s.reign.champion != honest || !s.reign.beaten[id(3)] || s.reign.beaten[id(4)] ||
		s.pop.members[cheat.id] != nil || len(s.reign.reigns) != 0 {
		t.Errorf("champion %v, beaten %v", s.reign.champion.id.Short(), s.reign.beaten)
	}
	if s.progress.outcomes[kernels.OK] != 3 || s.progress.outcomes[kernels.Crashed] != 1 || s.progress.Best != 1 {
		t.Errorf("%+v", s.progress)
	}
}
