package eval

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"

	"darwarp/eval/env"
	"darwarp/eval/internal/attack"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/cpu"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/sandbox"
	"darwarp/kernels"
)

// AttackVerdict is what one attack from inside of a worker came to.
type AttackVerdict = attack.Verdict

// Attack has each kind of worker attack this process and this machine, in the sandbox that a search has: those that
// compile, that run candidates on the processor, and on a GPU if there is one. Where there is a C++ compiler, a
// candidate attacks, too. Skipped says which workers could not be tried, and why.
func Attack(ctx context.Context, where env.Location, headers map[string][]byte, mode SandboxMode) (
	verdicts []AttackVerdict, skipped []string, err error) {
	target, end, err := attack.NewTarget()
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	folder, err := os.MkdirTemp("", "darwarp-worker-*")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s := &attackSuite{ctx: ctx, target: target, all: attack.All(target), mode: mode}
	for _, k := range s.kinds(where, headers, folder) {
		if k.missing != "" {
			skipped = append(skipped, k.kind.Name+": "+k.missing)
			continue
		}
		found, err := s.attackFrom(k)
		verdicts = append(verdicts, found...)
		if errors.Is(err, errRefused) {
			skipped = append(skipped, k.kind.Name+": "+err.Error())
			continue
		}
		if err != nil {
			return verdicts, skipped, fmt.Errorf("%s: %w", k.kind.Name, err)
		}
	}
	return verdicts, skipped, nil
}

// attackSuite is a suite of attacks on one target.
type attackSuite struct {
	ctx    context.Context
	target *attack.Target
	all    []attack.Attack
	but    func(attack.Attack) bool // left out; nil: none
	mode   SandboxMode
}

// attacker is a worker from which attacks are made.
type attacker interface {
	try(ctx context.Context, number int) (attack.Outcome, error)
	Close() error
}

// workerKind is a kind of worker and how to start one.
type workerKind struct {
	kind    attack.Kind
	missing string // why there is none
	start   starter
}

type starter func(ctx context.Context) (attacker, error)

// errRefused says that the compilers refuse the source that would attack.
var errRefused = errors.New("its source is refused")

func (s *attackSuite) kinds(where env.Location, headers map[string][]byte, folder string) []workerKind {
	nvrtc := compile.Config{Library: where.NVRTC.Path, IncludeDirs: where.Include, Sandbox: s.mode}
	cxx := cpu.Compiler(where.CXX.Path, headers, false)
	cxx.Sandbox = s.mode
	open := device.Open{Driver: where.Driver.Path}
	gpu := workerKind{kind: attack.Kind{Name: "GPU worker", Driver: true},
		start: s.startWorker(runner.GPU.In(s.mode).Fence(open), attack.Request{Driver: open.Driver}, runner.GPU.Env)}
	if open.Driver == "" {
		gpu.missing = "no driver"
	} else if _, err := env.LookAs(s.ctx, runner.GPU.In(s.mode), where, 0); err != nil {
		gpu.missing = err.Error()
	}
	native := workerKind{kind: attack.Kind{Name: "candidate in a cpu worker", Native: true}}
	switch {
	case where.CXX.Path == "":
		native.missing = "no C++ compiler"
	case runtime.GOARCH != "amd64":
		native.missing = "its machine code is written for amd64"
	default:
		native.start = s.startCandidate(cxx)
	}
	return []workerKind{
		{kind: attack.Kind{Name: "compile worker"}, start: s.startWorker(nvrtc.Fence(folder), attack.Request{}, nil)},
		{kind: attack.Kind{Name: "C++ compile worker", Children: true},
			start: s.startWorker(cxx.Fence(folder), attack.Request{}, nil)},
		{kind: attack.Kind{Name: "cpu worker"},
			start: s.startWorker(runner.CPU.In(s.mode).Fence(device.Open{}), attack.Request{}, nil)},
		native, gpu,
	}
}

// applies reports whether an attack can be made from a kind of worker, and is not left out.
func (s *attackSuite) applies(a *attack.Attack, k attack.Kind) bool {
	return (a.Not == nil || !a.Not(k)) && (s.but == nil || !s.but(*a))
}

