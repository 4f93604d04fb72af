package judgetest

import (
	"math/rand/v2"
	"testing"
)

// TestDiffer: sums in another order make no difference, also where nearly all of the error is underflow, which is left
// out; a digit that is lost does.
func TestDiffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 17))
	mostlyUnderflow := 0
	for i := range 500 {
		s := Random(rng, i)
		want := s.Want()
		if want.Frobenius == 0 || want.Ceiling >= 1e29 || want.Frobenius >= 1e29 || want.Underflow >= 1e29 {
			continue
		}
		whole := want.Frobenius + want.Underflow
		if want.Underflow > want.Frobenius {
			mostlyUnderflow++
		}
		for off, same := range map[float64]bool{0: true, 1e-12: true, -1e-12: true, 1e-9: false, -1e-9: false} {
			got := want
			got.Frobenius += off * whole
			if why := s.Differ(got); (why == "") != same && got.Pass() == want.Pass() {
				t.Fatalf("sample %d, off by %g of the whole error: %q", i, off, why)
			}
		}
	}
	if mostlyUnderflow == 0 {
		t.Error("no sample whose error is mostly underflow")
	}
}
