package rig

import (
	"fmt"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// RunOf is how a workload is timed.
func (p *Rig) RunOf(w kernels.Workload, cache string, estimate float64) device.Run {
	return device.Run{Workload: w.Name, Cases: p.Cases.Seeds(w.Name), Estimate: estimate, Cache: cache}
}

// Timing is what a run has shown.
func (p *Rig) Timing(workload, cache string, r device.RunReply, began time.Time) kernels.Timing {
	median, lo, hi := stats.Interval(r.Samples)
	t := kernels.Timing{Workload: workload, Median: median, Lo: lo, Hi: hi, Samples: len(r.Samples), Cache: cache,
		Tier: "fitness", Clock: r.Clock}
	if r.Screened {
		t.Tier = "screen"
	}
	t.Tags = p.tags(began)
	if r.Rejected > 0 {
		t.Tags = append(t.Tags, kernels.Quantity(r.Rejected, "sample")+" rejected for their clock")
	}
	return t
}

// GateTiming is the gate's own figure of a workload: one checked run of ns.
func (p *Rig) GateTiming(workload, cache string, ns float64) kernels.Timing {
	t := kernels.Timing{Workload: workload, Median: ns, Lo: ns, Hi: ns, Samples: 1, Cache: cache, Tier: "gate"}
	if p.Device.Kind == "cpu" {
		t.Tags = []string{cpuTime}
	}
	return t
}

// cpuTime labels each time that is no GPU's.
const cpuTime = "CPU time"

// tags label a time of this device, and say what slowed the device while it was taken.
func (p *Rig) tags(began time.Time) []string {
	if p.Device.Kind == "cpu" {
		return []string{cpuTime}
	}
	if p.Health == nil {
		return nil
	}
	return p.Health.Tags(began)
}

// How far a time may undercut what is physically plausible. The measured ceilings are lower bounds of
// the hardware's: a library's best product, a plain copy.
const (
	matrixMargin = 1.35
	memoryMargin = 1.2
)

// TooFast says that a call cannot take so few ns on this device, in words; empty where it can.
func (p *Rig) TooFast(w kernels.Workload, cache string, ns float64) string {
	flops, bytes, err := p.Cfg.Problem.Work(w.Dims, p.Cfg.DType)
	if err != nil {
		return ""
	}
	c := *p.Proof.Ceilings
	c.Matrix, c.Bandwidth, c.L2 = c.Matrix*matrixMargin, c.Bandwidth*memoryMargin, max(c.L2, c.Bandwidth)*memoryMargin
	if floor := stats.Floor(flops, bytes, c, cache); stats.Suspicious(ns, floor) {
		return fmt.Sprintf("%s: %.3g us is faster than this device can be (%.3g us)", w.Name, ns/1e3, floor/1e3)
	}
	return ""
}

// Alone is how many ns a call on its own pays that one in a row does not: its launch, and what it reads from memory
// where calls in a row find it in L2.
func (p *Rig) Alone(w kernels.Workload, cache string) float64 {
	c := p.Proof.Ceilings
	_, bytes, err := p.Cfg.Problem.Work(w.Dims, p.Cfg.DType)
	if err != nil || cache != "hot" || bytes > float64(p.Device.L2Bytes) || !(c.Bandwidth > 0) {
		return c.Launch
	}
	return c.Launch + bytes/c.Bandwidth*1e9
}

// Limits are those of the device.
func (p *Rig) Limits(final bool) stats.Limits {
	switch {
	case p.Device.Kind == "cpu" && final:
		return stats.EmulatedFinal
	case p.Device.Kind == "cpu":
		return stats.Emulated
	case final:
		return stats.Final
	}
	return stats.Fitness
}
