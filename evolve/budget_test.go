package evolve

import (
	"math"
	"testing"
	"time"
)

// TestLargeBudgets: what cannot be counted is refused, and what can be is never a time before now.
func TestLargeBudgets(t *testing.T) {
	s := &steering{}
	for _, b := range []Budget{{Evals: 1}, {Evals: math.MaxInt}, {For: 1}, {For: math.MaxInt64},
		{Evals: 5, For: time.Hour}} {
		for _, c := range []Command{{Evals: math.MaxInt}, {For: math.MaxInt64}, {Evals: 1}, {For: 1}, {Evals: 7, For: 7}} {
			more, note, err := s.extend(b, c)
			if err == nil && (more.Evals < b.Evals || more.For < b.For || note == "") || err != nil && more != b {
				t.Errorf("%+v and %+v is %+v (%s), %v", b, c, more, note, err)
			}
		}
	}
	for _, rate := range []float64{1e-300, 1e-9, 1, 1e9} {
		if left := (Budget{Evals: math.MaxInt}).eta(0, 0, rate); left <= 0 {
			t.Errorf("at %g a second %s are left", rate, left)
		}
	}
}
