package runner

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

// Start starts a device worker and opens its device.
func Start(ctx context.Context, r Role, open device.Open, args []string, files ...*os.File) (
	*proc.Worker, device.OpenReply, error) {
	var reply device.OpenReply
	w, err := proc.Start(ctx, proc.Spec{Args: append([]string{"worker", r.Worker}, args...), Files: files, Env: r.Env,
		Fence: r.Fence(open), Nice: r.Nice})
	if err != nil {
		return nil, reply, err
	}
	if err := w.Call(ctx, device.Request{Open: &open}, &reply, OpenDeadline, nil); err != nil {
		return nil, reply, errors.Join(fmt.Errorf("open the device: %w", err), w.Close())
	}
	return w, reply, nil
}

// Role is the kind of worker that drives a device.
type Role struct {
	Worker   string
	Env      []string
	devices  []string     // to control, as patterns
	Driver   bool         // of a GPU, whose driver needs more of the kernel
	Shared   bool         // stays in our namespaces
	Wide     bool         // its driver does not work in a narrower fence
	Children bool         // starts addr2line, which tells the lines of accesses
	memory   uint64       // bytes that it may take of its own; 0: MostMemory
	Nice     int          // added to its niceness
	Sandbox  sandbox.Mode // empty: off
}

// In is the role inside of a sandbox.
func (r Role) In(m sandbox.Mode) Role {
	r.Sandbox = m
	return r
}

// Fence lets a device worker read the system and the driver's folder, and control its devices. It
// writes no file, and starts no process unless it looks for races.
func (r Role) Fence(open device.Open) *sandbox.Profile {
	if r.Sandbox == "" {
		return nil
	}
	f := &sandbox.Profile{Mode: r.Sandbox, Read: sandbox.System(), Write: []string{"/dev/null"},
		Driver: r.Driver, Shared: r.Shared, Wide: r.Wide, Children: r.Children, FileSize: 1 << 28,
		Memory: cmp.Or(r.memory, MostMemory())}
	f.Write = append(f.Write, r.Devices()...)
	for _, lib := range []string{open.Driver, open.Library} {
		if path, err := filepath.EvalSymlinks(lib); err == nil && lib != "" {
			f.Read = append(f.Read, filepath.Dir(path), filepath.Dir(lib))
		}
	}
	return f
}

// Devices are the files of this machine that the role controls.
func (r Role) Devices() (list []string) {
	for _, pattern := range r.devices {
		found, _ := filepath.Glob(pattern)
		list = append(list, found...)
	}
	return list
}

// hostMemory is what a cpu worker may take beside four times its cases, which are buffers, inputs as they were made,
// and room that Go's heap leaves: scratch, the stacks of a block's threads, programs.
const hostMemory = 4 << 30

// stackMemory is what the stacks of one processor's share of a launch may take: REGION of the emulation's dw/fiber.h,
// nearly all of it never touched. The sandbox counts it all the same, and beside it as much again while it is aligned.
const stackMemory = 128 << 20

// Among is the role of a cpu worker on a machine with so many processors, for cases that take so many bytes.
func (r Role) Among(processors, caseBytes int) Role {
	r.memory = min(MostMemory(), cpuMemory(processors, caseBytes))
	return r
}

// OnGPU reports whether the worker drives a GPU.
func (r Role) OnGPU() bool { return r.Worker == GPU.Worker }

// cpuMemory is what a cpu worker may take of its own, on so many processors, for cases that take so many bytes.
func cpuMemory(processors, caseBytes int) uint64 {
	return hostMemory + stackMemory*uint64(processors+1) + 4*uint64(caseBytes)
}

// MostMemory is nine tenths of what this machine has, in bytes; 0, which is no limit, if that is not known.
func MostMemory() uint64 {
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
	GPU = Role{
		Worker: "gpu",
		Env:    []string{"CUDA_DISABLE_PTX_JIT=1", "CUDA_CACHE_DISABLE=1", "CUDA_MODULE_LOADING=LAZY"},
		// NVIDIA's own, those of its boards with a processor, and the one of Windows' Linux. Not all of /dev: disks are
		// there.
		devices: []string{"/dev/nvidia*", "/dev/nvhost*", "/dev/nvmap", "/dev/nvgpu*", "/dev/dri/renderD*", "/dev/dxg"},
		Driver:  true,
	}
	CPU = Role{Worker: "cpu"}
)
