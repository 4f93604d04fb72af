package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/sandbox"
)

// startWorker starts a device worker and opens its device.
func startWorker(ctx context.Context, r role, open device.Open, args []string, files ...*os.File) (
	*proc.Worker, device.OpenReply, error) {
	var reply device.OpenReply
	w, err := proc.Start(ctx, proc.Spec{Args: append([]string{"worker", r.worker}, args...), Files: files, Env: r.env,
		Fence: r.fence(open), Nice: r.nice})
	if err != nil {
		return nil, reply, err
	}
	if err := w.Call(ctx, device.Request{Open: &open}, &reply, openDeadline, nil); err != nil {
		return nil, reply, errors.Join(fmt.Errorf("open the device: %w", err), w.Close())
	}
	return w, reply, nil
}

// role is the kind of worker that drives a device.
type role struct {
	worker   string
	env      []string
	devices  []string     // to control, as patterns
	driver   bool         // of a GPU, whose driver needs more of the kernel
	shared   bool         // stays in our namespaces
	wide     bool         // its driver does not work in a narrower fence
	children bool         // starts addr2line, which tells the lines of accesses
	memory   uint64       // bytes that it may take of its own; 0: mostMemory
	nice     int          // added to its niceness
	sandbox  sandbox.Mode // empty: off
}

// in is the role inside of a sandbox.
func (r role) in(m sandbox.Mode) role {
	r.sandbox = m
	return r
}

// fence lets a device worker read the system and the driver's folder, and control its devices. It
// writes no file, and starts no process unless it looks for races.
func (r role) fence(open device.Open) *sandbox.Profile {
	if r.sandbox == "" {
		return nil
	}
	f := &sandbox.Profile{Mode: r.sandbox, Read: sandbox.System(), Write: []string{"/dev/null"},
		Driver: r.driver, Shared: r.shared, Wide: r.wide, Children: r.children, FileSize: 1 << 28,
		Memory: cmp.Or(r.memory, mostMemory())}
	if r.wide { // devices have more names than a list could hold; the driver names its threads in /proc
		f.Write = append(f.Write, "/dev", "/proc")
	}
	for _, pattern := range r.devices {
		found, _ := filepath.Glob(pattern)
		f.Write = append(f.Write, found...)
	}
	for _, lib := range []string{open.Driver, open.Library} {
		if path, err := filepath.EvalSymlinks(lib); err == nil && lib != "" {
			f.Read = append(f.Read, filepath.Dir(path), filepath.Dir(lib))
		}
	}
	return f
}

// hostMemory is what a cpu worker may take beside four times its cases, which are buffers, inputs as they were made,
// and room that Go's heap leaves: scratch, the stacks of a block's threads, programs.
const hostMemory = 4 << 30

// mostMemory is nine tenths of what this machine has, in bytes; 0, which is no limit, if that is not known.
func mostMemory() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit) / 10 * 9
}

var (
	// The driver must not compile or cache anything beside the measurements: candidates come as machine
	// code. Kernels are loaded when they are asked for, which a candidate's are before the gate: EAGER would load all of
	// cuBLASLt into every fresh worker, 1.1 s of the 1.3 s that one took to be ready on an H200.
	gpuRole = role{
		worker: "gpu",
		env:    []string{"CUDA_DISABLE_PTX_JIT=1", "CUDA_CACHE_DISABLE=1", "CUDA_MODULE_LOADING=LAZY"},
		// NVIDIA's own, those of its boards with a processor, and the one of Windows' Linux. Not all of /dev: disks are
		// there.
		devices: []string{"/dev/nvidia*", "/dev/nvhost*", "/dev/nvmap", "/dev/nvgpu*", "/dev/dri/renderD*", "/dev/dxg"},
		driver:  true,
	}
	cpuRole = role{worker: "cpu"}
)
