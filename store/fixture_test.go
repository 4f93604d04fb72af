package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"

	"darwarp/kernels"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "writer":
		writeForEver(os.Args[len(os.Args)-1])
	case "full":
		fillUp(os.Args[len(os.Args)-1])
	case "forger":
		forge(os.Args[len(os.Args)-1])
	case "intruder":
		intrude(os.Args[len(os.Args)-1])
	}
	goleak.VerifyTestMain(m)
}

// Top gives at most n candidates that are OK, best first.
func (r *Run) Top(n int) (best []kernels.Candidate, err error) {
	enough := errors.New("enough")
	err = r.EachTop(func(c kernels.Candidate) error {
		if len(best) == n {
			return enough
		}
		best = append(best, c)
		return nil
	})
	if errors.Is(err, enough) {
		err = nil
	}
	return best, err
}

// testMeta is a run with a bundle.
func testMeta() Meta {
	return Meta{
		Version: "v1.2.3", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Problem: "gemm",
		Files: map[string][]byte{"problem.toml": []byte("name = \"gemm\"\n"), "reference.cu": {0, 1, 0xff}},
		DType: kernels.FP16, Workloads: []kernels.Workload{{Name: "square", Dims: kernels.Dims{"m": 512}, Weight: 1}},
		Device: kernels.Device{CC: 90, Kind: "cuda", Name: "H100"}, Strategy: "evolve", Seed: math.MaxUint64,
		Pins:  kernels.Pins{"stages": {kernels.Int(3)}, "loader": {kernels.String("tma")}, "swizzle": {kernels.Bool(true)}},
		Cache: "hot", Budget: Budget{Evals: 100, For: 8 * time.Hour, Stall: 10},
	}
}

// hash is a stand-in for IDs and machine code.
func hash(kind string, i int) [32]byte { return sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, i)) }

// candidate makes the i-th realistic candidate, about 2 KB of JSON; every fourth one is not OK.
func candidate(i int) *kernels.Candidate {
	r := rand.New(rand.NewPCG(1, uint64(i)))
	c := &kernels.Candidate{
		ID: hash("id", i), At: time.Unix(1.8e9+int64(i), 123456789).UTC(), Score: 0.2 + r.Float64(),
		Variant: kernels.Variant{Family: "wgmma", Genes: kernels.Genome{
			"block_m": kernels.Int(64 << r.IntN(3)), "block_n": kernels.Int(64 << r.IntN(3)), "block_k": kernels.Int(64),
			"stages": kernels.Int(2 + r.IntN(4)), "loader": kernels.String("tma"), "swizzle": kernels.Bool(r.IntN(2) == 0),
			"split_k": kernels.Int(1 + r.IntN(8)), "schedule": kernels.String("persistent"),
		}},
		Origin: kernels.Origin{Operator: "crossover", Parents: []kernels.ID{hash("id", i/2), hash("id", i/3)},
			Generation: i / 20, Note: "stages 3 -> 4, block_m 64 -> 128"},
		Result: kernels.Result{
			Outcome: kernels.OK, Code: fmt.Sprintf("%x", hash("code", i)), Provenance: "0123456789abcdef",
			Resources: []kernels.Resources{{Entry: "gemm", Registers: 168, DynamicSmem: 196608, BlocksPerSM: 1,
				Occupancy: 0.1875}},
			Gate: &kernels.GateReport{Checks: 24, Elements: 24 << 20, Worst: r.Float64(), Where: "m=512,n=512,k=64 normal",
				Frobenius: 1e-4 * r.Float64()},
			Cost: kernels.Cost{Compile: r.Float64(), Gate: r.Float64(), Time: r.Float64(), Wait: r.Float64()},
		},
	}
	for w := range 5 {
		c.Result.Times = append(c.Result.Times, kernels.Timing{Workload: fmt.Sprintf("llama-ffn-%d", w),
			Median: 1e5 * r.Float64(),
			Lo:     1e5 * r.Float64(), Hi: 1e5 * r.Float64(), Samples: 31, Cache: "hot", Tier: "fitness", Clock: 1755})
	}
	if i%4 == 3 {
		c.Score, c.Result.Outcome, c.Result.Times = 0, kernels.Wrong, nil
		c.Result.Detail = "out[17] is 3: expected 4"
	}
	return c
}

func newRun(t testing.TB) *Run {
	t.Helper()
	r, err := Create(filepath.Join(t.TempDir(), "test.run"), testMeta())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// fill puts candidates [from, to) without waiting for the disk.
func fill(t testing.TB, r *Run, from, to int) {
	t.Helper()
	r.db.NoSync = true
	defer func() { r.db.NoSync = false }()
	for i := from; i < to; i++ {
		if err := r.Put(candidate(i), fmt.Appendf(nil, "state after %d", i)); err != nil {
			t.Fatal(err)
		}
	}
}

func reopen(t *testing.T, r *Run) *Run {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(r.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

// verify opens a file that nobody writes, as it is, and verifies it.
func verify(path string) error {
	r, err := open(path, false)
	if err != nil {
		return err
	}
	return errors.Join(r.Verify(), r.Close())
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
