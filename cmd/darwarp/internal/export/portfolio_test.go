package export

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// portfolioOf makes a portfolio of kernels that are made by the given genes.
func portfolioOf(t *testing.T, k Kernel, pins ...kernels.Pins) Portfolio {
	t.Helper()
	p := Portfolio{Found: kernels.Portfolio{K: len(pins), Objective: kernels.Geomean,
		Gain: kernels.Gain{Ratio: 1.1, Lo: 1.05, Hi: 1.2}}}
	f, err := k.Bundle.Family(k.Job.Variant.Family)
	if err != nil {
		t.Fatal(err)
	}
	for i, pin := range pins {
		s, err := kernels.NewSpace(f, k.Device, k.DType, pin)
		if err != nil {
			t.Fatal(err)
		}
		one := k
		if one.Job, err = k.Bundle.Job(f, s.Genome(s.At(s.Len()/2)), k.Device, k.DType); err != nil {
			t.Fatal(err)
		}
		one.Candidate.ID, one.NVCCFlags = one.Job.ID, []string{fmt.Sprintf("-Xptxas=-O%d", 3-i)}
		p.Kernels = append(p.Kernels, one)
		p.Found.Kernels = append(p.Found.Kernels, one.Job.ID)
	}
	for i, w := range k.Workloads {
		p.Found.Choices = append(p.Found.Choices, kernels.Choice{Workload: w.Name, Kernel: i % len(pins), Time: 1000,
			Single: 1100, Gain: kernels.Gain{Ratio: 1.1, Lo: 1.05, Hi: 1.2}})
	}
	return p
}

func gemmPortfolio(t *testing.T) Portfolio {
	return portfolioOf(t, gemm(t), kernels.Pins{"split_k": {kernels.Int(4)}, "mma": {kernels.String("mma_sync")},
		"reduce": {kernels.String("last_block")}},
		kernels.Pins{"split_k": {kernels.Int(1)}, "mma": {kernels.String("fma")}},
		kernels.Pins{"split_k": {kernels.Int(2)}, "mma": {kernels.String("wmma")}})
}

// attentionPortfolio is of kernels whose launches have L2 access windows, or not.
func attentionPortfolio(t *testing.T) Portfolio {
	t.Helper()
	b, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	k := gemm(t)
	k.Bundle, k.Workloads = b, b.Problem.Workloads[:2]
	p := Portfolio{Found: kernels.Portfolio{K: 2, Choices: []kernels.Choice{{Workload: k.Workloads[0].Name},
		{Workload: k.Workloads[1].Name, Kernel: 1}}}}
	for _, on := range []bool{true, false} {
		if k.Job, err = b.Job(b.Families[0], kernels.Genome{"l2_window": kernels.Bool(on)}, k.Device, k.DType); err != nil {
			t.Fatal(err)
		}
		p.Kernels = append(p.Kernels, k)
	}
	return p
}

func TestDispatchWindow(t *testing.T) {
	p := attentionPortfolio(t)
	files, err := p.files()
	if err != nil {
		t.Fatal(err)
	}
	call, err := p.Kernels[0].Job.Resolve(p.Kernels[0].Workloads[0].Dims)
	if err != nil {
		t.Fatal(err)
	}
	if w := call.Launches[0].Window; !slices.Equal(w, []string{"K", "V"}) ||
		!strings.Contains(string(files["dispatch.h"]), `(true) ? "K" : nullptr, (true) ? "V" : nullptr`) ||
		!strings.Contains(string(files["dispatch.h"]), `(false) ? "K" : nullptr`) {
		t.Errorf("dispatch.h does not have the window %v:\n%s", w, files["dispatch.h"])
	}
}

// driver prints what the dispatcher gives for the sizes on its standard input, as JSON lines.
const driver = `#include <cstdio>
#include "dispatch.h"
using namespace darwarp_dispatch;
template <class A, class F> void list(const char* name, const A& all, F f) {
    std::printf("\"%s\":[", name);
    bool first = true;
    for (const auto& x : all) { if (!first) std::printf(","); first = false; f(x); }
    std::printf("]");
}
int main() {
    Dims d;
    while (std::scanf("%lld %lld %lld", &d.m, &d.n, &d.k) == 3) {
        const Call c = dispatch(d);
        std::printf("{\"kernel\":%d,\"known\":%s,", c.kernel, c.known ? "true" : "false");
        list("scratch", c.scratch, [](const Scratch& s) { std::printf("{\"name\":\"%s\",\"bytes\":%lld,\"zero\":%s,\"once\":%s}", s.name, s.bytes, s.zero ? "true" : "false", s.once ? "true" : "false"); });
        std::printf(",");
        list("launches", c.launches, [](const Launch& l) {
            std::printf("{\"entry\":\"%d\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"cluster\":[%u,%u,%u],\"smem\":%lld,", l.entry, l.grid[0], l.grid[1], l.grid[2],
                l.block[0], l.block[1], l.block[2], l.cluster[0], l.cluster[1], l.cluster[2], l.smem);
            if (l.keep_first) std::printf("\"l2_window\":[\"%s\",\"%s\"],", l.keep_first, l.keep_last);
            list("args", l.args, [](const Arg& a) { if (a.buffer) std::printf("{\"name\":\"%s\"}", a.buffer); else std::printf("{\"int\":%lld}", a.number); });
            std::printf("}");
        });
        std::printf("}\n");
    }
}
`

