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

func (e *Evaluator) weighted() []float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.weights
}
