package evolve

import (
	"math"

	"darwarp/kernels"
	"darwarp/mutate"
)

// niches are the populations ranked by one workload each: what a portfolio is bred from. A kernel that is
// the best at one shape and poor at the others would else have no offspring.
type niches struct {
	workloads []string
	demes     [][]*deme // by workload and space; they share what is known with the search's own
}

// nicheShare is the share of offspring that is bred for one workload alone.
const nicheShare = 0.4

// newNiches makes one niche a workload where several kernels are wanted, and none else.
func (s *Search) newNiches() niches {
	var n niches
	if s.cfg.Portfolio < 2 || len(s.cfg.Workloads) < 2 {
		return n
	}
	for _, i := range s.cfg.Objective.Deciding(s.cfg.Workloads) {
		n.workloads = append(n.workloads, s.cfg.Workloads[i].Name)
		var all []*deme
		for _, d := range s.demes {
			all = append(all, &deme{space: d.space, known: d.known, view: d.view})
		}
		n.demes = append(n.demes, all)
	}
	return n
}

// settle adds a space to every niche.
func (n niches) settle(d *deme) {
	for i := range n.demes {
		n.demes[i] = append(n.demes[i], &deme{space: d.space, known: d.known, view: d.view})
	}
}

// add enters an individual into every niche by its time there.
func (n niches) add(space int, o *mutate.Individual, c *kernels.Candidate, base map[string]float64) {
	if c.Result.Outcome == kernels.Duplicate {
		return
	}
	times := medians(c.Result.Times)
	for i, w := range n.workloads {
		own := *o
		own.Score = math.Inf(1)
		if b := base[w]; c.Result.Outcome == kernels.OK {
			own.Score = 1
			if b > 0 {
				own.Score = times[w] / b
			}
		}
		n.demes[i][space].add(&own, false)
	}
}

// parents is what an operator breeds from: the population by score, or now and then that of a niche.
func (s *Search) parents(space int) *mutate.Pool {
	if n := len(s.niches.demes); n > 0 && s.rng.Float64() < nicheShare {
		return s.niches.demes[s.rng.IntN(n)][space].pool(false)
	}
	return s.breeding(s.demes[space])
}

// bury takes the dead out of every niche.
func (n niches) bury(dead map[kernels.ID]bool) {
	for _, all := range n.demes {
		for _, d := range all {
			d.bury(dead)
		}
	}
}

// setBar gives a job the times to beat: the champion's. It is one bar for all jobs, so that those on their way get to know of a faster
// champion as soon as the next is asked for. Where the worst shape decides, a shape is far
// behind only beyond the champion's worst ratio; where one shape decides, the others have no bar; and
// where each shape may get a kernel of its own, the bar is the best time that is known there.
func (s *Search) setBar(job *kernels.Job) {
	if s.champion == nil {
		return
	}
	job.Bar = &s.bar
	if len(s.niches.demes) > 0 {
		job.Each = true
		s.bar.Set(s.bestTimes())
		return
	}
	times := map[string]float64{}
	for _, i := range s.cfg.Objective.Deciding(s.cfg.Workloads) {
		w := s.cfg.Workloads[i].Name
		times[w] = s.champion.times[w]
		if s.cfg.Objective == kernels.Worst {
			times[w] = s.champion.score * s.base[w]
		}
	}
	s.bar.Set(times)
}

// bestTimes are the least times known by workload, ns.
func (s *Search) bestTimes() map[string]float64 {
	best := map[string]float64{}
	for i, w := range s.niches.workloads {
		ratio := math.Inf(1)
		for _, d := range s.niches.demes[i] {
			if len(d.best) > 0 {
				ratio = min(ratio, d.best[0].Score)
			}
		}
		if !math.IsInf(ratio, 1) {
			best[w] = ratio * s.base[w]
		}
	}
	return best
}
