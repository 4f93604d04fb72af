package fleet

import (
	"sync"

	"darwarp/kernels"
)

// localBar is the bar of all candidates on this worker: the champion's times here.
type localBar struct {
	bar    *kernels.Bar       // another one only once nothing is in flight
	mu     sync.Mutex         // guards what follows
	newest uint64             // the request that the bar is of
	ratios map[string]float64 // of times on the first worker to those on this one, by workload
}

// compare takes note of how times here are to those on the first worker.
func (b *localBar) compare(ratios map[string]float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ratios = ratios
}

// reset begins anew, for a session that counts its requests anew.
func (b *localBar) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newest, b.ratios, b.bar = 0, nil, kernels.NewBar(nil)
}

// raise sets the bar to the champion's times on the first worker, unless a later request has.
func (b *localBar) raise(number uint64, bar map[string]float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if number < b.newest {
		return
	}
	b.newest = number
	here := make(map[string]float64, len(bar))
	for load, ns := range bar {
		if here[load] = ns; b.ratios[load] > 0 {
			here[load] = ns / b.ratios[load]
		}
	}
	b.bar.Set(here)
}
