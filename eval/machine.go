package eval

import (
	"context"

	"darwarp/kernels"
)

// Machine is how busy the pool and its GPU are. It does not wait for NVML.
func (p *Pool) Machine(context.Context) kernels.Machine {
	m := kernels.Machine{Compile: kernels.Slots{Busy: p.Compiler.Busy(), Total: p.Compiler.Slots()},
		Device: kernels.Slots{Total: 1}}
	if p.Runner.InUse() {
		m.Device.Busy = 1
	}
	m.Queue = max(0, int(p.flying.Load())-m.Compile.Busy-m.Device.Busy)
	if p.Health != nil {
		m.GPUs = p.Health.Now()
	}
	return m
}
