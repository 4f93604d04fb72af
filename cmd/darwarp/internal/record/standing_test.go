package record

import (
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/store"
)

// A candidate that does not reign is told why: it lost its duels, or has fought none.
func TestChallengeText(t *testing.T) {
	run, err := store.Create(filepath.Join(t.TempDir(), "r.db"),
		store.Meta{Problem: "p", DType: kernels.FP32, Workloads: []kernels.Workload{{Name: "w", Weight: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	candidate := func(n byte, score float64) kernels.Candidate {
		c := kernels.Candidate{ID: kernels.ID{n}, Variant: kernels.Variant{Family: "f"}, Score: score,
			Result: kernels.Result{Outcome: kernels.OK}}
		if err := run.Put(&c, nil); err != nil {
			t.Fatal(err)
		}
		return c
	}
	champion, loser, waits, slow := candidate(1, 0.5), candidate(2, 0.4), candidate(3, 0.3), candidate(4, 0.9)
	if err := run.SetChampion(champion.ID, "the naive start"); err != nil {
		t.Fatal(err)
	}
	for _, d := range []kernels.Duel{
		{Champion: champion.ID.Short(), Challenger: loser.ID.Short(), Verdict: kernels.Same, Ratio: 1.01, Lo: 0.99, Hi: 1.02},
		{Champion: champion.ID.Short(), Challenger: loser.ID.Short(), Verdict: kernels.Ambiguous, Ratio: 0.99, Lo: 0.9,
			Hi: 1.1, Detail: "faster only on inputs it has seen"},
		{Champion: kernels.NaiveStart, ChampionKind: kernels.BaselineName, Challenger: waits.ID.Short(),
			Verdict: kernels.Faster, Ratio: 0.5, Lo: 0.4, Hi: 0.6},
		{Champion: kernels.NaiveStart, ChampionKind: kernels.StartName, Challenger: champion.ID.Short(),
			Verdict: kernels.Ambiguous, Ratio: 0.04, Lo: 0.01, Hi: 0.1}, // keeps pace, and is no fight
	} {
		if err := run.PutDuel(d); err != nil {
			t.Fatal(err)
		}
	}
	r := &Record{Run: run}
	for _, tt := range []struct {
		of   kernels.Candidate
		want string
	}{
		{champion, ""},
		{loser, "same as 0100000000, ratio 1.0100 [0.9900, 1.0200]; " +
			"ambiguous against 0100000000, ratio 0.9900 [0.9000, 1.1000]: faster only on inputs it has seen"},
		{waits, "none: it was measured faster than the champion 0100000000"},
		{slow, ""},
	} {
		got, err := r.ChallengeText(tt.of)
		if err != nil || !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q, %v", tt.of.ID.Short(), got, err)
		}
	}
}
