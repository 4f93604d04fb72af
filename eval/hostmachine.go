package eval

import (
	"context"

	"darwarp/eval/internal/rig"
	"darwarp/kernels"
)

// Device is the model, with the toolchain that candidates are compiled by: that of the first GPU.
func (h *Host) Device() kernels.Device { return h.front.Device() }

// Slots is how many evaluations to keep in flight: enough that every compiler has work while a candidate is on each
// GPU.
func (h *Host) Slots() int { return h.front.Compiler.Slots() + 2*rig.OutputSlots*len(h.places.in()) }

// InOrder is false: results arrive as they are ready.
func (h *Host) InOrder() bool { return false }

// Provenance is what duels and winners stand on: that of home.
func (h *Host) Provenance() kernels.Provenance { return h.places.home().pool.Provenance() }

// Provenances are those of all GPUs.
func (h *Host) Provenances() (all []kernels.Provenance) {
	for _, p := range h.places.all {
		all = append(all, p.pool.Provenance())
	}
	return all
}

// Capabilities is everything that a GPU can do.
func (h *Host) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{
		Machine: h.Machine, Load: h.Load, Provenances: h.Provenances, Remember: h.front.Remember, Weigh: h.Weigh,
		Control: h.Control, Trial: h.Trial, Sanitize: h.Sanitize, Counters: h.Counters, Publisher: h.places.home().pool,
		Ahead: h.places.home().pool.Ahead, Code: h.front.code, Time: h.timeAgain,
	}
}

// Weigh is Pool.Weigh.
func (h *Host) Weigh(workloads []kernels.Workload) {
	for _, p := range h.places.all {
		p.pool.Weigh(workloads)
	}
}

// Load is the share of the time that the GPUs were in use, on average, and how many device workers it took.
func (h *Host) Load() (busy float64, workers int) {
	for _, p := range h.places.all {
		b, n := p.pool.Load()
		busy, workers = busy+b/float64(len(h.places.all)), workers+n
	}
	return busy, workers
}

// Machine is how busy the host is. It does not wait for NVML.
func (h *Host) Machine(ctx context.Context) kernels.Machine {
	m := kernels.Machine{Compile: kernels.Slots{Busy: h.front.Compiler.Busy(), Total: h.front.Compiler.Slots()}}
	for _, p := range h.places.all {
		its := p.pool.Machine(ctx).Device
		g := gpuOf(p.pool)
		h.places.mu.Lock()
		g.LeftOut = p.out
		h.places.mu.Unlock()
		if g.LeftOut == "" {
			m.Device.Busy, m.Device.Total = m.Device.Busy+its.Busy, m.Device.Total+its.Total
		}
		m.GPUs = append(m.GPUs, g)
	}
	m.Queue = max(0, int(h.front.flying.Load())-m.Compile.Busy-m.Device.Busy)
	return m
}

// gpuOf is what NVML says of a pool's GPU, with its index; without NVML nothing but its name.
func gpuOf(p *Pool) kernels.GPU {
	g := kernels.GPU{Name: p.Device().Name, Util: -1, SMClock: -1, MemClock: -1, Temp: -1, Power: -1, MemUsed: -1}
	if p.Health != nil {
		if now := p.Health.Now(); len(now) == 1 {
			g = now[0]
		}
	}
	g.Index = p.Cfg.GPU
	return g
}
