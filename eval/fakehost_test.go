package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"darwarp/eval/env"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// A fake GPU beside others does what a file says that is named after it, in the folder DARWARP_FAKE: gpu1.broken has
// it not open, gpu1.killed and gpu1.stopped take its worker along at each gate, gpu1.hangs has them never
// end, gpu1.wrong has it compute wrong values.

func faked(gpu int, what string) string {
	return filepath.Join(os.Getenv("DARWARP_FAKE"), fmt.Sprintf("gpu%d.%s", gpu, what))
}

func (f *fake) does(what string) bool {
	_, err := os.Stat(faked(f.gpu, what))
	return err == nil
}

// open is the fake of one of several GPUs.
func (f *fake) open(gpu int, dev *kernels.Device) {
	f.gpu = gpu
	if os.Getenv("DARWARP_FAKE_HOST") != "" {
		dev.UUID = fmt.Sprint("GPU-fake-", gpu)
	}
	if f.does("broken") {
		os.Exit(1)
	}
}

// early ends a worker that is to make the truth: its GPU is opened up to there.
func (f *fake) early(truth bool) {
	if truth && f.does("untrue") {
		os.Exit(1)
	}
}

func (f *fake) fail() {
	switch {
	case f.does("killed"):
		die(syscall.SIGKILL)
	case f.does("stopped"):
		die(syscall.SIGSTOP)
	case f.does("hangs"):
		time.Sleep(time.Hour)
	}
}

// factor is what its results are off by.
func (f *fake) factor() float64 {
	if f.does("wrong") {
		return 1.01
	}
	return 1
}

// slower is by how much GPU 1 is: not for every kernel the same.
func (f *fake) slower(entry string) float64 {
	switch {
	case f.gpu != 1:
		return 1
	case entry == "fast":
		return 1.06
	}
	return 1.04
}

// fail has a GPU do something from now on.
func fail(t *testing.T, gpu int, what string) {
	t.Helper()
	if err := os.WriteFile(faked(gpu, what), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// fakeHost opens fake GPUs. before, where it is given, is done first.
func fakeHost(t *testing.T, gpus int, before func(cfg *Config)) (*Host, error) {
	t.Helper()
	where := env.Locate()
	if where.NVRTC.Path == "" || len(where.Include) == 0 {
		t.Skip("NO EVALUATION IS TESTED: NVRTC or its headers not found; see darwarp doctor")
	}
	where.Driver.Path, where.BLASLt.Path, where.NVML = "fake", "", env.Found{Why: "none"}
	t.Setenv("DARWARP_FAKE", t.TempDir())
	t.Setenv("DARWARP_FAKE_HOST", "1")
	p := kernelstest.Problem(t, kernelstest.Scale)
	cfg := Config{Problem: p, Headers: fakeInclude, DType: kernels.FP32, Workloads: p.Workloads, Cache: "hot",
		Reference: `extern "C" __global__ void reference(const float *x, double *y, float *s, int n) {}`,
		Means:     Means{CacheDir: testCache, Jobs: 2, Where: &where}}
	if before != nil {
		before(&cfg)
	}
	var list []int
	for i := range gpus {
		list = append(list, i)
	}
	h, err := OpenHost(t.Context(), cfg, list)
	if err == nil {
		t.Cleanup(func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return h, err
}

// mustHost is fakeHost with a first kernel that was timed on all.
func mustHost(t *testing.T, gpus int) *Host {
	t.Helper()
	h, err := fakeHost(t, gpus, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := fakeJob(t, h.front, "good")
	start.Bar = nil
	r, err := h.Evaluate(t.Context(), start)
	if err != nil || r.Outcome != kernels.OK || r.Times[0].Scale != 0 || r.Provenance != h.proofOf(0) {
		t.Fatalf("the naive start: %+v, %v", r, err)
	}
	return h
}

// proofOf is the key that figures of a GPU have.
func (h *Host) proofOf(gpu int) string { return h.places.all[gpu].pool.Provenance().Key() }

// outs are the GPUs that are left out, with why.
func (h *Host) outs() (all []string) {
	for _, g := range h.Machine(context.Background()).GPUs {
		if g.LeftOut != "" {
			all = append(all, fmt.Sprintf("%d: %s", g.Index, g.LeftOut))
		}
	}
	return all
}

// asked evaluates n kernels that are right, all at once, and gives the verdicts.
func asked(t *testing.T, h *Host, prefix string, n int) []kernels.Result {
	t.Helper()
	type answer struct {
		r   kernels.Result
		err error
	}
	answers := make(chan answer)
	for i := range n {
		job := fakeJob(t, h.front, fmt.Sprint(prefix, strings.Repeat("x", i)))
		go func() {
			r, err := h.Evaluate(context.Background(), job)
			answers <- answer{r, err}
		}()
	}
	var all []kernels.Result
	for range n {
		a := <-answers
		if a.err != nil {
			t.Error(a.err)
		}
		all = append(all, a.r)
	}
	return all
}

// until waits for something that is done beside.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 30_000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not come", what)
}

// on counts verdicts by GPU.
func on(h *Host, all []kernels.Result) []int {
	n := make([]int, len(h.places.all))
	for _, r := range all {
		at := slices.IndexFunc(h.places.all, func(p *place) bool { return p.pool.Provenance().Key() == r.Provenance })
		if at >= 0 {
			n[at]++
		}
	}
	return n
}
