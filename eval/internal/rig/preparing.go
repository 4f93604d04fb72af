package rig

import (
	"time"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Launches with `prepare` are run again before every call that counts, on inputs of its own. Those of one sample may
// take samplePreparing floors together: with them the samples that a request takes at least end in time.
const (
	samplePreparing = 2
	fewestPackings  = 8 // of a fresh sample, on the whole bank
)

// MostPreparing is how long the launches with `prepare` before one call on a case may take: half a second, and of small
// calls that are timed cold, whose samples go through more arenas, less. It is fifteen times as long where they are
// emulated.
func (p *Rig) MostPreparing(c *device.Case) time.Duration {
	run := device.Run{Cache: p.Cfg.Cache, Cases: []int{0}}
	packings := max(fewestPackings, run.Packings(c, p.Device.L2Bytes))
	return samplePreparing * p.OwnFloor() / time.Duration(packings)
}

// GatePreparing is how long a gate of some cases may take for launches with `prepare`, two runs each. What is packed of
// small weights takes less than of large ones.
func (p *Rig) GatePreparing(calls []kernels.Call, cases []int) (d time.Duration) {
	most := 0
	for i := range p.Cases.List {
		most = max(most, weights(&p.Cases.List[i]))
	}
	for _, i := range cases {
		if c := &p.Cases.List[i]; len(calls[i].Prepare) > 0 && most > 0 {
			d += time.Duration(2 * float64(p.MostPreparing(c)) * float64(weights(c)) / float64(most))
		}
	}
	return d
}

// weights is how many bytes of a case's inputs may be packed.
func weights(c *device.Case) (n int) {
	for _, b := range c.Buffers {
		if b.Weights {
			n += b.Bytes()
		}
	}
	return n
}
