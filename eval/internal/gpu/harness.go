package gpu

import (
	_ "embed"
	"fmt"

	"darwarp/eval/internal/cuda"
)

// HarnessSource is the trusted device code, to be compiled for the device before Open.
//
//go:embed harness.cu
var HarnessSource string

// harness launches the kernels of harness.cu on the session's stream.
type harness struct {
	drv     *cuda.Driver
	stream  cuda.Stream
	mod     cuda.Module
	kernels map[string]cuda.Function
	wide    map[string]bool // those that may have more shared memory than a block gets unasked
}

func newHarness(drv *cuda.Driver, stream cuda.Stream, cubin []byte) (*harness, error) {
	mod, err := drv.LoadModule(cubin)
	return &harness{drv: drv, stream: stream, mod: mod, kernels: map[string]cuda.Function{}, wide: map[string]bool{}}, err
}

// widen finds a kernel that is to have so much dynamic shared memory.
func (h *harness) widen(name string, shared int) (cuda.Function, error) {
	f, err := h.kernel(name)
	if err != nil || h.wide[name] {
		return f, err
	}
	h.wide[name] = true
	return f, h.drv.SetFuncAttr(f, cuda.FuncMaxDynamicShared, shared)
}

// kernel finds a kernel when it is first asked for: those with large frames must not be loaded where nobody needs them.
func (h *harness) kernel(name string) (cuda.Function, error) {
	f, ok := h.kernels[name]
	if !ok {
		var err error
		if f, err = h.drv.Function(h.mod, name); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		h.kernels[name] = f
	}
	return f, nil
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
	f, err := h.kernel(name)
	if err != nil {
		return err
	}
	return h.launch(f, blocks, threads, 0, args...)
}

func (h *harness) launch(f cuda.Function, blocks, threads, shared int, args ...arg) error {
	l := &cuda.Launch{Func: f, Grid: cuda.Dim3{X: uint32(blocks), Y: 1, Z: 1},
		Block: cuda.Dim3{X: uint32(threads), Y: 1, Z: 1}, Shared: uint32(shared)}
	for _, a := range args {
		a(&l.Args)
	}
	return h.drv.Start(l, h.stream)
}
