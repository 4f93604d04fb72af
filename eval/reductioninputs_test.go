package eval

import (
	"slices"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// shortRows is scored where rows are short, but longer than what is drawn as a handful.
var shortRows = kernels.Dims{"rows": 64, "cols": 257}

// TestReductionInputs: the points whose threads add the most numbers one after the other are right on every class and
// at all sizes that a session draws for short rows, up to the longest ones.
func TestReductionInputs(t *testing.T) {
	pool, b := openOn(t, "reduction", kernels.FP32, shortRows, func(w cases.Wanted) (*cases.Set, error) {
		s, err := cases.New(w)
		if err != nil {
			return nil, err
		}
		return withClasses(s, []kernels.Dims{{"rows": 20, "cols": 1 << 16}, {"rows": 3, "cols": 50257}},
			slices.Concat(w.Ordinary(true), w.Hard(), []string{device.Mixed}))
	})
	for _, genes := range []string{"threads=64", "threads=64 vector=4 sums=one",
		"threads=64 split=spread blocks_per_sm=1"} {
		job := pointOf(t, pool, b, genes)
		if r := judgeOn(t, pool, &job, everyCase(pool)); r.Outcome != kernels.Unknown {
			t.Errorf("%s is %v: %s", genes, r.Outcome, r.Detail)
		}
	}
}
