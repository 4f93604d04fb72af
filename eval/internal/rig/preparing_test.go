package rig

import (
	"testing"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// withWeights are two cases, of large weights and of small ones.
func withWeights() *Rig {
	of := func(n int) device.Case {
		return device.Case{Buffers: []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{64}},
			{Name: "w", DType: kernels.FP32, Shape: []int{n}, Weights: true}}}
	}
	p := &Rig{Cfg: Config{Cache: "hot", Workloads: []kernels.Workload{{Name: "w"}}}}
	p.Cases = &cases.Set{List: []device.Case{of(1 << 20), of(1 << 10)}}
	p.Device.L2Bytes = 50 << 20
	return p
}

// TestDeadlinesKnowPreparing: whoever takes as long to prepare as is allowed can do so for every sample that a request
// takes at least, hot and cold; nothing else has any longer for it.
func TestDeadlinesKnowPreparing(t *testing.T) {
	for _, cache := range []string{"hot", "cold"} {
		p := withWeights()
		p.Cfg.Cache = cache
		run := device.Run{Workload: "w", Cases: []int{0, 0}, Estimate: 20e3, Cache: cache}
		plain := p.TimeDeadline([]device.Run{run})
		run.Preparing = float64(p.MostPreparing(&p.Cases.List[0]))
		sample := time.Duration(run.Preparing * float64(run.Packings(&p.Cases.List[0], p.Device.L2Bytes)))
		const samples = 8 // warm-up, screen, one beyond the time, three single calls
		if got := p.TimeDeadline([]device.Run{run}); got < samples*sample || got <= plain {
			t.Errorf("%s: %v to time what prepares for %v a sample", cache, got, sample)
		}
		for _, unseen := range []bool{false, true} {
			run.Fresh, run.Unseen = 2, unseen
			pair := 2 * time.Duration(run.Preparing*float64(run.Packings(&p.Cases.List[0], p.Device.L2Bytes)))
			const both = 2 // the warm-up, and a pair
			if got := p.PairsDeadline(&device.Duel{Run: run, Pairs: 1}, 20e3); got < both*pair {
				t.Errorf("%s, unseen %t: %v for a pair that prepares for %v", cache, unseen, got, pair)
			}
		}
	}
}

// TestGatePreparing: a gate has time for what candidates prepare, more for large weights than for small ones, and none
// for those that prepare nothing.
func TestGatePreparing(t *testing.T) {
	p := withWeights()
	packs := kernels.Call{Prepare: make([]kernels.Launch, 1)}
	most := p.MostPreparing(&p.Cases.List[0])
	for _, c := range []struct {
		name  string
		calls []kernels.Call
		cases []int
		least time.Duration
		most  time.Duration
	}{
		{"nothing", []kernels.Call{{}, {}}, []int{0, 1}, 0, 0},
		{"large", []kernels.Call{packs, packs}, []int{0}, 2 * most, 2 * most},
		{"small", []kernels.Call{packs, packs}, []int{1}, 1, most / 100},
		{"small alone", []kernels.Call{{}, packs}, []int{0, 1}, 1, most / 100},
	} {
		if got := p.GatePreparing(c.calls, c.cases); got < c.least || got > c.most {
			t.Errorf("%s: %v, expected %v to %v", c.name, got, c.least, c.most)
		}
	}
	if most != 500*time.Millisecond {
		t.Errorf("%v to prepare for one call", most)
	}
	if p.Cfg.Cache = "cold"; p.MostPreparing(&p.Cases.List[1]) >= most {
		t.Error("as much for 64 arenas as for 8")
	}
}
