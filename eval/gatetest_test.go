package eval_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"darwarp/eval"
	"darwarp/eval/internal/compile"
	"darwarp/kernels"
	"darwarp/templates"
)

// gateTests are the problem folders of `darwarp gate test`. That command is above this package, so the test goes by the
// path.
const gateTests = "../cmd/darwarp/internal/gatetest/problems/*"

// TestGateTestsCompile compiles every kernel that the gate is tested with: a cheat that does not compile is refused for
// the wrong reason. Those without PTX are the same on every architecture. Where a sample is asked for, it is a fourth
// of them.
func TestGateTestsCompile(t *testing.T) {
	dirs, err := filepath.Glob(gateTests)
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%s: %v folders, %v", gateTests, len(dirs), err)
	}
	for _, arch := range eval.Some("sm_80", "sm_90a") {
		t.Run(arch, func(t *testing.T) {
			dev, err := kernels.ArchDevice(arch)
			if err != nil {
				t.Fatal(err)
			}
			p := compiler(t, arch)
			for _, dir := range dirs {
				b := gateTest(t, dir)
				d := b.Problem.DTypes[0]
				truthCompiles(t, p, b.Problem.Name+" reference", b.ReferenceSource(d))
				for _, f := range b.Families {
					if !f.Runs(dev) {
						continue
					}
					t.Run(b.Problem.Name+"_"+f.Name, func(t *testing.T) { compileAll(t, p, b, f, dev) })
				}
			}
		})
	}
}

// gateTest reads a folder; one without a reference borrows that of the product, as most of them do.
func gateTest(t *testing.T, dir string) *templates.Bundle {
	t.Helper()
	const reference = "reference.cu"
	texts := map[string][]byte{}
	for _, pattern := range []string{filepath.Join(dir, "../product", reference), filepath.Join(dir, "*")} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if texts[filepath.Base(name)], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	b, err := templates.FromFiles(texts)
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return b
}

// refusals are a part of what is said of cheats that must not compile.
var refusals = map[string]string{
	"by_launch_number":     "reads %gridid",
	"launch_number_beside": "ld.param of [kernel_param_0+-480]",
}

// compileAll compiles every point of a family. Cheats may keep state: the verdict on them is another test's.
func compileAll(t *testing.T, p *compile.Pool, b *templates.Bundle, f *kernels.Family, dev kernels.Device) {
	space, err := kernels.NewSpace(f, dev, b.Problem.DTypes[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range space.Len() {
		if eval.Sampled() && rand.IntN(4) > 0 {
			continue
		}
		wg.Go(func() {
			g := space.Genome(space.At(i))
			if g["cheat"] == kernels.String("large_table") { // which is too large for a frame, and must not pass
				return
			}
			job, err := b.Job(f, g, dev, b.Problem.DTypes[0])
			if err != nil {
				t.Errorf("%s: %v", g.Key(), err)
				return
			}
			if dev.CC < 90 && !strings.Contains(job.Source, "asm") && !strings.Contains(job.Source, "darwarp::") {
				return
			}
			out, err := p.Compile(context.Background(), job.Source)
			if why := refusals[g["cheat"].String()]; err != nil || out.Failure != "" && why == "" ||
				!strings.Contains(out.Failure, why) {
				t.Errorf("%s %s: %v\n%s, expected %q", b.Problem.Name, g.Key(), err, out.Failure, why)
			}
		})
	}
	wg.Wait()
}
