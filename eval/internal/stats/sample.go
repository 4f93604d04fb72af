package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Quantile is the q-quantile of sorted values, linear between neighbours; NaN if there are none.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-2)
	if i < 0 {
		return sorted[0]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// Median is the middle of the values, in any order; NaN if there are none.
func Median(values []float64) float64 {
	return Quantile(slices.Sorted(slices.Values(values)), 0.5)
}

// Interval is the median with its 95 % interval from order statistics, which holds for any distribution. Fewer than
// six samples are not enough: then it is their whole range.
func Interval(values []float64) (median, lo, hi float64) {
	if len(values) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
	return s.Center, max(s.Lo, slices.Min(values)), min(s.Hi, slices.Max(values))
}

// Noise is the relative standard error of the median of sorted values: 1.25*IQR/(median*sqrt(n)), in which the
// interquartile range makes it robust against spikes. +Inf below two values.
func Noise(sorted []float64) float64 {
	if len(sorted) < 2 {
		return math.Inf(1)
	}
	iqr := Quantile(sorted, 0.75) - Quantile(sorted, 0.25)
	return 1.25 * iqr / (Quantile(sorted, 0.5) * math.Sqrt(float64(len(sorted))))
}
