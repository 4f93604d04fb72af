// Package report writes figures, tables and sources for people.
package report

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"darwarp/kernels"
)

// scaled writes v with four significant digits and the first unit that keeps it below 1000.
func scaled(v float64, units ...string) string {
	i := 0
	for math.Abs(v) >= 999.95 && i < len(units)-1 {
		v /= 1000
		i++
	}
	return digits(v) + " " + units[i]
}

// digits writes v with four significant digits and no exponent: 1.234, 12.34, 123.4, 1234.
func digits(v float64) string {
	n := 3
	for a := math.Abs(v); a >= 9.9995 && n > 0; a /= 10 {
		n--
	}
	return strconv.FormatFloat(v, 'f', n, 64)
}

var timeUnits = []string{"ns", "us", "ms", "s"}

// Time writes nanoseconds: 12.34 us.
func Time(ns float64) string { return scaled(ns, timeUnits...) }

// Interval writes a median with its interval in the median's unit: 12.34 us [12.31, 12.40]. Where lo is hi there is
// none: one sample has no interval.
func Interval(median, lo, hi float64) string {
	scale, unit := 1.0, 0
	for median/scale >= 999.95 && unit < len(timeUnits)-1 {
		scale *= 1000
		unit++
	}
	if !(hi > lo) {
		return digits(median/scale) + " " + timeUnits[unit]
	}
	return fmt.Sprintf("%s %s [%s, %s]", digits(median/scale), timeUnits[unit], digits(lo/scale), digits(hi/scale))
}

// Flops writes operations per second: 712.3 TFLOP/s.
func Flops(perSecond float64) string {
	return scaled(perSecond, "FLOP/s", "KFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s")
}

// Bandwidth writes bytes per second in powers of 1000: 3.312 TB/s.
func Bandwidth(perSecond float64) string {
	return scaled(perSecond, "B/s", "KB/s", "MB/s", "GB/s", "TB/s")
}

// Work writes a number of operations: 137.4 GFLOP.
func Work(flops float64) string { return scaled(flops, "FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP") }

// Bytes writes a size in powers of 1024: 64 KiB.
func Bytes(n int) string {
	v, i := float64(n), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f %s", v, units[i])
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}

// Gain writes a factor that is near 1 with its interval: 1.234x [1.230, 1.238]. Where lo is hi there is none.
func Gain(ratio, lo, hi float64) string {
	if !(hi > lo) {
		return fmt.Sprintf("%.3fx", ratio)
	}
	return fmt.Sprintf("%.3fx [%.3f, %.3f]", ratio, lo, hi)
}

// Tolerance writes an error as a part of its tolerance: 0.25 of its tolerance. Of one that is far beyond it the digits
// say nothing, and NaN is infinitely wrong.
func Tolerance(v float64) string {
	if !(v < 1000) {
		return "over 1000 times its tolerance"
	}
	return fmt.Sprintf("%.2f of its tolerance", v)
}

// Ratio writes a speedup: 1.23x.
func Ratio(r float64) string {
	if r >= 99.95 {
		return fmt.Sprintf("%.0fx", r)
	}
	return fmt.Sprintf("%.2fx", r)
}

// Percent writes a share: 87.3%.
func Percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// Count writes an integer with thousands separators: 12,345.
func Count(n int) string { return kernels.Count(n) }

// Quantity writes how many there are of something: 1 kernel, 1,200 kernels.
func Quantity(n int, noun string) string { return kernels.Quantity(n, noun) }

// Duration writes a span to the second: 8h02m, 2m05s, 4.2s.
func Duration(d time.Duration) string { return kernels.Span(d) }
