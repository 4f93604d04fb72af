package tui

import (
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"math"
	"slices"
)

// measures are what times are held against.
type measures struct {
	proofs    map[string]bool // provenances that are known
	baselines []baseline
	floors    []float64 // ns by workload that the ceilings allow, 0: not known
}

// baseline is what the champion is held against, relative to the naive start.
type baseline struct {
	name  string
	score float64
}

// proven reports whether the run says what a figure stands on: one without is not shown.
func (b *Board) proven(proof string) bool {
	known, asked := b.proofs[proof]
	if !asked {
		_, err := b.state.Provenance(proof)
		known = err == nil
		b.proofs[proof] = known
		b.floor(proof)
	}
	return known
}

// share is a row's share of the roofline at one workload, or over all of them (-1), 0: not known.
func (b *Board) share(r *row, workload int) float64 {
	sum, weights := 0.0, 0.0
	for i, w := range b.workloads() {
		if workload >= 0 && i != workload {
			continue
		}
		if i >= len(r.times) || b.floors[i] == 0 || r.times[i].median == 0 {
			return 0
		}
		sum += w.Weight * math.Log(b.floors[i]/float64(r.times[i].median))
		weights += w.Weight
	}
	if weights == 0 {
		return 0
	}
	return math.Exp(sum / weights)
}

// roofline is the score that the ceilings allow, 0: not known.
func (b *Board) roofline() float64 {
	c := b.champion()
	if c == nil {
		return 0
	}
	return b.share(c, -1) * c.score
}

// floor works out the least times that the device's ceilings allow, from each new provenance.
func (b *Board) floor(proof string) {
	p, err := b.state.Provenance(proof)
	if err != nil {
		return
	}
	for i, w := range b.workloads() {
		if b.state.Bundle == nil {
			return
		}
		flops, bytes, err := b.state.Bundle.Problem.Work(w.Dims, b.state.Meta.DType)
		if share, binds := report.Roofline(report.Ceilings(&p), flops, bytes, 1, b.state.Meta.Cache); err == nil &&
			binds != "" {
			b.floors[i] = share // of a call of 1 ns: the floor in ns
		}
	}
}

// readBaselines takes the times of what a user would run instead, relative to the naive start's.
func (b *Board) readBaselines(all []kernels.BaselineResult) {
	last := map[string]kernels.BaselineResult{}
	for _, r := range all {
		if r.IsBaseline() { // and not the winner measured again
			last[r.Name] = r
		}
	}
	start, ok := last[kernels.NaiveStart]
	if !ok {
		return
	}
	base := map[string]float64{}
	for _, t := range start.Times {
		base[t.Workload] = t.Median
	}
	b.baselines = b.baselines[:0]
	for name, r := range last {
		if name == kernels.NaiveStart {
			continue
		}
		if score, err := kernels.Score(r.Times, base, b.workloads()); err == nil {
			b.baselines = append(b.baselines, baseline{name, score})
		}
	}
	slices.SortFunc(b.baselines, func(x, y baseline) int {
		if x.score < y.score {
			return -1
		}
		return 1
	})
}
