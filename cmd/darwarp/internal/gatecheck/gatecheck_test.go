package gatecheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/evolve"
	"darwarp/kernels"
)

// gatekeeper answers as its tables say, by the names of the cheats; for what they do not name all goes well.
type gatekeeper struct {
	evolve.Evaluator
	device   kernels.Device
	outcomes map[string]kernels.Outcome
	duels    map[string]kernels.Duel
	falls    map[string]string // on trial, with the reason
}

func (g *gatekeeper) Device() kernels.Device { return g.device }
func (g *gatekeeper) Slots() int             { return 3 }

// called is the cheat or the way of a job.
func called(j *kernels.Job) string {
	for _, gene := range []string{"cheat", "way"} {
		if v, ok := j.Variant.Genes[gene]; ok {
			return v.String()
		}
	}
	return ""
}

func (g *gatekeeper) Capabilities() kernels.Capabilities { return kernels.Capabilities{} }

func (g *gatekeeper) Evaluate(_ context.Context, j *kernels.Job) (kernels.Result, error) {
	if o, ok := g.outcomes[called(j)]; ok {
		return kernels.Result{Outcome: o, Detail: "as the table says"}, nil
	}
	return kernels.Result{Outcome: kernels.OK}, nil
}

func (g *gatekeeper) Duel(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	if len(champion.Bar.Times()) == 0 || len(challenger.Bar.Times()) == 0 {
		return kernels.Duel{}, errors.New("a kernel that never ends is waited for")
	}
	if called(champion) != "none" || champion.Variant.Family != challenger.Variant.Family {
		return kernels.Duel{Verdict: kernels.Faster, Detail: "against the wrong rival"}, nil
	}
	return g.duels[called(challenger)], nil
}

// court is a gatekeeper that puts would-be champions on trial.
type court struct{ *gatekeeper }

func (c court) Capabilities() kernels.Capabilities { return kernels.Capabilities{Trial: c.Trial} }

func (c court) Trial(_ context.Context, j *kernels.Job, _ ...kernels.TrialPart) (kernels.Trial, error) {
	if len(j.Bar.Times()) == 0 {
		return kernels.Trial{}, errors.New("a kernel that never ends is waited for")
	}
	t := kernels.Trial{ID: j.ID}
	if why := c.falls[called(j)]; why != "" {
		t.Enter(kernels.Doubt{Part: kernels.TrialDisturbed, Verdict: kernels.Failed, Outcome: kernels.Flaky, Detail: why})
	}
	return t, nil
}

// tried judges some kernels of a problem and returns the verdicts by name.
func tried(t *testing.T, ev evolve.Evaluator, problem string, names ...string) map[string]Verdict {
	t.Helper()
	return filtered(t, ev, problem, gatetest.Filter{Kernels: names})
}

