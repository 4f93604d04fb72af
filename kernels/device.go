package kernels

import (
	"fmt"

	"darwarp/kernels/expr"
)

// Device describes what candidates run on. Its tagged fields are visible to expressions as
// device.NAME; the rest is provenance.
type Device struct {
	CC             int    `expr:"cc" json:"cc"`                         // compute capability, 90 for 9.0
	SMs            int    `expr:"sms" json:"sms"`                       // multiprocessors
	SmemPerBlock   int    `expr:"smem_per_block" json:"smem_per_block"` // bytes, after opting in
	SmemPerSM      int    `expr:"smem_per_sm" json:"smem_per_sm"`       // bytes
	RegsPerSM      int    `expr:"regs_per_sm" json:"regs_per_sm"`       // 32-bit registers
	MaxThreads     int    `expr:"max_threads" json:"max_threads"`       // threads in a block
	ThreadsPerSM   int    `expr:"threads_per_sm" json:"threads_per_sm"` // resident threads
	L2Bytes        int    `expr:"l2_bytes" json:"l2_bytes"`             // bytes
	MemoryBytes    int    `expr:"memory_bytes" json:"memory_bytes"`     // device memory, bytes
	Kind           string `expr:"kind" json:"kind"`                     // cuda, cpu or replay
	Name           string `expr:"-" json:"name"`                        // NVIDIA H200
	UUID           string `expr:"-" json:"uuid,omitempty"`              //
	Software       `expr:"-"`
	Arch           string `expr:"-" json:"arch"`                      // sm_90a: what candidates are compiled for
	PageableAccess bool   `expr:"-" json:"pageable_access,omitempty"` // device code can address host memory (HMM)
}

// Software is what makes machine code for a device, and runs it.
type Software struct {
	Driver    string `expr:"-" json:"driver,omitempty"`    // 580.159.04
	Toolchain string `expr:"-" json:"toolchain,omitempty"` // NVRTC 13.0
}

// baseScope and baseEnv are what every expression of a family sees besides genes and lets.
func baseScope() expr.Scope {
	return expr.Scope{"device": Device{}, "elem": 0, "out_elem": 0, "dtype": ""}
}

// baseEnv is for a dtype, and that of the first output, which is empty where it is the same.
func baseEnv(dev Device, t, out DType) expr.Env {
	if out == "" {
		out = t
	}
	return expr.Env{"device": dev, "elem": t.Size(), "out_elem": out.Size(), "dtype": string(t)}
}

// Label is the device as a table heads it, with the kind of time it gives.
func (d Device) Label() string {
	switch d.Kind {
	case "cuda":
		return d.Name
	case "cpu":
		return d.Name + " (CPU times)"
	case "":
		return "no device"
	}
	return fmt.Sprintf("%s (%s times)", d.Name, d.Kind)
}

// arches are the limits of the architectures that templates are compiled for when no device is at
// hand: CUDA C++ Programming Guide, "Compute Capabilities", technical specifications table.
var arches = map[string]Device{
	"sm_80": {CC: 80, SMs: 108, SmemPerBlock: 166912, SmemPerSM: 167936, ThreadsPerSM: 2048, L2Bytes: 40 << 20,
		Name: "A100"},
	"sm_89": {CC: 89, SMs: 128, SmemPerBlock: 101376, SmemPerSM: 102400, ThreadsPerSM: 1536, L2Bytes: 72 << 20,
		Name: "RTX 4090"},
	"sm_90a": {CC: 90, SMs: 132, SmemPerBlock: 232448, SmemPerSM: 233472, ThreadsPerSM: 2048, L2Bytes: 50 << 20,
		Name: "H100"},
	"sm_100a": {CC: 100, SMs: 148, SmemPerBlock: 232448, SmemPerSM: 233472, ThreadsPerSM: 2048, L2Bytes: 126 << 20,
		Name: "B200"},
}

// ArchDevice gives the limits of an architecture, for spaces without a device.
func ArchDevice(arch string) (Device, error) {
	d, ok := arches[arch]
	if !ok {
		return Device{}, fmt.Errorf("unknown architecture %q: expected sm_80, sm_89, sm_90a or sm_100a", arch)
	}
	d.Arch, d.RegsPerSM, d.MaxThreads, d.Kind = arch, 65536, 1024, "cuda"
	return d, nil
}
