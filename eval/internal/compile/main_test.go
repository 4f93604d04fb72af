package compile

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"darwarp/eval/internal/dl/dltest"
	"darwarp/eval/internal/proc"

	"go.uber.org/goleak"
)

// The test binary is its own compile worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" && os.Args[2] == "compile" {
		if os.Getenv(mortalEnv) != "" {
			os.Exit(mortalMain(os.Args[3:]))
		}
		os.Exit(Main(os.Args[3:]))
	}
	proc.Vmstat = os.DevNull // see there
	goleak.VerifyTestMain(m)
}

// library is a small include library.
var library = map[string][]byte{
	"darwarp/darwarp.cuh": []byte("#pragma once\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <mma.h>\n" +
		"#include <darwarp/twice.cuh>\n"),
	"darwarp/twice.cuh": []byte("#pragma once\nnamespace darwarp { __device__ __forceinline__ float twice(float x) { " +
		"return x + x; } }\n"),
}

// config finds this machine's NVRTC.
func config(t testing.TB) Config {
	t.Helper()
	lib, include := dltest.NVRTC(t)
	return Config{Library: lib, IncludeDirs: include, Headers: library, Arch: "sm_90a", Slots: 2}
}

func open(t testing.TB, cfg Config) *Pool {
	t.Helper()
	p, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(p.home.path); !os.IsNotExist(err) {
			t.Errorf("%s was left behind: %v", p.home.path, err)
		}
	})
	return p
}

// good is a kernel on the tensor cores, different for each call.
func good() string {
	return fmt.Sprintf(goodSource, serial.Add(1))
}

var serial atomic.Int64

const goodSource = `#include <darwarp/darwarp.cuh>
using namespace nvcuda;
extern "C" __global__ void __launch_bounds__(128) tile(const __half* a, const __half* b, float* c, int steps) {
	__shared__ __half stage[2048];
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
	wmma::fill_fragment(z, darwarp::twice(%d.0f));
	for (int i = 0; i < steps; ++i) {
		for (int e = threadIdx.x; e < 2048; e += 128) stage[e] = a[i * 2048 + e];
		__syncthreads();
		wmma::load_matrix_sync(x, stage + threadIdx.x / 32 * 256, 16);
		wmma::load_matrix_sync(y, b + i * 256, 16);
		wmma::mma_sync(z, x, y, z);
		__syncthreads();
	}
	wmma::store_matrix_sync(c + threadIdx.x / 32 * 256, z, 16, wmma::mem_row_major);
}
`
