package gpu

import (
	_ "embed"
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/kernels"
)

// HarnessSource is the trusted device code, to be compiled for the device before Open.
//
//go:embed harness.cu
var HarnessSource string

// harness launches the kernels of harness.cu on the session's stream.
type harness struct {
	drv     *cuda.Driver
	stream  cuda.Stream
	kernels map[string]cuda.Function
}

var harnessKernels = []string{"dw_fill", "dw_erase", "dw_guard", "dw_guard_check", "dw_nonzero", "dw_hash", "dw_clock", "dw_copy", "dw_soil", "dw_spin", "dw_disturb"}

func newHarness(drv *cuda.Driver, stream cuda.Stream, cubin []byte) (*harness, error) {
	mod, err := drv.LoadModule(cubin)
	if err != nil {
		return nil, err
	}
	h := &harness{drv: drv, stream: stream, kernels: map[string]cuda.Function{}}
	for _, name := range harnessKernels {
		if h.kernels[name], err = drv.Function(mod, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return h, nil
}

// soil fills the shared memory of every multiprocessor with NaNs: a block that takes all of it has a
// multiprocessor to itself.
func (h *harness) soil(dev kernels.Device) error {
	f := h.kernels["dw_soil"]
	if err := h.drv.SetFuncAttr(f, cuda.FuncMaxDynamicShared, dev.SmemPerBlock); err != nil {
		return err
	}
	l := &cuda.Launch{Func: f, Grid: cuda.Dim3{X: uint32(dev.SMs), Y: 1, Z: 1}, Block: cuda.Dim3{X: threads, Y: 1, Z: 1}, Shared: uint32(dev.SmemPerBlock)}
	l.Args.Int64(int64(dev.SmemPerBlock))
	return h.drv.Start(l, h.stream)
}

// threads of every harness kernel.
const threads = 256

// arg adds one argument to a launch.
type arg func(*cuda.Args)

func ptr(p cuda.Ptr) arg { return func(a *cuda.Args) { a.Ptr(p) } }
func u64(v int) arg      { return func(a *cuda.Args) { a.Int64(int64(v)) } }
func i32(v int) arg      { return func(a *cuda.Args) { a.Int32(int32(v)) } }

// grid is the number of blocks for n elements: enough to fill the largest GPU a few times over.
func grid(n int) int { return max(1, min((n+threads-1)/threads, 2048)) }

// run launches a harness kernel with the given number of blocks.
func (h *harness) run(name string, blocks int, args ...arg) error {
	l := &cuda.Launch{Func: h.kernels[name], Grid: cuda.Dim3{X: uint32(blocks), Y: 1, Z: 1}, Block: cuda.Dim3{X: threads, Y: 1, Z: 1}}
	for _, a := range args {
		a(&l.Args)
	}
	return h.drv.Start(l, h.stream)
}
