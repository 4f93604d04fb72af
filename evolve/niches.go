package evolve

import (
	"math"
	"math/rand/v2"

	"darwarp/kernels"
	"darwarp/mutate"
)

// nicheShare is the share of offspring that is bred for one workload alone, where several kernels are wanted.
const nicheShare = 0.4

// nicheWorkloads are the workloads that populations are ranked by singly: those that decide where several kernels are
// wanted, and none else.
func nicheWorkloads(portfolio int, s *scale) []string {
	if portfolio < 2 || s.shapes() < 2 {
		return nil
	}
	return s.deciding()
}

// insertNiches enters an individual into every niche by its time there.
func (d *pointDeme) insertNiches(o *mutate.Individual, times []float64) {
	for i, n := range d.niches {
		here := *o
		here.Score = times[i]
		n.add(&here, false)
	}
}

// nichePool is what a niche is bred from, whichever it is.
func (d *pointDeme) nichePool(rng *rand.Rand) *mutate.Pool {
	return d.niches[rng.IntN(len(d.niches))].pool(false)
}

// bestAlone is the best time at one workload, relative to the naive start's; +Inf: none is known.
func (d *pointDeme) bestAlone(workload int) float64 {
	if best := d.niches[workload].ranked(); len(best) > 0 {
		return best[0].Score
	}
	return math.Inf(1)
}

// alone is a candidate's score at each niche's workload.
func (p *population) alone(c *kernels.Candidate) []float64 {
	times, out := medians(c.Result.Times), make([]float64, len(p.niches))
	for i, w := range p.niches {
		out[i] = math.Inf(1)
		if b := p.base()[w]; c.Result.Outcome == kernels.OK {
			out[i] = 1
			if b > 0 {
				out[i] = times[w] / b
			}
		}
	}
	return out
}