// TestDispatch runs the generated header and holds its launches against the plans' own, at the known shapes
// and at random ones.
func TestDispatch(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("not tested: no g++: dispatch.h is not run")
	}
	p := gemmPortfolio(t)
	var sizes []kernels.Dims
	for _, w := range p.Kernels[0].Workloads {
		sizes = append(sizes, w.Dims)
	}
	known, rng := len(sizes), rand.New(rand.NewPCG(1, 1))
	for range 50 {
		sizes = append(sizes, kernels.Dims{"m": 1 + rng.IntN(9000), "n": 1 + rng.IntN(9000), "k": 1 + rng.IntN(9000)})
	}
	all := dispatched(t, p, sizes)
	for i, d := range sizes {
		got := all[i]
		if got.Known != (i < known) || i < known && got.Kernel != i%len(p.Kernels) {
			t.Errorf("%v: kernel %d, known %v", d, got.Kernel, got.Known)
		}
		want, err := p.Kernels[got.Kernel].Job.Resolve(d)
		if err != nil {
			continue // a launch that the device does not have
		}
		if a, b := plain(t, got.Call), plain(t, want); !reflect.DeepEqual(a, b) {
			t.Errorf("%v, kernel %d:\n%v, expected\n%v", d, got.Kernel, a, b)
		}
	}
}

// dispatchedCall is what the generated header makes of a size.
type dispatchedCall struct {
	Kernel int
	Known  bool
	kernels.Call
}

// dispatched builds a portfolio's header and asks it for the calls at all sizes.
func dispatched(t *testing.T, p Portfolio, sizes []kernels.Dims) []dispatchedCall {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if err := WritePortfolio(dir, p); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "driver.cpp"), []byte(driver), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "driver.cpp", "-o", "driver")
	build.Dir = dir
	if msg, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	var in strings.Builder
	for _, d := range sizes {
		fmt.Fprintln(&in, d["m"], d["n"], d["k"])
	}
	run := exec.Command(filepath.Join(dir, "driver"))
	run.Stdin = strings.NewReader(in.String())
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(sizes) {
		t.Fatalf("%d answers to %d sizes", len(lines), len(sizes))
	}
	all := make([]dispatchedCall, len(sizes))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &all[i]); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
	}
	return all
}

// plain is a call without what the header says in another way: entries by number, kinds of arguments.
func plain(t *testing.T, c kernels.Call) kernels.Call {
	t.Helper()
	out := kernels.Call{Scratch: append([]kernels.Scratch{}, c.Scratch...)}
	for _, l := range c.Launches {
		l.Entry = ""
		l.Args = append([]kernels.Arg{}, l.Args...)
		for i := range l.Args {
			l.Args[i].Kind = ""
		}
		out.Launches = append(out.Launches, l)
	}
	return out
}

func TestPortfolioFiles(t *testing.T) {
	p := gemmPortfolio(t)
	files, err := p.files()
	if err != nil {
		t.Fatal(err)
	}
	symbol := func(i int) string { return "darwarp_" + p.Kernels[i].Job.ID.Short() }
	for name, want := range map[string][]string{
		"kernel_0.cu":  {"#define ", symbol(0), `#include "kernel_0.cuh"`},
		"kernel_2.cuh": {"constexpr int BLOCK_M"},
		"bench.cu":     {`extern "C" const void* ` + symbol(2) + `(int entry);`, "dispatch(w);"},
		"CMakeLists.txt": {"add_executable(bench bench.cu kernel_0.cu kernel_1.cu kernel_2.cu)",
			`set_source_files_properties(kernel_1.cu PROPERTIES COMPILE_OPTIONS "-Xptxas=-O2")`},
		"README.md": {"1.100x [1.050, 1.200]", "-Xptxas=-O3 -Iinclude -c kernel_0.cu -o kernel_0.o && ",
			"no provenance"},
		"launch.json":     {`"kernel_1.cuh"`},
		"PROVENANCE.json": {`"portfolio"`},
	} {
		holds(t, name, files[name], want...)
	}
}