// attackFrom makes all attacks that apply from one kind of worker. One that an attack has ended is replaced.
func (s *attackSuite) attackFrom(b workerKind) (verdicts []AttackVerdict, err error) {
	var worker attacker
	finish := func() error {
		if worker == nil {
			return nil
		}
		err := worker.Close()
		worker = nil
		return err
	}
	defer func() { err = errors.Join(err, finish()) }()
	for i := range s.all {
		a := &s.all[i]
		if !s.applies(a, b.kind) {
			continue
		}
		if worker == nil {
			if worker, err = b.start(s.ctx); err != nil {
				return verdicts, err
			}
		}
		before := s.target.Look()
		out, err := worker.try(s.ctx, i)
		if s.ctx.Err() != nil {
			return verdicts, s.ctx.Err()
		}
		verdicts = append(verdicts, attack.Judge(b.kind, a, out, err, s.target.Saw(a, before)))
		if err != nil || a.Ends {
			if err := finish(); err != nil {
				return verdicts, err
			}
		}
	}
	return verdicts, nil
}

// startWorker starts a worker with a fence whose code is that of package attack.
func (s *attackSuite) startWorker(fence *sandbox.Profile, first attack.Request, env []string) starter {
	return func(ctx context.Context) (attacker, error) {
		w, err := proc.Start(ctx, proc.Spec{Args: []string{"worker", "attack"}, Fence: fence, Env: env})
		if err != nil {
			return nil, err
		}
		if err := w.Call(ctx, first, nil, runner.OpenDeadline, nil); err != nil {
			return nil, errors.Join(err, w.Close())
		}
		return &goAttacker{w, s.target}, nil
	}
}

type goAttacker struct {
	*proc.Worker
	target *attack.Target
}

func (g *goAttacker) try(ctx context.Context, number int) (out attack.Outcome, err error) {
	err = g.Call(ctx, attack.Request{Target: g.target, Number: number}, &out, runner.OpenDeadline, nil)
	return out, err
}

// startCandidate compiles the attacks as a candidate, and starts device workers that run it.
func (s *attackSuite) startCandidate(cfg compile.Config) starter {
	var image []byte
	return func(ctx context.Context) (attacker, error) {
		if image == nil {
			var err error
			if image, err = compileOne(ctx, cfg, attack.Source(s.all)); err != nil {
				return nil, err
			}
		}
		return s.startNative(ctx, image)
	}
}

// compileOne compiles a single source.
func compileOne(ctx context.Context, cfg compile.Config, source string) (image []byte, err error) {
	cfg.Slots = 1
	pool, err := compile.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	out, err := pool.Compile(ctx, source)
	if err == nil && out.Failure != "" {
		err = fmt.Errorf("%w: %s", errRefused, out.Failure)
	}
	return out.Cubin, err
}

type nativeAttacker struct {
	*proc.Worker
	image []byte
	out   *proc.Shared
}

func (s *attackSuite) startNative(ctx context.Context, image []byte) (attacker, error) {
	c := device.Case{Name: "attack", Class: "exact", Buffers: []kernels.Buffer{{Name: "y", Out: true, DType: kernels.FP32,
		Shape: []int{attack.Words}}}}
	out, err := proc.NewShared("darwarp-attack", int64(c.OutBytes()))
	if err != nil {
		return nil, err
	}
	w, _, err := runner.Start(ctx, runner.CPU.In(s.mode), device.Open{}, nil, out.File())
	if err == nil {
		if err = w.Call(ctx, device.Request{Prepare: &device.Prepare{Cases: []device.Case{c}, Slots: 1,
			SlotBytes: c.OutBytes()}}, nil, runner.OpenDeadline, nil); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return &nativeAttacker{w, image, out}, nil
}

func (n *nativeAttacker) try(ctx context.Context, number int) (result attack.Outcome, err error) {
	one := [3]int{1, 1, 1}
	calls := []kernels.Call{{Launches: []kernels.Launch{{Entry: attack.Entry, Grid: one, Block: one, Cluster: one,
		Args: []kernels.Arg{{Kind: "tensor", Name: "y"}, {Kind: "i32", Int: number}}}}}}
	var reply device.GateReply
	if err := n.Call(ctx, device.Request{Gate: &device.Gate{Cubin: n.image, Calls: calls}}, &reply, runner.OpenDeadline,
		nil); err != nil {
		return result, err
	}
	if reply.Fault != nil {
		return result, errors.New(reply.Fault.Text)
	}
	result.Call = int(binary.NativeEndian.Uint64(n.out.Map()))
	result.Returned = int64(binary.NativeEndian.Uint64(n.out.Map()[8:]))
	return result, nil
}

func (n *nativeAttacker) Close() error { return errors.Join(n.Worker.Close(), n.out.Close()) }
