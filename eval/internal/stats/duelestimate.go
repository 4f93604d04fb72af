package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

type round struct {
	weight               float64
	champion, challenger []float64
	ratios               []float64 // sorted logarithms
}

type result struct {
	verdict       kernels.Verdict
	ratio, lo, hi float64
}

func (d *Duel) judge() result {
	if d.Pairs() == 0 {
		return result{verdict: kernels.Ambiguous, ratio: 1, lo: 0, hi: math.MaxFloat64}
	}
	r := estimate(d.rounds, d.seed, d.gain())
	early := d.promotes && r.lo > 1-d.delta || d.sure > 0 && r.hi < 1-d.sure
	switch {
	case d.Pairs() < MinPairs && !(early && d.Pairs() >= minEarly):
		r.verdict = kernels.Ambiguous
	case r.hi < 1-d.delta:
		r.verdict = kernels.Faster
	case r.lo > 1+d.delta:
		r.verdict = kernels.Slower
	case r.lo >= 1-d.delta && r.hi <= 1+d.delta:
		r.verdict = kernels.Same
	default:
		r.verdict = kernels.Ambiguous
	}
	return r
}

// gain is the rule as a function of the workloads' log ratios: the challenger's figure over the champion's, with the
// champion at its own levels above the base.
func (d *Duel) gain() func(ratios []float64) float64 {
	levels, logs := make([]float64, len(d.rounds)), make([]float64, len(d.rounds))
	for i, r := range d.rounds {
		if d.base[i] > 0 {
			levels[i] = math.Log(Median(r.champion) / d.base[i])
		}
	}
	champion := d.combine(levels)
	return func(ratios []float64) float64 {
		for i, x := range ratios {
			logs[i] = levels[i] + x
		}
		return d.combine(logs) - champion
	}
}

// alone is the rule of one workload.
func alone(ratios []float64) float64 { return ratios[0] }

// estimate bootstraps the gain of the rounds' median log ratios, all rounds in each resample.
func estimate(rounds []round, seed uint64, gain func([]float64) float64) result {
	src := rand.NewPCG(seed, resamples) // started again, so that the same data give the same bounds
	medians := make([]float64, len(rounds))
	drawn := make([][]float64, resamples) // median of each round, by resample
	for i := range drawn {
		drawn[i] = make([]float64, len(rounds))
	}
	for k, r := range rounds {
		medians[k] = Quantile(r.ratios, 0.5)
		counts := make([]uint16, len(r.ratios))
		for i := range drawn {
			drawn[i][k] = resampledMedian(src, r.ratios, counts)
		}
	}
	gains := make([]float64, resamples)
	for i, d := range drawn {
		gains[i] = gain(d)
	}
	slices.Sort(gains)
	return result{ratio: math.Exp(gain(medians)), lo: math.Exp(Quantile(gains, tail)),
		hi: math.Exp(Quantile(gains, 1-tail))}
}

// resampledMedian is the median of as many draws with replacement from sorted values. Counting the
// draws saves sorting them; counts is scratch of the same length.
func resampledMedian(src *rand.PCG, sorted []float64, counts []uint16) float64 {
	n := len(sorted)
	clear(counts)
	for i := 0; i < n; i += 2 { // two draws from each word
		u := src.Uint64()
		counts[u>>32*uint64(n)>>32]++
		if i+1 < n {
			counts[u&math.MaxUint32*uint64(n)>>32]++
		}
	}
	i, seen := 0, int(counts[0])
	for seen < (n+1)/2 {
		i++
		seen += int(counts[i])
	}
	lower := sorted[i]
	if n%2 == 1 || seen > n/2 {
		return lower
	}
	for i++; counts[i] == 0; i++ {
	}
	return (lower + sorted[i]) / 2
}
