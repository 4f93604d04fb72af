package cases

import (
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// TestFinishedTerms: where scales hold roundings as shares of the error of a sum of all terms, a sum of few that count
// has that error.
func TestFinishedTerms(t *testing.T) {
	p := kernelstest.Problem(t, kernelstest.Product)
	for _, c := range []struct {
		class       string
		finished    bool
		k, longerOf int
	}{
		{"normal", false, 4096, 0}, {"normal", true, 4096, 0},
		{kernels.Single, false, 2, 0}, {kernels.Single, true, 4096, 0},
		{kernels.Needles, false, device.MostNeedles, 4096}, {kernels.Needles, true, 4096, 0},
	} {
		p.Check.Finished = c.finished
		one := &device.Case{Dims: kernels.Dims{"m": 8, "n": 8, "k": 4096}, Class: c.class, Terms: device.TermsOf(p)}
		if n, err := terms(p, kernels.FP16, one); err != nil || n.K != c.k || n.Chain != c.longerOf {
			t.Errorf("%s, finished %v: %+v, %v; expected %d of %d", c.class, c.finished, n, err, c.k, c.longerOf)
		}
	}
}
