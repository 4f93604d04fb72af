package eval

import (
	"context"

	"darwarp/eval/internal/health"
	"darwarp/kernels"
)

// Watcher is the NVML helper: a process of its own, since NVML can hang with the driver.
type Watcher = health.Watcher

// Watch starts the helper for GPUs, named by their UUIDs. Without NVML there is no watcher, and no harm.
func Watch(ctx context.Context, uuids ...string) (*Watcher, error) {
	where := Locate()
	if err := where.NVML.missing(); err != nil {
		return nil, err
	}
	return health.StartNVML(ctx, where.NVML.Path, uuids...)
}

// Machine is how busy the pool and its GPU are. It does not wait for NVML.
func (p *Pool) Machine(context.Context) kernels.Machine {
	m := kernels.Machine{Compile: kernels.Slots{Busy: p.compiler.Busy(), Total: p.compiler.Slots()},
		Device: kernels.Slots{Total: 1}}
	if p.runner.using.Load() > 0 {
		m.Device.Busy = 1
	}
	m.Queue = max(0, int(p.flying.Load())-m.Compile.Busy-m.Device.Busy)
	if p.health != nil {
		m.GPUs = p.health.Now()
	}
	return m
}
