package evolve

import (
	"context"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// everyCommand steers a search before so many verdicts are asked for.
func everyCommand(t *testing.T, m *memory) map[int]func(*Search) {
	return map[int]func(*Search){
		30: func(s *Search) { mustSteer(t, s, Command{Do: "pin", ID: m.candidates[3].ID}) },
		40: func(s *Search) { mustSteer(t, s, Command{Do: "kill", ID: m.candidates[0].ID}) },
		45: func(s *Search) { mustSteer(t, s, Command{Do: "weigh", Weights: map[string]float64{"small": 50}}) },
		50: func(s *Search) { mustSteer(t, s, Command{Do: "add", Evals: 20}) },
		52: func(s *Search) {
			mustSteer(t, s, Command{Do: "inject", Variant: &kernels.Variant{Family: "hills", Genes: genes(2, 8, "x")}})
		},
	}
}

// TestResumeKeepsSteering cuts a steered run after every command and later: what is resumed must go on
// as the run that was not stopped.
func TestResumeKeepsSteering(t *testing.T) {
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 90
	whole := &memory{}
	ev := newWeighing(1)
	want, _ := steered(t, cfg, ev, ev.fake, whole, everyCommand(t, whole))
	if want.Evals != 110 {
		t.Fatalf("%+v", want)
	}
	for _, cut := range []int{53, 55, 61, 74, 90, 105} {
		killed := steeredUntil(t, cfg, cut)
		data, _ := killed.Checkpoint()
		if asked, err := ReadSteering(data); err != nil || !slices.Contains(asked.Pins, killed.candidates[3].ID) ||
			asked.Budget == nil || asked.Budget.Evals != 110 {
			t.Errorf("cut after %d: the checkpoint tells %+v, %v", cut, asked, err)
		}
		got := mustRun(t, cfg, newWeighing(1), killed)
		if a, b := killed.story(), whole.story(); !slices.Equal(a, b) {
			t.Fatalf("cut after %d: the story differs:\n%s\n-- instead of --\n%s", cut, strings.Join(a, "\n"),
				strings.Join(b, "\n"))
		}
		if got.Champion != want.Champion || got.Best != want.Best || !slices.Equal(killed.champions, whole.champions) {
			t.Fatalf("cut after %d: %+v, want %+v", cut, got, want)
		}
	}
}

// steeredUntil is what a steered run had stored after so many verdicts.
func steeredUntil(t *testing.T, cfg Config, cut int) (killed *memory) {
	t.Helper()
	m, ev := &memory{}, newWeighing(1)
	at := everyCommand(t, m)
	s := mustSearch(t, cfg, ev, m)
	answer, n := ev.answer, 0
	ev.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		if n++; at[n] != nil {
			at[n](s)
		}
		return answer(ctx, job)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := s.Run(ctx, func(e Event) {
		if e.Kind == KindResult && e.Candidate.Seq == cut {
			killed = m.clone()
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return killed
}
