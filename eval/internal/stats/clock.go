package stats

import "fmt"

const (
	minClock     = 0.75 // of the greatest clock: below it the device throttles
	clockSpread  = 0.03 // around the block's median
	clockRetries = 3
)

// ClockGate rejects blocks of samples that were taken while the SM clock was low or moved. Power
// capping of heavy kernels stays above its bounds; pairing takes care of that.
type ClockGate struct {
	max      float64
	rejected int
}

// NewClockGate takes the device's greatest SM clock in MHz; 0 means unknown.
func NewClockGate(max float64) *ClockGate { return &ClockGate{max: max} }

// Accept judges a block by the SM clocks, in MHz, seen with its samples; zeros are unknown and say
// nothing. A nil error accepts the block; otherwise it is to be measured again unless Exhausted.
func (g *ClockGate) Accept(mhz []float64) error {
	if err := g.check(mhz); err != nil {
		g.rejected++
		return err
	}
	g.rejected = 0
	return nil
}

// Exhausted reports whether a block was rejected more often in a row than it is worth: the comparison
// is then ambiguous, nothing worse.
func (g *ClockGate) Exhausted() bool { return g.rejected > clockRetries }

func (g *ClockGate) check(mhz []float64) error {
	var known []float64
	for _, c := range mhz {
		if c > 0 {
			known = append(known, c)
		}
	}
	median := Median(known)
	for _, c := range known {
		if c < minClock*g.max {
			return fmt.Errorf("SM clock %.0f MHz is below %.0f %% of %.0f MHz", c, 100*minClock, g.max)
		}
		if c < median*(1-clockSpread) || c > median*(1+clockSpread) {
			return fmt.Errorf("SM clock %.0f MHz is more than %.0f %% from its block's %.0f MHz", c, 100*clockSpread, median)
		}
	}
	return nil
}
