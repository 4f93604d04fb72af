package gpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/kernels"
)

// TestWhoseFault: memory that runs out for a candidate is the candidate's, memory that runs out for us is ours.
func TestWhoseFault(t *testing.T) {
	failed := func(call string, code int) error {
		return fmt.Errorf("kernel k: %w", &cuda.Error{Code: code, Name: "CUDA_ERROR", Call: call})
	}
	for _, tt := range []struct {
		name string
		err  error
		want string // ours, refused, kept, crash
	}{
		{"no driver error", errors.New("argument x: no such buffer"), "ours"},
		{"our buffers", failed("cuMemAlloc_v2", cuda.OutOfMemory), "ours"},
		{"our pinned memory", failed("cuMemHostAlloc", cuda.OutOfMemory), "ours"},
		{"its scratch", fmt.Errorf("%w: 9 bytes: %w", errScratch, failed("cuMemAlloc_v2", cuda.OutOfMemory)), "refused"},
		{"its tables", failed("cuModuleLoadData", cuda.OutOfMemory), "refused"},
		{"its stack", failed("cuLaunchKernel", cuda.OutOfMemory), "refused"},
		{"its stack, in a graph", failed("cuGraphInstantiateWithFlags", cuda.OutOfMemory), "refused"},
		{"its stack, while a graph runs", failed("cuStreamSynchronize", cuda.OutOfMemory), "refused"},
		{"more than this device has", refusal("kernel k: too much"), "refused"},
		{"an image of another device", failed("cuModuleLoadData", cuda.NoBinaryForGPU), "refused"},
		{"a kernel that is not there", failed("cuModuleGetFunction", cuda.NotFound), "refused"},
		{"too many threads", failed("cuLaunchKernel", cuda.LaunchOutOfResources), "refused"},
		{"an address", failed("cuStreamSynchronize", cuda.IllegalAddress), "crash"},
		{"an address, told by the next launch", failed("cuLaunchKernel", cuda.IllegalAddress), "crash"},
	} {
		f, err := fault("load", tt.err)
		got := "crash"
		switch {
		case err != nil:
			got = "ours"
		case f.Launch:
			got = "refused"
		}
		if got != tt.want || err == nil && (f.Text == "" || got != "crash" && f.Sticky) {
			t.Errorf("%s: %s, expected %s (%+v, %v)", tt.name, got, tt.want, f, err)
		}
	}
}

func TestTooMuchLocal(t *testing.T) {
	h200 := kernels.Device{Name: "H200", SMs: 132, ThreadsPerSM: 2048, MemoryBytes: 150_000_000_000}
	t4 := kernels.Device{Name: "T4", SMs: 40, ThreadsPerSM: 1024, MemoryBytes: 15_800_000_000}
	for _, tt := range []struct {
		on    kernels.Device
		local int
		want  string
	}{
		{h200, 0, ""},
		{h200, 32 << 10, ""},
		{h200, 36 << 10, "kernel k: 36864 bytes of local memory per thread are 9504 MiB " +
			"for the 270336 threads that H200 holds at once, at most 8940 MiB"},
		{h200, 480 << 10, "126720 MiB"},
		{t4, 20 << 10, ""},
		{t4, 32 << 10, "at most 941 MiB"},
	} {
		err := tooMuchLocal(tt.on, "k", tt.local)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %d bytes: %v, expected %q", tt.on.Name, tt.local, err, tt.want)
		}
	}
}
