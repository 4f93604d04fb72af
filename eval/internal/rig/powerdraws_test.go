package rig

import (
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// powerDraws is how often a proof is drawn anew.
const powerDraws = 4

// TestPowerOfEachDraw: what a session scores a built-in problem on does not depend on the numbers that its proof of
// power drew: each draw has the same bank, and none is refused. The workloads are those of the cpu device. Where a
// sample is asked for, it is a fourth of the problems.
func TestPowerOfEachDraw(t *testing.T) {
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("THE POWER OF THE CHECK IS NOT PROVED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	for _, name := range templates.Builtins() {
		if os.Getenv("DARWARP_SAMPLE") != "" && rand.IntN(4) > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b, err := templates.Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			eachDraw(t, b)
		})
	}
}

func eachDraw(t *testing.T, b *templates.Bundle) {
	p, dtype := b.Problem, b.Problem.DTypes[0]
	r := &Rig{Cfg: Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: dtype,
		Workloads: p.SmallWorkloads(), Cache: "hot", Means: Means{Jobs: 1, CacheDir: testCache},
		Acc:       p.Accumulators(b.Families, nil),
		Reference: b.ReferenceSource(dtype)}, Log: slog.New(slog.DiscardHandler)}
	if err := r.openCPU(t.Context(), env.Locate()); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	reference, err := r.compileOurs(t.Context(), "the reference kernel", r.Cfg.Reference)
	if err != nil {
		t.Fatal(err)
	}
	banks := map[string]map[string]int{}
	for range powerDraws {
		found, err := r.provePower(t.Context(), device.Open{}, reference, r.casesWanted(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Cfg.Workloads {
			count(banks, w, found[w.Name])
		}
	}
	for load, of := range banks {
		if len(of) > 1 {
			t.Errorf("%s: what it is scored on depends on the draw: %v", load, of)
		}
	}
}

// count counts what a draw has found for a workload.
func count(banks map[string]map[string]int, w kernels.Workload, found cases.Power) {
	if banks[w.Name] == nil {
		banks[w.Name] = map[string]int{}
	}
	text := found.Bank
	if found.Tails {
		text += " and needles"
	}
	banks[w.Name][text]++
}
