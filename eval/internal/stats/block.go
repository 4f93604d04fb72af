package stats

import (
	"fmt"
	"math"
	"slices"
)

// Block is the pairs of a duel that were taken in one go, with the SM clock in MHz during each sample; a clock that
// is 0 or missing is unknown.
type Block struct {
	A, B           []float64
	ClockA, ClockB []float64
}

// Calm is what blocks of a duel look like while nothing disturbs them.
type Calm struct {
	// interquartile range of the log ratios of a kernel against itself; 0: unknown and not used
	Spread         float64
	Capped         bool    // the power limit holds the clocks down, as under a heavy kernel: its own speed
	clockA, clockB float64 // the highest medians of blocks before
}

// Limits for a calm block. Medians easily tolerate a quarter of disturbed samples, and a block must have several.
// Three quarters of the clock is below the clock of a GPU at its power limit under the heaviest kernels. 1.5 times as
// long is far beyond the noise of any kernel, and less than a time slice of another process adds.
const (
	mostDisturbed = 0.25
	lowClock      = 0.75
	longSample    = 1.5
	leastSpread   = 0.05
	usualSpreads  = 4
)

// Disturbed says in a few words why a block is not to be used, empty if it is usable: throttled (the clock of a side
// was low), stolen (a side's samples take long now and then, as they do when others use the device) or noisy.
func (c *Calm) Disturbed(b Block) string {
	if !c.Capped {
		for _, side := range []struct {
			mhz   []float64
			usual float64
		}{{b.ClockA, c.clockA}, {b.ClockB, c.clockB}} {
			if low, of := fallen(side.mhz, side.usual); low > 0 {
				return fmt.Sprintf("throttled: SM clock %.0f of %.0f MHz", low, of)
			}
		}
	}
	for _, side := range [][]float64{b.A, b.B} {
		if n := above(side, longSample*Median(side)); float64(n) > mostDisturbed*float64(len(side)) {
			return fmt.Sprintf("stolen: %d of %d samples took 1.5 times as long or more", n, len(side))
		}
	}
	if s := b.Spread(); c.Spread > 0 && s > max(leastSpread, usualSpreads*c.Spread) {
		return fmt.Sprintf("noisy: ratios spread by %.1f %%, of a kernel against itself by %.1f %%", 100*s, 100*c.Spread)
	}
	return ""
}

// Learn adds a calm block.
func (c *Calm) Learn(b Block) {
	c.clockA, c.clockB = max(c.clockA, median(b.ClockA)), max(c.clockB, median(b.ClockB))
}

// Spread is the interquartile range of the pairs' log ratios.
func (b Block) Spread() float64 {
	var logs []float64
	for i := range min(len(b.A), len(b.B)) {
		if r := math.Log(b.B[i] / b.A[i]); !math.IsNaN(r) && !math.IsInf(r, 0) {
			logs = append(logs, r)
		}
	}
	slices.Sort(logs)
	if len(logs) < 4 {
		return 0
	}
	return Quantile(logs, 0.75) - Quantile(logs, 0.25)
}

// fallen is the median of the clocks and their normal value, if too many are far below it; else zeros.
func fallen(mhz []float64, usual float64) (low, of float64) {
	known := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(mhz), func(c float64) bool { return !(c > 0) })))
	if len(known) == 0 {
		return 0, 0
	}
	of = max(usual, Quantile(known, 0.9))
	n := 0
	for _, c := range known {
		if c < lowClock*of {
			n++
		}
	}
	if float64(n) <= mostDisturbed*float64(len(known)) {
		return 0, 0
	}
	return Quantile(known, mostDisturbed), of
}

func above(values []float64, limit float64) (n int) {
	for _, v := range values {
		if v > limit {
			n++
		}
	}
	return n
}

// median is Median, and 0 if there are no values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return Median(values)
}
