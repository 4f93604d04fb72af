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
	drv      *cuda.Driver
	stream   cuda.Stream
	mod      cuda.Module
	kernels  map[string]cuda.Function
	launches map[cuda.Function]*cuda.Launch // the last of each: the next one needs no memory of its own
	wide     map[string]bool                // those that may have more shared memory than a block gets unasked
}

func newHarness(drv *cuda.Driver, stream cuda.Stream, cubin []byte) (*harness, error) {
	mod, err := drv.LoadModule(cubin)
	return &harness{drv: drv, stream: stream, mod: mod, kernels: map[string]cuda.Function{},
		launches: map[cuda.Function]*cuda.Launch{}, wide: map[string]bool{}}, err
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

// arg is one argument of a launch: a word, or a struct by value.
type arg struct {
	word  uint64
	bytes []byte
}

func ptr(p cuda.Ptr) arg    { return arg{word: uint64(p)} }
func u64(v int) arg         { return arg{word: uint64(v)} }
func i32(v int) arg         { return arg{word: uint64(uint32(v))} }
func bytesArg(b []byte) arg { return arg{bytes: b} }

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
	l := h.launches[f]
	if l == nil {
		l = &cuda.Launch{Func: f}
		h.launches[f] = l
	}
	l.Grid, l.Block = cuda.Dim3{X: uint32(blocks), Y: 1, Z: 1}, cuda.Dim3{X: uint32(threads), Y: 1, Z: 1}
	l.Shared = uint32(shared)
	l.Args.Reset()
	for _, a := range args {
		if a.bytes != nil {
			l.Args.Bytes(a.bytes, structAlign)
		} else {
			l.Args.Int64(int64(a.word))
		}
	}
	return h.drv.Start(l, h.stream)
}

// structAlign is how structs of harness.cu are aligned.
const structAlign = 8
