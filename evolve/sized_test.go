package evolve

import (
	"testing"

	"darwarp/kernels"
	"darwarp/mutate"
	"darwarp/templates"
)

// A family whose default the sizes refuse begins with the nearest point that they allow. The naive start may not give
// way.
func TestStartAtSizes(t *testing.T) {
	b, err := templates.Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Family("vectors")
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pins  kernels.Pins
		m     int
		start string // of block_m, empty: none
		runs  bool   // the default
	}{
		{nil, 8, "8", true},
		{nil, 48, "48", false},
		{kernels.Pins{"stages": {kernels.Int(2)}}, 8, "", true}, // a default that the user left out is not missed
	} {
		space, err := kernels.NewSpace(f, dev, kernels.FP16, c.pins, kernels.Dims{"m": c.m, "n": 512, "k": 512})
		if err != nil {
			t.Fatal(err)
		}
		d := newPointDeme(0, space, mutate.NewRecall(nil), nil)
		got := ""
		if d.start >= 0 {
			got = space.Genome(space.At(d.start))["block_m"].String()
		}
		if got != c.start || (d.checkDefault() == nil) != c.runs {
			t.Errorf("%d rows: starts with block_m %q, want %q; default: %v", c.m, got, c.start, d.checkDefault())
		}
	}
}
