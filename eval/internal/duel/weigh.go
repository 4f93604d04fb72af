package duel

import "darwarp/kernels"

// Weigh gives the workloads the weights that duels follow from now on.
func (p *Duels) Weigh(workloads []kernels.Workload) {
	weights := map[string]float64{}
	for _, w := range workloads {
		weights[w.Name] = w.Weight
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weights = weights
}

// weighted is the weight of every workload in a duel that begins now.
func (p *Duels) weighted() []float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]float64, len(p.Cfg.Workloads))
	for i, w := range p.Cfg.Workloads {
		out[i] = w.Weight
		if v, ok := p.weights[w.Name]; ok {
			out[i] = v
		}
	}
	return out
}
