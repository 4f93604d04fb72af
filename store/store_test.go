package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/kernels"
)

// ownSource is a candidate of no family.
func ownSource() *kernels.Candidate {
	own := candidate(0)
	own.Variant = kernels.Variant{Source: "__global__ void k() {}",
		Plan: &kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: "k", Grid: []string{"1"}, Block: []string{"32"},
			Args:       []string{"a", "a_boxes"},
			TensorMaps: []kernels.TensorMapSpec{{Name: "a_boxes", Tensor: "a", Box: []string{"1", "n / 2"}, Swizzle: "64"}}}}},
		Acc: kernels.FP32}
	return own
}

func testProvenance() kernels.Provenance {
	return kernels.Provenance{Device: testMeta().Device, Protocol: "1", DType: kernels.FP16, CacheMode: "hot",
		Ceilings: &kernels.Ceilings{Bandwidth: 3e12}}
}

func TestRoundTrip(t *testing.T) {
	r := newRun(t)
	own := ownSource()
	put := []*kernels.Candidate{own, candidate(1), candidate(2), candidate(3)}
	for i, c := range put {
		if err := r.Put(c, fmt.Appendf(nil, "state %d", i)); err != nil {
			t.Fatal(err)
		}
		if c.Seq != i+1 {
			t.Errorf("candidate %d has Seq %d", i, c.Seq)
		}
	}
	proof := testProvenance()
	key := must(r.PutProvenance(proof))(t)
	must(r.PutProvenance(proof))(t)
	duel := kernels.Duel{Champion: "a", Challenger: "b", Ratio: 0.9, Verdict: kernels.Faster,
		Rounds: []kernels.DuelRound{{Workload: "square", Pairs: 10}}}
	base := kernels.BaselineResult{Name: "cublaslt", Kind: kernels.BaselineName, Times: own.Result.Times, Provenance: key}
	if err := errors.Join(r.PutDuel(duel), r.PutDuel(kernels.Duel{Champion: "c"}), r.PutBaseline(base),
		r.SetChampion(own.ID, "first"), r.SetChampion(put[2].ID, "faster by 10 %")); err != nil {
		t.Fatal(err)
	}

	r = reopen(t, r)
	same(t, "meta", r.Meta(), testMeta())
	sameCandidates(t, r, put)
	same(t, "counts", r.Counts(), map[kernels.Outcome]int{kernels.OK: 3, kernels.Wrong: 1})
	same(t, "checkpoint", string(must(r.Checkpoint())(t)), "state 3")
	same(t, "provenance", must(r.Provenance(key))(t), proof)
	same(t, "duels", must(r.Duels())(t), []kernels.Duel{duel, {Champion: "c"}})
	same(t, "baselines", must(r.Baselines())(t), []kernels.BaselineResult{base})
	history := must(r.Champions())(t)
	same(t, "history", []any{len(history), history[0].ID, history[0].Why, history[1].ID},
		[]any{2, own.ID, "first", put[2].ID})
	if id, ok := r.Champion(); !ok || id != put[2].ID {
		t.Errorf("champion %s, %v", id.Short(), ok)
	}
	if err := r.Verify(); err != nil {
		t.Error(err)
	}
}

// sameCandidates reads candidates one by one and all together.
func sameCandidates(t *testing.T, r *Run, want []*kernels.Candidate) {
	t.Helper()
	for _, c := range want {
		same(t, "candidate", must(r.Get(c.ID))(t), *c)
	}
	i := 0
	if err := r.Each(func(c kernels.Candidate) error { same(t, "each", c, *want[i]); i++; return nil }); err != nil ||
		i != len(want) {
		t.Errorf("Each gave %d candidates and %v", i, err)
	}
	same(t, "len", r.Len(), len(want))
}

