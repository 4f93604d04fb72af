package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"darwarp/eval/compiletest"
	"darwarp/eval/replay"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

func TestMain(m *testing.M) {
	if isWorker(os.Args[1:]) { // of a test that calls a command in this process
		os.Exit(startOrWork(os.Args))
	}
	testscript.Main(m, map[string]func(){
		"darwarp": func() { os.Exit(startOrWork(calledWith())) },
		"mkrun":   func() { os.Exit(mkrun(os.Args[1:])) },
		"mkspace": func() { os.Exit(mkspace(os.Args[1:])) },
	})
}

// unraced are commands that talk to no live search: there is nothing to race.
var unraced = []string{"check", "diff", "explain", "export", "import", "lineage", "list", "new", "report", "runs",
	"show", "top"}

// startOrWork is the whole process. A worker, or a command that is not raced, becomes the darwarp of
// DARWARP_TEST_WORKER, if there is one: see .ci/run.
func startOrWork(argv []string) int {
	quick := isWorker(argv[1:]) || len(argv) > 1 && slices.Contains(unraced, argv[1])
	if file := os.Getenv("DARWARP_TEST_WORKER"); file != "" && quick {
		_ = syscall.Exec(file, argv, os.Environ())
	}
	return start(argv)
}

// calledWith is the command line: testscript gives the program its bare name.
func calledWith() []string {
	line, err := os.ReadFile("/proc/self/cmdline")
	if err != nil {
		return os.Args
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

func TestScript(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	models := httptest.NewServer(oracle())
	t.Cleanup(models.Close) // after the scripts, which run in parallel
	cache := t.TempDir()    // of what is compiled: the cpu device's runtime alone takes seconds
	if err := compiletest.ShareRuntimes(filepath.Join(cache, "darwarp")); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("MODELS", models.URL+"/v1")
			e.Setenv("TESTDATA", here+"/testdata")
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("DARWARP_CUDA", os.Getenv("DARWARP_CUDA"))
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("DARWARP_TEST_WORKER", os.Getenv("DARWARP_TEST_WORKER"))
			return nil
		},
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition: condition,
	})
}

// condition knows [race]: the race detector watches, which takes more address space than some scripts allow.
func condition(name string) (bool, error) {
	if name != "race" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}), nil
}

// exits runs darwarp and compares its exit code: exits CODE ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARG...")
	}
	err := ts.Exec("darwarp", args[1:]...)
	got := 0
	if e, ok := err.(interface{ ExitCode() int }); ok {
		got = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("darwarp: %v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code %d, expected %s", got, args[0])
	}
}

// mkrun writes a run of the axpy problem with made-up figures: mkrun FILE [empty|ARCH]. With an architecture it is that
// of an island, on the GPU night@GPU-KIND.db.
func mkrun(args []string) int {
	make := func() error { return makeRun(args[0], len(args) > 1) }
	if len(args) > 1 && args[1] != "empty" {
		make = func() error { return makeRunOn(args[0], false, args[1]) }
	}
	if err := make(); err != nil {
		fmt.Fprintln(os.Stderr, "mkrun:", err)
		return 1
	}
	return 0
}

func makeRun(path string, empty bool) error { return makeRunOn(path, empty, "") }

// makeRunOn makes a run, of an island where an architecture is named: the file's name says the rest.
func makeRunOn(path string, empty bool, arch string) error {
	b, err := templates.Load(os.DirFS(os.Getenv("TESTDATA") + "/axpy"))
	if err != nil {
		return err
	}
	dev, err := kernels.ArchDevice(cmp.Or(arch, "sm_90a"))
	if err != nil {
		return err
	}
	dev.Toolchain, dev.Driver = "NVRTC 13.0", "580.1"
	island := ""
	if arch != "" {
		_, of, _ := strings.Cut(strings.TrimSuffix(path, ".db"), "@")
		dev.Name, island, _ = strings.Cut(of, "-")
	}
	m := store.Meta{Version: "test", Created: time.Unix(1760000000, 0).UTC(), Problem: "axpy", Files: b.Files,
		DType:     kernels.FP32,
		Workloads: b.Problem.Workloads[:2], Device: dev, Strategy: "evolve", Seed: 1, Cache: "hot",
		Island: island}
	r, err := store.Create(path, m)
	if err != nil {
		return err
	}
	defer r.Close()
	if empty {
		return nil
	}
	proof, err := r.PutProvenance(kernels.Provenance{Device: dev, Protocol: "1", Version: "test", Started: m.Created,
		DType: m.DType, CacheMode: "hot",
		Ceilings: &kernels.Ceilings{Bandwidth: 4e12, L2: 8e12, Matrix: 5e13}})
	if err != nil {
		return err
	}
	return fillRun(r, b, dev, proof)
}

