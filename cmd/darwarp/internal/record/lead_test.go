package record

import (
	"path/filepath"
	"testing"

	"darwarp/kernels"
	"darwarp/store"
)

// TestLead: a duel that a noisy machine ended without a pair says nothing, neither that the champion is as fast as the
// baseline nor that it leads.
func TestLead(t *testing.T) {
	const blas = "cublaslt"
	champion := kernels.Candidate{ID: kernels.ID{1}, Variant: kernels.Variant{Family: "f"}, Score: 0.1,
		Result: kernels.Result{Outcome: kernels.OK}}
	duel := func(with string, ratio, round float64) kernels.Duel {
		return kernels.Duel{Champion: with, ChampionKind: kernels.BaselineName, Challenger: champion.ID.Short(),
			Ratio: ratio, Rounds: []kernels.DuelRound{{Workload: "w", Cache: "hot", Ratio: round}}}
	}
	noisy := duel(blas, 1, 0)
	for _, tt := range []struct {
		name  string
		duels []kernels.Duel
		lead  float64
		over  string
	}{
		{"none", nil, 10, "the naive start"},
		{"the strongest", []kernels.Duel{duel(blas, 0.5, 0.5), duel("torch", 0.25, 0.25)}, 2, blas},
		{"noise", []kernels.Duel{noisy}, 0, blas + ", too noisy to compare"},
		{"noise, and a weaker one", []kernels.Duel{noisy, duel("torch", 0.25, 0.25)}, 0, blas + ", too noisy to compare"},
		{"noise at first", []kernels.Duel{noisy, duel(blas, 0.5, 0.5)}, 2, blas},
		{"noise the second time", []kernels.Duel{duel(blas, 0.5, 0.5), noisy}, 2, blas},
	} {
		run, err := store.Create(filepath.Join(t.TempDir(), "r.db"), store.Meta{Problem: "p", DType: kernels.FP32,
			Cache: "hot", Workloads: []kernels.Workload{{Name: "w", Weight: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if err := run.Put(&champion, nil); err != nil {
			t.Fatal(err)
		}
		if err := run.SetChampion(champion.ID, "the naive start"); err != nil {
			t.Fatal(err)
		}
		for _, d := range tt.duels {
			if err := run.PutDuel(d); err != nil {
				t.Fatal(err)
			}
		}
		lead, over, err := (&Record{Run: run}).Lead(champion.ID)
		if err != nil || lead != tt.lead || over != tt.over {
			t.Errorf("%s: %g over %s, %v; want %g over %s", tt.name, lead, over, err, tt.lead, tt.over)
		}
	}
}
