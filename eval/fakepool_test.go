package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"darwarp/eval/env"
	"darwarp/eval/internal/rig"
	"darwarp/kernels"
	"darwarp/kernels/expr"
	"darwarp/kernels/kernelstest"
)

// fakePool opens a pool over the fake device worker, with the real compiler.
func fakePool(t *testing.T) *Pool {
	t.Helper()
	return fakePoolAt(t, env.Locate())
}

func fakePoolAt(t *testing.T, where env.Location) *Pool {
	t.Helper()
	return fakePoolOf(t, where, kernelstest.Scale, "")
}

// openPool opens a pool that is closed when the test ends.
func openPool(t *testing.T, cfg Config) *Pool {
	t.Helper()
	return openPoolWith(t, cfg, rig.Options{})
}

func openPoolWith(t *testing.T, cfg Config, with rig.Options) *Pool {
	t.Helper()
	pool, err := openAs(context.Background(), cfg, with)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// fakePoolOf opens a pool for a problem with another line in its [check].
func fakePoolOf(t *testing.T, where env.Location, problem, line string) *Pool {
	t.Helper()
	if where.NVRTC.Path == "" || len(where.Include) == 0 {
		t.Skip("NO EVALUATION IS TESTED: NVRTC or its headers not found; see darwarp doctor")
	}
	where.Driver.Path, where.BLASLt.Path = "fake", ""
	t.Setenv("DARWARP_FAKE", t.TempDir())
	p := kernelstest.Problem(t, strings.Replace(problem, "[check]", "[check]\n"+line, 1))
	cache := testCache // harness and fakes take a compiler seconds
	if os.Getenv(compileAll) != "" {
		cache = ""
	}
	return openPool(t, Config{Means: Means{CacheDir: cache, Jobs: 2, Where: &where},
		Problem: p, Reference: `extern "C" __global__ void reference(const float *x, double *y, float *s, int n) {}`,
		Headers: fakeInclude, DType: kernels.FP32, Workloads: p.Workloads, Cache: "hot",
	})
}

// compileAll is a variable that tests of the compilers set: their fake pools have no cache.
const compileAll = "DARWARP_FAKE_COMPILES"

// fakeInclude is the include library of fakes. Compile workers precompile it as they do the real one, which takes them
// seconds; it needs CUDA's headers, too.
var fakeInclude = map[string][]byte{"darwarp/darwarp.cuh": []byte("#pragma once\n#include <vector_types.h>\n")}

// fakeJob is a candidate whose kernel has the given name; its machine code is its own.
func fakeJob(t *testing.T, p *Pool, entry string) *kernels.Job {
	t.Helper()
	spec := kernels.PlanSpec{Launches: []kernels.LaunchSpec{{Entry: entry, Grid: []string{"ceil_div(n, 256)"},
		Block: []string{"256"}, Args: []string{"x", "y", "n"}}}}
	scope := expr.Scope{"n": 0, "device": kernels.Device{}, "elem": 0}
	plan, err := kernels.CompilePlan("test", spec, p.Cfg.Problem, scope)
	if err != nil {
		t.Fatal(err)
	}
	src := fmt.Sprintf("extern \"C\" __global__ void %s(const float *x, float *y, int n) { if (n > 0) y[0] = %d; }\n",
		entry, len(entry)*131+int(entry[0]))
	return &kernels.Job{ID: kernels.NewID(src, spec, "test"), Source: src, Plan: plan, Acc: kernels.FP32,
		Env: expr.Env{"device": p.Device(), "elem": 4}, Bar: kernels.NewBar(map[string]float64{"4096": 10e3})}
}

// soon has deadlines be near until the function that it returns is called. For what ends they are far off in tests (see
// TestMain): nobody knows how long a busy machine takes.
func soon(nearest, longest time.Duration) (usual func()) {
	f, p := rig.Floor, rig.Patience
	rig.Floor, rig.Patience = nearest, longest
	return func() { rig.Floor, rig.Patience = f, p }
}

// try tries a kernel. One whose name says that it hangs is tried with ever longer deadlines until it is found out as it
// should be: on a busy machine the first may be up before it has got as far as that.
func try(entry string, found func() bool) {
	if !strings.HasPrefix(entry, "hang") {
		found()
		return
	}
	for nearest := 300 * time.Millisecond; nearest < time.Minute; nearest *= 2 {
		usual := soon(nearest, 4*nearest)
		done := found()
		usual()
		if done {
			return
		}
	}
}

// inParts has the slots of a pool be as small as they can be, so that gates go in parts: who compares begins again, and
// so does the device's worker.
func inParts(t *testing.T, pool *Pool) {
	t.Helper()
	r, least, kind := pool.Runner, pool.Cases.LeastSlotBytes(), "check"
	if parts := pool.Cases.Fitting(pool.Cases.Gated(), least); parts == len(pool.Cases.Gated()) {
		t.Fatalf("all cases have room in a slot of %d bytes", least)
	}
	r.Prepare.SlotBytes, r.Judge.Setup.SlotBytes = least, least
	if r.Judge.GPU != nil {
		r.Judge.GPU.Setup.Check.SlotBytes, kind = least, "judge"
	}
	killWorkers(t, kind)
	if err := errors.Join(r.Restart(), r.Judge.Wake(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// mustSlot takes a slot of a pool's outputs.
func mustSlot(t *testing.T, pool *Pool) int {
	t.Helper()
	slot, err := pool.Runner.Slot(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	return slot
}
