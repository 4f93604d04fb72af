package evolve

import (
	"context"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate"
)

// TestSampleGoesOnWhileLittleIsKnown: with many in flight the first sample is asked for before a verdict is known. It
// goes on until half of it works; where nothing else works it ends, too.
func TestSampleGoesOnWhileLittleIsKnown(t *testing.T) {
	small := func(job *kernels.Job) bool {
		return job.Variant.Genes["a"] == kernels.Int(1) && job.Variant.Genes["b"] == kernels.Int(1)
	}
	for _, tt := range []struct {
		name     string
		families []string
		slots    int
		works    func(job *kernels.Job) bool // nil: all
		sampled  int                         // points of the sample
	}{
		{"one at a time", []string{"hills"}, 1, nil, 11},
		{"four", []string{"hills"}, 4, nil, 11},
		// the naive start alone, then 22 more, and one for each of the four verdicts until six are known
		{"22", []string{"hills"}, 22, nil, 22 + 4},
		// 22 verdicts are known when the 44th is asked for
		{"22, hardly anything works", []string{"hills"}, 22, small, 22 + 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := toyConfig(t, tt.families...)
			cfg.Budget.Evals = 80
			ev := newFake(tt.slots, true)
			ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
				if tt.works != nil && !tt.works(job) {
					return kernels.Result{Outcome: kernels.Crashed}, nil
				}
				return works(job), nil
			}
			m := &memory{}
			mustRun(t, cfg, ev, m)
			n := 0
			for _, c := range m.candidates {
				if c.Origin.Operator == "spread" {
					n++
				}
			}
			if n != tt.sampled {
				t.Errorf("%d points of the sample, want %d", n, tt.sampled)
			}
		})
	}
}

// TestLiveOnlyWithoutOrder: where a seed fixes the search, what a model expects is not kept across verdicts, for no
// checkpoint has it.
func TestLiveOnlyWithoutOrder(t *testing.T) {
	for _, inOrder := range []bool{true, false} {
		x := mustSearch(t, toyConfig(t, "hills"), newFake(22, inOrder), &memory{}).proposer
		if p := x.brief(&mutate.Pool{}, x.pop.points()[0]); p.Live == inOrder {
			t.Errorf("answers in order: %v, live: %v", inOrder, p.Live)
		}
	}
}
