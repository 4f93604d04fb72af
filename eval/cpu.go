package eval

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"darwarp/eval/env"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/cpu"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
	"darwarp/kernels"
)

// TryCPU compiles a small kernel with the C++ compiler that was found and runs it: what the cpu device
// needs from a machine. It returns the toolchain.
func TryCPU(ctx context.Context, where env.Location, headers map[string][]byte) (toolchain string, err error) {
	if err := where.CXX.Missing(); err != nil {
		return "", err
	}
	cfg := cpu.Compiler(where.CXX.Path, headers, false)
	cfg.Slots = 1
	pool, err := compile.New(ctx, cfg)
	if err := env.UnusableFolder(err); err != nil {
		return "", err
	}
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
	w, _, err := runner.Start(ctx, runner.CPU, device.Open{}, nil, out.File())
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Call(ctx, device.Request{Prepare: &device.Prepare{Cases: []device.Case{c}, Slots: 1,
		SlotBytes: c.OutBytes()}}, nil, runner.OpenDeadline, nil); err != nil {
		return err
	}
	one := [3]int{1, 1, 1}
	call := kernels.Call{Launches: []kernels.Launch{{Entry: "trial", Grid: one, Block: [3]int{trialSize, 1, 1},
		Cluster: one, Args: []kernels.Arg{{Kind: "tensor", Name: "y"}}}}}
	var reply device.GateReply
	if err := w.Call(ctx, device.Request{Gate: &device.Gate{Cubin: image, Calls: []kernels.Call{call}}}, &reply,
		runner.OpenDeadline, nil); err != nil {
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
