package eval

import (
	"testing"

	"darwarp/kernels"
)

// TestUnseenTooSlow: a kernel that takes longer for inputs that are new has kept something of the others; a few
// percent, or an interval that is wide, say nothing.
func TestUnseenTooSlow(t *testing.T) {
	for _, c := range []struct {
		lo, ratio float64
		suspect   bool
	}{{1.6, 1.8, true}, {1.11, 1.12, true}, {1.05, 1.2, false}, {0.99, 1, false}, {0.7, 0.9, false}} {
		if why := unseenTooSlow("large", kernels.DuelRound{Lo: c.lo, Ratio: c.ratio}); (why != "") != c.suspect {
			t.Errorf("%g, at least %g: %q", c.ratio, c.lo, why)
		}
	}
}