// fillRun stores a naive start, two gains on it, and two failures.
func fillRun(r *store.Run, b *templates.Bundle, dev kernels.Device, proof string) error {
	genome := func(threads, per int, unroll bool) kernels.Genome {
		g := kernels.Genome{"threads": kernels.Int(threads), "per_thread": kernels.Int(per)}
		if per > 1 {
			g["unroll"] = kernels.Bool(unroll)
		}
		return g
	}
	var parent []kernels.ID
	for _, x := range []struct {
		genes    kernels.Genome
		operator string
		note     string
		outcome  kernels.Outcome
		detail   string
		small    float64 // ns
		large    float64
		score    float64
	}{
		{genome(64, 1, false), "default", "", kernels.OK, "", 2000, 8000, 1},
		{genome(256, 1, false), "mutate", "threads 64 -> 256", kernels.OK, "", 1500, 5000, 0.6642},
		{genome(512, 1, false), "random", "", kernels.Wrong, "z[17] = 3, expected 4\nmore", 0, 0, 0},
		{genome(512, 2, false), "random", "", kernels.CompileFailed, "kernel.cu(3): error: expected a ;", 0, 0, 0},
		{genome(256, 4, true), "mutate", "per_thread 1 -> 4, unroll true", kernels.OK, "", 1400, 4000, 0.5593},
	} {
		j, err := b.Job(b.Families[0], x.genes, dev, kernels.FP32)
		if err != nil {
			return err
		}
		c := kernels.Candidate{ID: j.ID, Variant: j.Variant, Score: x.score, At: time.Unix(1760000100, 0).UTC(),
			Origin: kernels.Origin{Operator: x.operator, Parents: parent, Note: x.note, Generation: 1 + len(parent)},
			Result: kernels.Result{Outcome: x.outcome, Detail: x.detail}}
		if x.outcome == kernels.OK {
			c.Result.Provenance, c.Result.Code = proof, j.ID.Short()
			c.Result.Gate = &kernels.GateReport{Checks: 8, Elements: 12345, Worst: 0.25, Where: "33 normal"}
			c.Result.Resources = []kernels.Resources{{Entry: "axpy", Registers: 24, BlocksPerSM: 8, Occupancy: 1}}
			for i, ns := range []float64{x.small, x.large} {
				c.Result.Times = append(c.Result.Times, kernels.Timing{Workload: r.Meta().Workloads[i].Name, Median: ns,
					Lo: ns * 0.99, Hi: ns * 1.01, Samples: 40, Cache: "hot", Tier: "fitness"})
			}
		}
		if err := r.Put(&c, nil); err != nil {
			return err
		}
		if x.outcome == kernels.OK {
			parent = []kernels.ID{c.ID}
		}
	}
	if err := r.PutBaseline(kernels.BaselineResult{Name: "default", Kind: kernels.BaselineName, Provenance: proof,
		Times: []kernels.Timing{{Workload: "small", Median: 2000, Cache: "hot"},
			{Workload: "large", Median: 8000, Cache: "hot"}}}); err != nil {
		return err
	}
	return r.SetChampion(parent[0], "a duel")
}

// mkspace writes a recording of the axpy problem with made-up figures: mkspace FILE [wide|shapes]. With shapes,
// each shape has an optimum of its own.
func mkspace(args []string) int {
	b, figures := axpyBundle, madeUp
	switch {
	case len(args) > 1 && args[1] == "shapes":
		figures = madeUpShapes
	case len(args) > 1:
		b, figures = wideBundle, madeUpWide
	}
	if err := makeSpaceOf(args[0], b, figures); err != nil {
		fmt.Fprintln(os.Stderr, "mkspace:", err)
		return 1
	}
	return 0
}

func axpyBundle() (*templates.Bundle, error) {
	return templates.Load(os.DirFS(os.Getenv("TESTDATA") + "/axpy"))
}

func makeSpace(path string) error { return makeSpaceOf(path, axpyBundle, madeUp) }

func makeSpaceOf(path string, bundle func() (*templates.Bundle, error),
	figures func(int, *kernels.Space) *kernels.Candidate) error {
	b, err := bundle()
	if err != nil {
		return err
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		return err
	}
	files := map[string]string{}
	for name, data := range b.Files {
		files[name] = string(data)
	}
	rec := &replay.Record{Format: replay.Format, Problem: "axpy", DType: kernels.FP32, Cache: "hot",
		Workloads: b.Problem.Workloads, Device: dev, Files: files,
		Provenance: kernels.Provenance{Device: dev, Protocol: "1", Version: "test", Started: time.Unix(1760000000, 0).UTC(),
			DType: kernels.FP32, CacheMode: "hot"}}
	space, err := kernels.NewSpace(b.Families[0], dev, kernels.FP32, nil)
	if err != nil {
		return err
	}
	for i := range space.Len() {
		if err := rec.Add(space.Family, figures(i, space)); err != nil {
			return err
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(rec.Write(f), f.Close())
}

// madeUp is a verdict on the i-th point: a bowl around 256 threads and 4 elements, with some failures.
func madeUp(i int, space *kernels.Space) *kernels.Candidate { return bowls(i, space, 3) }

// madeUpShapes is madeUp, but the small shape wants 64 threads.
func madeUpShapes(i int, space *kernels.Space) *kernels.Candidate { return bowls(i, space, 1) }

// bowls is a verdict on the i-th point, with the number of threads that is best at the small shape.
func bowls(i int, space *kernels.Space, small float64) *kernels.Candidate {
	p := space.At(i)
	c := &kernels.Candidate{Variant: kernels.Variant{Family: space.Family.Name, Genes: space.Genome(p)}}
	c.Result.Code, c.Result.Cost.Time = fmt.Sprint(i), 0.5
	if p[0] == 4 && p[1] == 2 {
		c.Result.Outcome = kernels.Wrong
		return c
	}
	c.Result.Outcome = kernels.OK
	for j, ns := range []float64{1000, 4000} {
		far := 1 + 0.3*math.Abs(float64(p[0])-[]float64{small, 3}[j]) + 0.2*math.Abs(float64(p[1])-2) - 0.05*float64(p[2])
		c.Result.Times = append(c.Result.Times, kernels.Timing{Workload: []string{"small", "large"}[j], Median: ns * far,
			Lo: ns * far * 0.99, Hi: ns * far * 1.01})
	}
	return c
}
