package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
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
	base := kernels.BaselineResult{Name: "cublaslt", Kind: kernels.BaselineName, Times: own.Result.Times, Proof: key}
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

func TestTopIsSorted(t *testing.T) {
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		r := newRun(t)
		r.db.NoSync = true
		var want []kernels.Candidate
		for i := range 300 {
			c := candidate(i)
			if c.Result.Outcome == kernels.OK {
				c.Score = math.Exp(200 * rnd.NormFloat64()) // from subnormal to huge
				if c.Score == 0 || math.IsInf(c.Score, 0) || rnd.IntN(5) == 0 {
					c.Score = 1 // ties: the older comes first
				}
			}
			if err := r.Put(c, nil); err != nil {
				t.Fatal(err)
			}
			if c.Result.Outcome == kernels.OK {
				want = append(want, *c)
			}
		}
		slices.SortStableFunc(want, func(a, b kernels.Candidate) int {
			if a.Score < b.Score {
				return -1
			} else if a.Score > b.Score {
				return 1
			}
			return 0
		})
		same(t, "top 1000", must(r.Top(1000))(t), want)
		same(t, "top 7", must(r.Top(7))(t), want[:7])
		same(t, "best", must(r.Find("best"))(t), want[0])
		if err := r.Verify(); err != nil {
			t.Error(err)
		}
	}
}

func TestRankKeyOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	one := func() *kernels.Candidate {
		return &kernels.Candidate{Score: math.Float64frombits(1 + rnd.Uint64N(math.Float64bits(math.MaxFloat64))),
			Seq: 1 + rnd.IntN(1e9)}
	}
	for range 100_000 {
		a, b := one(), one()
		if got := bytes.Compare(rankKey(a), rankKey(b)) < 0; got != (a.Score < b.Score ||
			a.Score == b.Score && a.Seq < b.Seq) {
			t.Fatalf("%v %v", a, b)
		}
	}
}

func TestFind(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 300)
	c := *candidate(17)
	c.Seq = 18
	id := c.ID.String()
	for _, name := range []string{id, id[:20], id[:19], strings.ToUpper(id[:11])} {
		same(t, name, must(r.Find(name))(t), c)
	}
	if _, err := r.Find(id[:1]); !errors.Is(err, ErrAmbiguous) { // 300 IDs share 16 digits
		t.Errorf("ambiguous: %v", err)
	}
	if _, err := r.Find(id + "00"); !errors.Is(err, ErrNotFound) {
		t.Errorf("too long: %v", err)
	}
	if err := r.SetChampion(c.ID, "test"); err != nil {
		t.Fatal(err)
	}
	same(t, "champion", must(r.Find("champion"))(t), c)
}

func TestSeenCode(t *testing.T) {
	r := newRun(t)
	lost, first, second, none := candidate(0), candidate(1), candidate(2), candidate(4)
	lost.Result.Outcome, second.Result.Outcome = kernels.Lost, kernels.Duplicate
	lost.Result.Code, first.Result.Code, second.Result.Code, none.Result.Code = "abc", "abc", "abc", ""
	for _, c := range []*kernels.Candidate{lost, first, second, none} {
		if err := r.Put(c, nil); err != nil {
			t.Fatal(err)
		}
	}
	if id, ok := r.SeenCode("abc"); !ok || id != first.ID {
		t.Errorf("abc was first seen in %s, %v", id.Short(), ok)
	}
	for _, code := range []string{"", "abd", "ab"} {
		if id, ok := r.SeenCode(code); ok {
			t.Errorf("%q was seen in %s", code, id.Short())
		}
	}
	if err := r.Verify(); err != nil {
		t.Error(err)
	}
}

func TestEachMayUseTheRun(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, eachBatch+10)
	n := 0
	err := r.Each(func(c kernels.Candidate) error {
		n++
		if n == 1 {
			return r.Put(candidate(10_000), nil) // must not wait for the reader
		}
		return nil
	})
	if err != nil || n != eachBatch+10 {
		t.Errorf("%d candidates, %v", n, err)
	}
	stop := errors.New("stop")
	if err := r.Each(func(kernels.Candidate) error { return stop }); err != stop {
		t.Errorf("error of the function: %v", err)
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

func TestRecords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	noise := make([]byte, 5000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	for _, payload := range [][]byte{{}, {0}, []byte("{}"), noise, bytes.Repeat([]byte("darwarp "), 100_000)} {
		record := must(pack(payload))(t)
		if got := must(unpack(record))(t); !bytes.Equal(got, payload) {
			t.Errorf("%d bytes came back as %d", len(payload), len(got))
		}
		if len(record) > len(payload)+headerSize {
			t.Errorf("%d bytes became %d", len(payload), len(record))
		}
		for range 50 {
			bad := bytes.Clone(record)
			bad[rnd.IntN(len(bad))] ^= 1 << rnd.IntN(8)
			if _, err := unpack(bad); !errors.Is(err, ErrDamaged) {
				t.Fatalf("a flipped bit gave %v", err)
			}
		}
	}
	for _, short := range [][]byte{nil, {}, {'p'}, {'f', 0, 0, 0}} {
		if _, err := unpack(short); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes gave %v", len(short), err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for i := range 4 {
		record, err := encode(candidate(i))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		payload, err := unpack(record)
		if err != nil && !errors.Is(err, ErrDamaged) || err == nil && len(payload) > maxRecord {
			t.Errorf("%d bytes, %v", len(payload), err)
		}
	})
}
