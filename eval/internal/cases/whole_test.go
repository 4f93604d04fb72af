package cases

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// TestWhole: ints without a range are large in a case of every candidate and in one of trials, and none are where the
// problem has a range, has no huge numbers, or where sums of them could be held nowhere.
func TestWhole(t *testing.T) {
	ints := strings.Replace(kernelstest.Product, `shape = ["m", "k"]`, "shape = [\"m\", \"k\"]\ndtype = \"int32\"", 1)
	for _, test := range []struct {
		name, text   string
		whole        float64
		rangeless    bool
		gated, trial int
	}{
		{"ints", ints, 1 << 20, true, 1, 1},
		{"nothing fits", ints, 0, true, 0, 0},
		{"a range", strings.Replace(ints, `dtype = "int32"`, "dtype = \"int32\"\nrange = [0, 9]", 1), 0, false, 0, 0},
		{"none huge", strings.Replace(ints, "[check]", "[check]\nwithout = [\"huge\"]", 1), 0, false, 0, 0},
		{"floats", kernelstest.Product, 0, false, 0, 0},
	} {
		p := kernelstest.Problem(t, test.text)
		w := Wanted{Problem: p, DType: kernels.FP16, Workloads: p.Workloads[1:], Effort: OnGPU(1 << 36),
			RNG: rand.New(rand.NewPCG(1, 2)), Powers: map[string]Power{p.Workloads[1].Name: {Whole: test.whole}}}
		s, err := New(w)
		if err != nil {
			t.Fatal(err)
		}
		gated, trial := 0, 0
		for i := range s.List {
			c := &s.List[i]
			switch {
			case c.Whole == 0:
			case c.Trial:
				trial++
			default:
				gated++
				if c.Dims["k"] != p.Workloads[1].Dims["k"] {
					t.Errorf("%s: sums of %v, and not as long as the workload's", c.Name, c.Dims)
				}
			}
			a := &c.Buffers[0]
			if a.Drawn == nil && c.Whole > 0 != c.Draws(a) {
				t.Errorf("%s: whole numbers are drawn: %v", c.Name, c.Draws(a))
			}
			if d := c.Drawn(a); c.Whole > 0 && (d.Low != -1<<27 || d.High != 1<<20 || d.How != kernels.Unbounded) {
				t.Errorf("%s: numbers %+v", c.Name, d)
			}
		}
		if w.rangeless() != test.rangeless || gated != test.gated || trial != test.trial {
			t.Errorf("%s: without a range: %v, %d gated, %d on trial", test.name, w.rangeless(), gated, trial)
		}
	}
}

// TestWholeBits: sums of which each number counts so many times get numbers that fp32 rounds among the few that are far
// larger, as long as the sums have room for them at all.
func TestWholeBits(t *testing.T) {
	ints := strings.Replace(kernelstest.Product, `shape = ["m", "k"]`, "shape = [\"m\", \"k\"]\ndtype = \"int32\"", 1)
	p := kernelstest.Problem(t, ints)
	for times, want := range map[float64]float64{0.5: 1 << 30, 30: 1 << 24, 900: 1 << 20, 1500: 1 << 19, 4000: 1 << 18,
		8000: 1 << 17, 1e9: 0} {
		q := &Prover{Wanted: Wanted{Problem: p, DType: kernels.FP16, RNG: rand.New(rand.NewPCG(1, 2))}}
		q.Ask = func(_ context.Context, proof *device.Proof) (device.ProofReply, error) {
			return device.ProofReply{Largest: proof.Case.Whole * times}, nil
		}
		got, err := q.whole(t.Context(), p.Workloads[0].Dims)
		if err != nil || got != want {
			t.Errorf("sums of %v times a number: numbers to %v, %v; expected %v", times, got, err, want)
		}
		a := device.Case{Whole: got}
		if d := a.Drawn(&kernels.Buffer{}); got >= 1<<18 && d.Low > -1<<25 {
			t.Errorf("numbers to %v: none beyond %v", got, -d.Low)
		}
	}
}
