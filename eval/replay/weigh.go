package replay

import "darwarp/kernels"

// Weigh gives the recorded workloads the weights that duels follow from now on; those that are not
// named count for nothing.
func (e *Evaluator) Weigh(workloads []kernels.Workload) {
	weights := weightsOf(e.record, workloads)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.weights = weights
}

func weightsOf(r *Record, workloads []kernels.Workload) []float64 {
	weights := make([]float64, len(r.Workloads))
	for i, recorded := range r.Workloads {
		for _, w := range workloads {
			if w.Name == recorded.Name {
				weights[i] = w.Weight
			}
		}
	}
	return weights
}

// weighed are the workloads that count, with their weights in a duel that begins now.
func (e *Evaluator) weighed() (out []kernels.Workload) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, w := range e.record.Workloads {
		if w.Weight = e.weights[i]; w.Weight > 0 {
			out = append(out, w)
		}
	}
	return out
}
