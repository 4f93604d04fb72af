package cpu

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// stretch copies 8 x 8 boxes of A into the middle of those of Y, whose rows are twice as long.
const stretch = `#include <darwarp/darwarp.cuh>
using namespace darwarp;
extern "C" __global__ void stretch(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to, int shift) {
    extern __shared__ __align__(128) unsigned char tile[];
    __shared__ Mbarrier barrier;
    const int row = blockIdx.x * 8, column = blockIdx.y * 8;
    if (threadIdx.x > 0) return;
    mbarrier_init(&barrier, 1);
    mbarrier_fence();
    mbarrier_expect(&barrier, 128);
    tensor_load(tile, from, row, column, &barrier);
    mbarrier_wait(&barrier, 0);
    tensor_store(to, row, column + shift, tile);
    bulk_commit();
    bulk_wait_read<0>();
}
`

// compiler is the one that candidates have.
func compiler(t *testing.T) *compile.Pool {
	t.Helper()
	path, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("NOTHING IS COMPILED FOR THE CPU DEVICE: no g++")
	}
	cfg := Compiler(path, templates.Include(), false)
	cfg.Slots, cfg.CacheDir = 1, compiled
	pool, err := compile.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return pool
}

// programOf compiles a source as candidates are.
func programOf(t *testing.T, source string, call kernels.Call) *program {
	t.Helper()
	out, err := compiler(t).Compile(context.Background(), source)
	if err != nil || out.Failure != "" {
		t.Fatal(err, out.Failure)
	}
	p, err := load(out.Cubin, []kernels.Call{call})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.unload(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestTensorMaps: a launch's maps reach the kernel, by name, for the buffers of the call.
func TestTensorMaps(t *testing.T) {
	const rows, columns, shift = 12, 24, 8
	maps := []kernels.TensorMap{{Name: "outer", Tensor: "Y", Box: []int{8, 8}},
		{Name: "inner", Tensor: "A", Box: []int{8, 8}}}
	l := kernels.Launch{Entry: "stretch", Grid: [3]int{2, 3, 1}, Block: [3]int{32, 1, 1}, Cluster: [3]int{1, 1, 1},
		Smem: 128, Maps: maps,
		Args: []kernels.Arg{{Kind: "tensor_map", Name: "inner"}, {Kind: "tensor_map", Name: "outer"},
			{Kind: "i32", Int: shift}}}
	p := programOf(t, stretch, kernels.Call{Launches: []kernels.Launch{l}})
	c := &device.Case{Buffers: []kernels.Buffer{{Name: "A", DType: kernels.FP16, Shape: []int{rows, columns}},
		{Name: "Y", Out: true, DType: kernels.FP16, Shape: []int{rows, 2 * columns}}}}
	a, err := newArena(device.Sizes(c.Buffers), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.free() }()
	for i := range a.buffers[0] {
		a.buffers[0][i] = byte(i)
	}
	w, err := p.bind(kernels.Call{Launches: []kernels.Launch{l}}, c, a, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.do(runOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		from, to := a.buffers[0][i*2*columns:(i+1)*2*columns], a.buffers[1][i*4*columns:(i+1)*4*columns]
		want := slices.Concat(make([]byte, 2*shift), from, make([]byte, 2*(columns-shift)))
		if !slices.Equal(to, want) {
			t.Fatalf("row %d: %v", i, to)
		}
	}
	if n := a.damage(); n > 0 {
		t.Errorf("%d bytes outside of the buffers", n)
	}
	for _, broken := range []struct {
		maps []kernels.TensorMap
		want string
	}{
		{maps[:1], "argument inner: no such tensor map"},
		{[]kernels.TensorMap{{Name: "inner", Tensor: "B", Box: []int{8, 8}}}, "tensor map inner: no tensor B"},
		{[]kernels.TensorMap{{Name: "inner", Tensor: "A", Box: []int{8}}}, "tensor map inner: a box of [8] for A [12 24]"},
	} {
		l.Maps = broken.maps
		if _, err := p.bind(kernels.Call{Launches: []kernels.Launch{l}}, c, a, nil, nil); err == nil ||
			!strings.Contains(err.Error(), broken.want) {
			t.Errorf("%v, want %q", err, broken.want)
		}
	}
}
