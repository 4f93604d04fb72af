package eval

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/cpu"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/sandbox"
	"darwarp/kernels"
)

// idleNice is the niceness of workers that take what time nobody else wants.
const idleNice = 19

// openCPU readies this machine's processor: the same sources, compiled against the emulation.
func (p *Pool) openCPU(where Location) (err error) {
	if err := where.CXX.missing(); err != nil {
		return err
	}
	p.role, p.device = cpuRole.in(p.cfg.fence()), cpu.Describe()
	p.role.children = p.cfg.Races
	if p.cfg.idle {
		p.role.nice = idleNice
	}
	p.cfg.progress("starting compilers")
	fence := p.cfg.fence()
	if p.compiler, err = p.cxx(where, false, fence); err != nil && fence == sandbox.Best {
		inside := err
		if p.compiler, err = p.cxx(where, false, ""); err == nil { // compilers keep their parts where they like
			fence = ""
			err = p.unfenced("the compiler", "compilers", inside)
		}
	}
	var refused *EnvError
	if errors.As(err, &refused) {
		return err
	}
	if err == nil && p.cfg.Races {
		p.checkers, err = p.cxx(where, true, fence)
	}
	if err := noCache(err); err != nil {
		return err
	}
	if err != nil {
		return &EnvError{What: "a working C++17 compiler", Why: fmt.Sprintf("%s cannot serve the cpu device: %v",
			where.CXX.Path, err), Tried: where.CXX.Tried, Do: where.CXX.Do}
	}
	return nil
}

// noCache is an error of the cache's folder for people; nil where there is none.
func noCache(err error) error {
	var cache *compile.CacheError
	if !errors.As(err, &cache) {
		return nil
	}
	return &EnvError{What: "a folder for the cache of compiled kernels", Why: cache.Err.Error(),
		Do: "Set XDG_CACHE_HOME to a folder that can be written to"}
}

func (p *Pool) cxx(where Location, checked bool, fence sandbox.Mode) (*compile.Pool, error) {
	cfg := cpu.Compiler(where.CXX.Path, p.cfg.Headers, checked)
	cfg.Slots, cfg.CacheDir, cfg.Log, cfg.Sandbox = p.cfg.jobs(), p.cfg.CacheDir, p.log, fence
	return compile.New(cfg)
}

// TryCPU compiles a small kernel with the C++ compiler that was found and runs it: what the cpu device
// needs from a machine. It returns the toolchain.
func TryCPU(ctx context.Context, where Location, headers map[string][]byte) (toolchain string, err error) {
	if err := where.CXX.missing(); err != nil {
		return "", err
	}
	cfg := cpu.Compiler(where.CXX.Path, headers, false)
	cfg.Slots = 1
	pool, err := compile.New(cfg)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	out, err := pool.Compile(ctx, trialSource)
	if err == nil && out.Failure != "" {
		err = fmt.Errorf("a small kernel does not compile: %s", out.Failure)
	}
	if err != nil {
		return "", err
	}
	return pool.Toolchain(), runTrial(ctx, out.Cubin)
}

// trial is a kernel of one warp and what becomes of it.
const (
	trialSource = `extern "C" __global__ void trial(float *y) { y[threadIdx.x] = float(threadIdx.x) / 2.f; }` + "\n"
	trialSize   = 32
)

func runTrial(ctx context.Context, image []byte) error {
	c := device.Case{Name: "trial", Class: "exact", Buffers: []kernels.Buffer{{Name: "y", Out: true, DType: kernels.FP32,
		Shape: []int{trialSize}}}}
	out, err := proc.NewShared("darwarp-trial", int64(c.OutBytes()))
	if err != nil {
		return err
	}
	defer out.Close()
	w, _, err := startWorker(ctx, cpuRole, device.Open{}, nil, out.File())
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Call(ctx, device.Request{Prepare: &device.Prepare{Cases: []device.Case{c}, Slots: 1,
		SlotBytes: c.OutBytes()}}, nil, openDeadline, nil); err != nil {
		return err
	}
	one := [3]int{1, 1, 1}
	call := kernels.Call{Launches: []kernels.Launch{{Entry: "trial", Grid: one, Block: [3]int{trialSize, 1, 1},
		Cluster: one, Args: []kernels.Arg{{Kind: "tensor", Name: "y"}}}}}
	var reply device.GateReply
	if err := w.Call(ctx, device.Request{Gate: &device.Gate{Cubin: image, Calls: []kernels.Call{call}}}, &reply,
		openDeadline, nil); err != nil {
		return err
	}
	if reply.Fault != nil {
		return errors.New(reply.Fault.Text)
	}
	for i := range trialSize {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(out.Map()[4*i:])); got != float32(i)/2 {
			return fmt.Errorf("a small kernel gave %g in thread %d, expected %g", got, i, float32(i)/2)
		}
	}
	return nil
}