func filtered(t *testing.T, ev evolve.Evaluator, problem string, f gatetest.Filter) map[string]Verdict {
	t.Helper()
	b, err := gatetest.Bundle(problem)
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Cases(b, ev.Device())
	if err != nil {
		t.Fatal(err)
	}
	s := &session.Session{Evaluator: ev, Bundle: b, DType: b.Problem.DTypes[0], Workloads: b.Problem.DefaultWorkloads()}
	verdicts, err := gate{s, f}.judgeAll(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Verdict{}
	for _, v := range verdicts {
		out[v.Name] = v
	}
	if len(out) != len(f.Kernels) {
		t.Fatalf("%d verdicts for %v", len(out), f.Kernels)
	}
	return out
}

func TestCheatsFallAtTheirStage(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	g := &gatekeeper{
		device: dev,
		outcomes: map[string]kernels.Outcome{"fast_exp": kernels.Wrong, "static_local": kernels.Wrong,
			"online": kernels.Wrong, "no_barrier": kernels.Crashed},
		duels: map[string]kernels.Duel{
			"memo_in_scratch": {Verdict: kernels.Faster, Ratio: 0.5},
			"memo_of_hash":    {Verdict: kernels.Slower, Ratio: 1.2},
			"stores_changes": {Verdict: kernels.Ambiguous, Culprit: kernels.TheChallenger, Outcome: kernels.Suspect,
				Detail: "keeps answers"},
			"skips_verified_row": {Verdict: kernels.Ambiguous, Culprit: kernels.TheChampion, Outcome: kernels.Crashed},
		},
		falls: map[string]string{"no_first_barrier": "other bits"},
	}
	for _, tt := range []struct {
		name, said string
		held       bool
	}{
		{"fast_exp", "wrong", true},
		{"half_weights", "ok", false},
		{"static_local", "wrong", false}, // right, but not as its row asks
		{"no_barrier", "crash", true},    // before its stage
		{"memo_in_scratch", "ok, then faster", false},
		{"memo_of_hash", "ok, then slower", true},
		{"stores_changes", "ok, then suspect", true},
		{"skips_verified_row", "ok, then the honest one crash", false},
		{"no_first_barrier", "ok, then fell", true},
		{"dice", "ok, then stood", false},
		{"plain", "ok", true},
		{"online", "wrong", false},
	} {
		v := tried(t, court{g}, "softmax", tt.name)[tt.name]
		if v.Said != tt.said || v.Held != tt.held {
			t.Errorf("%s: %s, held %v (%s), expected %s, %v", tt.name, v.Said, v.Held, v.Detail, tt.said, tt.held)
		}
	}
	if v := tried(t, g, "softmax", "dice")["dice"]; v.Said != "ok, then not tried" || v.Held {
		t.Errorf("without trials: %s, held %v", v.Said, v.Held)
	}
}

// TestHonestOnTrial: an honest kernel that falls on trial was refused, if it was asked for a trial.
func TestHonestOnTrial(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	ev := court{&gatekeeper{device: dev, falls: map[string]string{"online": "other bits"},
		outcomes: map[string]kernels.Outcome{"fp64": kernels.Wrong}}}
	f := gatetest.Filter{Kernels: []string{"plain", "online", "fp64"}}
	for parts, want := range map[string]map[string]string{
		"":          {"plain": "ok true", "online": "ok true", "fp64": "wrong false"},
		"disturbed": {"plain": "ok, then stood true", "online": "ok, then fell false", "fp64": "wrong false"},
	} {
		f.Trial = strings.Fields(parts)
		for name, v := range filtered(t, ev, "softmax", f) {
			if got := fmt.Sprint(v.Said, " ", v.Held); got != want[name] {
				t.Errorf("parts %q: %s was %s, expected %s", parts, name, got, want[name])
			}
		}
	}
	v := tried(t, ev, "softmax", "plain")["plain"]
	if v.wants() != "[ok]" {
		t.Errorf("expected %s", v.wants())
	}
	if f.Trial = []string{"nosuch"}; f.Check() == nil {
		t.Error("an unknown part of a trial was accepted")
	}
}

func TestGateReport(t *testing.T) {
	r := newReport()
	r.Device = "a device"
	for _, v := range []Verdict{
		{Problem: "sum", Family: "cheat", Name: "zeros", Kind: gatetest.Power, Said: "wrong", Held: true},
		{Problem: "sum", Family: "cheat", Name: "keeps_97", Kind: gatetest.Power, Stage: gatetest.Gate, Said: "ok",
			About: "adds 97 %", Want: []kernels.Outcome{kernels.Wrong}},
		{Problem: "tiles", Family: "claim", Name: "claims_and_drops", Kind: gatetest.Power, Said: "wrong", Held: true},
		{Problem: "tiles", Family: "honest", Name: "plain", Said: "ok", Held: true},
	} {
		r.add(v)
	}
	var out bytes.Buffer
	r.Text(&out, 0)
	for _, want := range []string{
		"gate: 2/3 caught, 1/1 honest kernels accepted, on a device",
		"by kind: power 2/3",
		"sum cheat keeps_97 (adds 97 %): was ok, expected [wrong]",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if want := "sum cheat keeps_97 (adds 97 %): was ok, expected [wrong]"; !slices.Equal(r.Missed, []string{want}) {
		t.Errorf("missed: %q", r.Missed)
	}
	if r.OK() || r.Problems["sum"].Caught != (Score{1, 2}) || r.Problems["tiles"].Accepted != (Score{1, 1}) {
		t.Errorf("%+v", r)
	}
	if lines := strings.Split(out.String(), "\n"); !slices.ContainsFunc(lines,
		func(l string) bool { return strings.HasPrefix(l, "sum ") && strings.Contains(l, "ok (!)") }) {
		t.Errorf("what was not held is not marked:\n%s", out.String())
	}
}

// closer is a gatekeeper that somebody opens.
type closer struct{ *gatekeeper }

func (closer) Close() error { return nil }

// TestUnfitIsPassedOver: a folder whose check cannot be used ends the test with an error, but not before the others
// have had their turn. Whatever else goes wrong ends it at once.
func TestUnfitIsPassedOver(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fault  error
		tested []string
	}{{eval.ErrUnfit, []string{"softmax", "powers"}}, {errors.New("no device"), []string{"softmax"}}} {
		target := session.Target{Device: "cuda",
			Elsewhere: func(_ context.Context, s *session.Session, _ string) (session.Opened, error) {
				if strings.HasPrefix(s.Bundle.Problem.Name, "sum") {
					return nil, c.fault
				}
				return closer{&gatekeeper{device: dev}}, nil
			}}
		r, err := Run(t.Context(), target, gatetest.Filter{Problems: []string{"powers", "softmax", "sum"}},
			func(string, ...any) {})
		var tested []string
		for _, v := range r.Verdicts {
			tested = append(tested, v.Problem)
		}
		tested = slices.Compact(tested)
		if !errors.Is(err, c.fault) || !strings.Contains(err.Error(), "problem sum: ") ||
			!slices.Equal(tested, c.tested) {
			t.Errorf("%v: tested %q, %v", c.fault, tested, err)
		}
	}
}