func TestEmptyRun(t *testing.T) {
	r := newRun(t)
	if _, ok := r.Champion(); ok || r.Len() != 0 || len(r.Counts()) != 0 || must(r.Checkpoint())(t) != nil ||
		len(must(r.Top(5))(t)) != 0 {
		t.Error("an empty run has something in it")
	}
	for _, name := range []string{"best", "champion", "00", "", "xyz"} {
		if _, err := r.Find(name); !errors.Is(err, ErrNotFound) {
			t.Errorf("Find(%q): %v", name, err)
		}
	}
	if _, err := r.Get(hash("id", 1)); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	if _, err := r.Provenance("none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Provenance: %v", err)
	}
	if err := r.SetChampion(hash("id", 1), "no such"); !errors.Is(err, ErrNotFound) {
		t.Errorf("SetChampion: %v", err)
	}
	if info, err := os.Stat(r.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(r.path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPutRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *kernels.Candidate)
		want   string
	}{
		{"no ID", func(c *kernels.Candidate) { c.ID = kernels.ID{} }, "without an ID"},
		{"no verdict", func(c *kernels.Candidate) { c.Result.Outcome = kernels.Unknown }, "no verdict"},
		{"no score", func(c *kernels.Candidate) { c.Score = 0 }, "positive"},
		{"negative score", func(c *kernels.Candidate) { c.Score = -1 }, "positive"},
		{"NaN score", func(c *kernels.Candidate) { c.Score = math.NaN() }, "positive"},
		{"infinite score", func(c *kernels.Candidate) { c.Score = math.Inf(1) }, "positive"},
		{"NaN time", func(c *kernels.Candidate) { c.Result.Times[0].Lo = math.NaN() }, "NaN"},
		{"same ID", func(c *kernels.Candidate) { c.ID = hash("id", 0) }, "exists already"},
	}
	r := newRun(t)
	fill(t, r, 0, 1)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := candidate(1)
			tt.change(c)
			err := r.Put(c, []byte("must not be stored"))
			if err == nil || !strings.Contains(err.Error(), tt.want) || c.Seq != 0 {
				t.Errorf("Seq %d, error %v: expected %q", c.Seq, err, tt.want)
			}
		})
	}
	same(t, "checkpoint", string(must(r.Checkpoint())(t)), "state after 0")
	if err := r.Put(candidate(1), nil); err != nil || r.Len() != 2 {
		t.Errorf("a good one afterwards: %v, %d candidates", err, r.Len())
	}
	same(t, "a nil checkpoint keeps the last", string(must(r.Checkpoint())(t)), "state after 0")
	if err := errors.Join(r.PutCheckpoint([]byte("drained")), r.Verify()); err != nil {
		t.Error(err)
	}
	same(t, "checkpoint alone", string(must(r.Checkpoint())(t)), "drained")
}

// A champion's stamp goes with that of its candidate, whatever the time of day is now.
func TestChampionsAreStampedLikeCandidates(t *testing.T) {
	r := newRun(t)
	for i, at := range []time.Time{time.Now().Add(-time.Hour), time.Now().Add(400 * 24 * time.Hour)} {
		c := candidate(i)
		c.At = at.UTC()
		if err := errors.Join(r.Put(c, nil), r.SetChampion(c.ID, "test")); err != nil {
			t.Fatal(err)
		}
		all, err := r.Champions()
		if err != nil || len(all) != i+1 {
			t.Fatal(all, err)
		}
		if d := all[i].At.Sub(c.At); d < 0 || d > time.Minute {
			t.Errorf("crowned %v after it was judged", d)
		}
	}
}

func TestConcurrentReaders(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 50)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				n := r.Len()
				top, err := r.Top(10)
				if err != nil || len(top) != 10 || !slices.IsSortedFunc(top,
					func(a, b kernels.Candidate) int { return bytes.Compare(rankKey(&a), rankKey(&b)) }) {
					t.Errorf("top: %d, %v", len(top), err)
					return
				}
				sum := 0
				for _, c := range r.Counts() {
					sum += c
				}
				if sum < n {
					t.Errorf("%d counted, %d stored before", sum, n)
				}
			}
		})
	}
	fill(t, r, 50, 600)
	close(done)
	wg.Wait()
	if err := r.Verify(); err != nil {
		t.Error(err)
	}
}

// TestPutAll: several are stored in order, or none of them.
func TestPutAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.run")
	r := must(Create(path, testMeta()))(t)
	all := []*kernels.Candidate{candidate(0), candidate(1), candidate(2)}
	if err := r.PutAll(all, []byte("three")); err != nil {
		t.Fatal(err)
	}
	if err := r.PutAll([]*kernels.Candidate{candidate(3), candidate(1)}, []byte("five")); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if err := r.PutAll([]*kernels.Candidate{candidate(4), {}}, []byte("five")); err == nil {
		t.Error("stored a candidate without an ID")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = must(Open(path))(t)
	defer r.Close()
	if state := must(r.Checkpoint())(t); r.Len() != 3 || string(state) != "three" {
		t.Errorf("%d stored, checkpoint %q", r.Len(), state)
	}
	for i := range 3 {
		if c := must(r.Get(hash("id", i)))(t); c.Seq != i+1 || all[i].Seq != i+1 {
			t.Errorf("candidate %d: Seq %d and %d", i, c.Seq, all[i].Seq)
		}
	}
}
