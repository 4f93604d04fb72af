package store

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

func TestTopIsSorted(t *testing.T) {
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		r := newRun(t)
		r.db.NoSync = true
		var want []kernels.Candidate
		for i := range 2 * eachBatch {
			c := candidate(i)
			if c.Result.Outcome == kernels.OK {
				c.Score = math.Exp(8 * rnd.NormFloat64()) // over all that is admitted
				if c.Score < 1e-15 || c.Score > 1e15 || rnd.IntN(5) == 0 {
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
		same(t, "lowest score", must(r.Find("lowest-score"))(t), want[0])
		same(t, "best without a champion", must(r.Find("best"))(t), want[0])
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
	same(t, "best", must(r.Find("best"))(t), c)
	if low := must(r.Find("lowest-score"))(t); low.ID == c.ID || low.Score > c.Score {
		t.Errorf("the lowest score is %g of %s, the champion's %g", low.Score, low.ID.Short(), c.Score)
	}
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
