package tui

import (
	"maps"
	"math"
	"slices"

	"darwarp/evolve"
	"darwarp/kernels"
)

// applied takes what a command has changed, whoever gave it.
func (b *Board) applied(c *evolve.Command) {
	i, known := b.byID[c.ID]
	switch c.Do {
	case "pin", "unpin":
		if delete(b.pins, i); known && c.Do == "pin" {
			b.pins[i] = true
		}
	case "kill":
		if known {
			maps.Copy(b.killed, b.family(i))
		}
	case "add":
		b.budget.Evals += c.Evals
		b.budget.For += c.For
	case "weigh":
		b.reweigh(c.Weights)
	}
}

// reweigh works out every score anew under other weights, as the search has done.
func (b *Board) reweigh(weights map[string]float64) {
	all := slices.Clone(b.workloads())
	for i := range all {
		if w, ok := weights[all[i].Name]; ok {
			all[i].Weight = w
		}
	}
	b.state.Meta.Workloads = all
	start := b.start()
	if start < 0 {
		return
	}
	base := b.rows[start].times
	for i := range b.rows {
		if r := &b.rows[i]; r.outcome == kernels.OK {
			r.score = b.scoreOf(r.times, base)
			b.bounds[i] = r.interval()
		}
	}
	for i := range b.steps {
		b.steps[i].score = b.rows[b.steps[i].row].score
	}
	b.ranking.resort()
	if b.sorted != nil {
		b.sorted.resort()
	}
	b.readBaselines(b.state.Baselines)
	b.keys.upTo = 0
}

// scoreOf is kernels.Score of what the board keeps of times.
func (b *Board) scoreOf(times, base []span) float64 {
	sum, weights := 0.0, 0.0
	for i, w := range b.workloads() {
		sum += w.Weight * math.Log(float64(times[i].median)/float64(base[i].median))
		weights += w.Weight
	}
	return math.Exp(sum / weights)
}
