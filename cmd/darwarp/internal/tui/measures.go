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
	over      kernels.Pace
	fought    map[[2]string]float64 // gains of challengers over champions, by their short IDs
}

// speedup is a score's over the naive start.
func (m *measures) speedup(score float64) float64 { return m.over.Speedup(score) }

// speedupOf is a row's speedup; not shown when the run does not say what it stands on.
func (m *measures) speedupOf(r *row) string {
	if !r.proven {
		return "no proof"
	}
	return report.Headline(m.speedup(r.score), m.over.Estimate && r.id == m.over.Champion)
}

// gain is how many times as fast a row is as another.
func (m *measures) gain(before, r *row) string {
	return factor(m.speedup(r.score) / m.speedup(before.score))
}

// fight enters a duel that said something about two candidates.
func (m *measures) fight(d *kernels.Duel) {
	if !d.WithBaseline() && d.Lo > 0 && d.Ratio > 0 {
		m.fought[[2]string{d.Champion, d.Challenger}] = 1 / d.Ratio
	}
}

// fights enters all duels of a run. Those under other weights have said nothing about today's scores.
func (m *measures) fights(s *State) {
	for i := min(s.Steering.Void, len(s.Duels)); i < len(s.Duels); i++ {
		m.fight(&s.Duels[i])
	}
}

// versus writes how many times as fast a row is as the champion: "=0.94x" by their duel, where there was one, else by
// their times.
func (m *measures) versus(champion, r *row) string {
	if gain := m.fought[[2]string{champion.id.Short(), r.id.Short()}]; gain > 0 && r.proven {
		return "=" + provenRatio(r, gain)
	}
	return provenRatio(r, champion.score/r.score)
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

// roofline is the speedup that the ceilings allow, 0: not known.
func (b *Board) roofline() float64 {
	c := b.champion()
	if c == nil {
		return 0
	}
	if share := b.share(c, -1); share > 0 {
		return b.speedup(c.score) / share
	}
	return 0
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

// readBaselines takes what a user would run instead, relative to the naive start: by its duel with the champion, or
// else by the times of both.
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
	for _, t := range b.ours(start.Times) {
		base[t.Workload] = t.Median
	}
	b.baselines = b.baselines[:0]
	for name, r := range last {
		if name == kernels.NaiveStart {
			continue
		}
		score, err := kernels.Score(b.ours(r.Times), base, b.workloads())
		if s := b.byDuel(name); s > 0 {
			score, err = s, nil
		}
		if err == nil {
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

// ours are the times in the run's state of the caches: final ones are of both.
func (b *Board) ours(times []kernels.Timing) []kernels.Timing {
	return slices.DeleteFunc(slices.Clone(times), func(t kernels.Timing) bool {
		return t.Cache != "" && t.Cache != b.state.Meta.Cache
	})
}

// byDuel is a baseline relative to the naive start as its last duel with the champion says, 0: there was none.
func (b *Board) byDuel(name string) float64 {
	c := b.champion()
	for _, d := range slices.Backward(b.state.Duels) {
		if c != nil && d.WithBaseline() && d.Champion == name &&
			d.Challenger == c.id.Short() && d.Ratio > 0 && len(d.Rounds) > 0 &&
			d.Rounds[0].Cache == b.state.Meta.Cache {
			return 1 / (b.speedup(c.score) * d.Ratio)
		}
	}
	return 0
}
