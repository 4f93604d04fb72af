package rig

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"time"

	"darwarp/eval/env"
	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/health"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/sandbox"
	"darwarp/kernels"
	"darwarp/kernels/source"
)

// OutputSlots is how many candidates' outputs can wait for the checker while the device goes on.
const OutputSlots = 3

// Open readies a device. What it lacks of this machine is an *env.Error.
func Open(ctx context.Context, cfg Config, with Options) (ready *Rig, err error) {
	p := &Rig{Options: with, Cfg: cfg, Log: cfg.Log}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	defer p.Cfg.watchOpening()()
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if err := env.CheckLimits(); err != nil {
		return nil, err
	}
	open, err := p.openDevice(ctx, cfg.Locate())
	if err != nil {
		return nil, err
	}
	p.Device.Toolchain = p.Compiler.Toolchain()
	if err := p.start(ctx, open); err != nil {
		return nil, err // not p, which is closed
	}
	p.makeTruthsAhead()
	return p, nil
}

// openDevice finds the device and starts compilers for it.
func (p *Rig) openDevice(ctx context.Context, where env.Location) (open device.Open, err error) {
	if p.Leader != nil {
		return p.join(ctx, where)
	}
	if err := p.Cfg.CheckFence(); err != nil {
		return open, err
	}
	switch p.Cfg.Kind {
	case "", "cuda":
		return p.openCUDA(ctx, where)
	case "cpu":
		return open, p.openCPU(ctx, where)
	}
	return open, fmt.Errorf("unknown kind of device %q", p.Cfg.Kind)
}

// openCUDA finds a GPU and starts compilers for it. The harness is the first that they compile.
func (p *Rig) openCUDA(ctx context.Context, where env.Location) (open device.Open, err error) {
	for _, f := range []env.Found{where.Driver, where.NVRTC, where.Headers} {
		if err := f.Missing(); err != nil {
			return open, err
		}
	}
	p.role = runner.GPU.In(p.Cfg.fence())
	p.Cfg.Say("looking at the GPU")
	look, err := p.look(ctx, where)
	if err != nil {
		return open, err
	}
	p.Device, p.shares = look.Device, look.Shares
	p.Device.Driver = env.DriverVersion()
	p.Cfg.Say("starting compilers")
	p.Compiler, err = p.Cfg.NVRTC(ctx, where, p.Device.Arch)
	if err := env.UnusableFolder(err); err != nil {
		return open, err
	}
	if err != nil {
		return open, err
	}
	if to := p.Cfg.Archs; len(to) > 0 {
		p.Compiler.Wake(slices.Contains(to, "sm_90a") && p.Device.Arch == "sm_90a") // opening the device takes longer
	}
	open = device.Open{Index: p.Cfg.GPU, Driver: where.Driver.Path, Library: where.BLASLt.Path}
	open.Harness, err = p.compileOurs(ctx, "the harness", gpu.HarnessSource)
	return open, err
}

// NVRTC starts compilers for an architecture.
func (c *Config) NVRTC(ctx context.Context, where env.Location, arch string) (*compile.Pool, error) {
	return compile.New(ctx, compile.Config{Library: where.NVRTC.Path, IncludeDirs: where.Include, Headers: c.Headers,
		Arch: arch, Slots: c.jobs(), CacheDir: c.CacheDir, Log: c.Log, Sandbox: c.fence()})
}

// Locate is where things are on this machine.
func (c *Config) Locate() env.Location {
	if c.Where != nil {
		return *c.Where
	}
	return env.Locate()
}

// look asks the GPU from within the sandbox. Drivers differ in what they reach for: where one does not work, candidates
// run without namespaces of their own, then in a wider fence, and at last, where that is allowed, outside of it. A
// worker that was killed from outside, or for want of memory, says nothing about its fence.
func (p *Rig) look(ctx context.Context, where env.Location) (device.OpenReply, error) {
	inside := p.role
	look, err := env.LookAs(ctx, inside, where, p.Cfg.GPU)
	if err == nil || inside.Sandbox == "" || runner.Starved(err) {
		return look, err
	}
	why := err
	for _, wider := range []struct {
		wide bool
		said string
	}{
		{false, "the driver does not work in namespaces of its own, candidates run without"},
		{true, "the driver needs a wider sandbox: files and sockets are fenced, most system calls are not"},
	} {
		inside.Shared, inside.Wide = true, wider.wide
		if look, err = env.LookAs(ctx, inside, where, p.Cfg.GPU); err == nil {
			p.role = inside
			p.Cfg.Say(fmt.Sprintf("%s (%v)", wider.said, why))
			return look, nil
		}
		if runner.Starved(err) {
			return look, err
		}
	}
	if inside.Sandbox != sandbox.Best {
		return look, why
	}
	if look, err = env.Look(ctx, where, p.Cfg.GPU); err == nil {
		if err := p.Cfg.unfenced("the driver", "candidates", why); err != nil {
			return look, err
		}
		p.role = p.role.In("")
	}
	return look, err
}

// compileOurs compiles device code of ours; a failure is an error.
func (p *Rig) compileOurs(ctx context.Context, what, source string) ([]byte, error) {
	out, err := p.Compiler.Compile(ctx, source)
	if err != nil {
		return nil, err
	}
	if out.Failure != "" {
		return nil, fmt.Errorf("%s does not compile:\n%s", what, out.Failure)
	}
	return out.Cubin, nil
}

// compileReference compiles the reference kernel; nil: there is a teller in its place.
func (p *Rig) compileReference(ctx context.Context) ([]byte, error) {
	file := p.Cfg.Problem.Reference.File
	if p.Cfg.Problem.Reference.IsModule() {
		if p.Cfg.Teller == nil {
			return nil, fmt.Errorf("%s: nobody runs the module here", file)
		}
		return nil, nil
	}
	if why := source.Check(p.Cfg.Reference); why != "" {
		return nil, fmt.Errorf("%s: %s", file, why)
	}
	return p.compileOurs(ctx, file, p.Cfg.Reference)
}

// start makes the cases, their truth, and the workers that live as long as the pool.
func (p *Rig) start(ctx context.Context, open device.Open) error {
	reference, err := p.compileReference(ctx)
	if err != nil {
		return err
	}
	if err := p.takeCases(ctx, open, reference); err != nil {
		return err
	}
	if err := p.fits(); err != nil {
		return err
	}
	p.Runner = p.makeRunner(open, reference)
	if p.Joinable != nil {
		p.Joinable(p)
	}
	if err := p.openJudge(ctx, open, reference); err != nil {
		return err
	}
	if err := p.insist(ctx, func() error { return p.checkTruth(ctx) }); err != nil {
		return err
	}
	p.Runner.MakeSlots(p.Runner.Prepare.Slots)
	if err := p.insist(ctx, func() (err error) {
		p.Runner.Prepare.Palettes, err = p.palettes(ctx)
		return err
	}); err != nil {
		return err
	}
	if uuid := p.Device.UUID; p.role.OnGPU() && uuid != "" {
		p.Health = health.Watch(p.Log, func(ctx context.Context) (*env.Watcher, error) { return env.Watch(ctx, uuid) })
	}
	p.Cfg.Say("measuring the device's ceilings")
	return p.insist(ctx, func() error { return p.prove(ctx) })
}

// makeRunner makes what has device workers, for the cases that there are.
func (p *Rig) makeRunner(open device.Open, reference []byte) *runner.Runner {
	uuid := ""
	if p.role.OnGPU() {
		uuid = p.Device.UUID
	} else {
		p.role = p.role.Among(runtime.NumCPU(), p.Cases.DeviceBytes(p.Device.L2Bytes))
	}
	prepare := device.Prepare{Cases: p.Cases.List, SlotBytes: p.Cases.SlotBytes(), GuardKey: p.Cases.GuardKey}
	if p.Cfg.Problem.Reference.Maker != nil {
		prepare.Maker = reference
	}
	return runner.New(runner.Setup{Log: p.Log, Trace: p.Cfg.Trace, Row: p.row(), Role: p.role, Open: open,
		Prepare: prepare}, uuid)
}

var (
	// ErrTooLarge says that the sizes asked for do not fit the device.
	ErrTooLarge = errors.New("too large")
	// ErrUnfit says that the problem's check cannot tell right from wrong.
	ErrUnfit = cases.ErrUnfit
)

// fits refuses sizes that the device cannot hold, before anything is allocated.
func (p *Rig) fits() error {
	need := p.Cases.LeastDeviceBytes(p.Device.L2Bytes)
	if need > p.Device.MemoryBytes/10*9 {
		return fmt.Errorf("%w: the workloads need %.1f GiB of memory with their copies, %s has %.1f GiB: choose smaller "+
			"ones with --workload",
			ErrTooLarge, float64(need)/(1<<30), p.Device.Name, float64(p.Device.MemoryBytes)/(1<<30))
	}
	return nil
}

// memory makes memory that workers share; it ends with the rig.
func (p *sharedMemory) memory(name string, bytes int) (*proc.Shared, error) {
	m, err := proc.NewShared(name, int64(max(bytes, 4096)))
	if err == nil {
		p.memories = append(p.memories, m)
	}
	return m, err
}

// prove gathers the session's provenance.
func (p *Rig) prove(ctx context.Context) error {
	host, _ := os.Hostname()
	p.Proof = kernels.Provenance{Device: p.Device, GPU: p.Cfg.GPU, Protocol: Protocol, Version: p.Cfg.Version, Host: host,
		Started: time.Now().UTC().Truncate(time.Second), DType: p.Cfg.DType, CacheMode: p.Cfg.Cache}
	c := &kernels.Ceilings{}
	measured, times := p.Cfg.Problem.MatrixPeak(p.Cfg.DType)
	if err := p.Runner.Call(ctx, device.Request{Ceilings: &device.Ceilings{DType: measured}}, c,
		runner.FillDeadline); err != nil {
		return fmt.Errorf("measure the device's ceilings: %w", err)
	}
	c.Matrix *= times
	p.Proof.Ceilings = c
	return nil
}

// insist is the function of that name for a step of this session.
func (p *Rig) insist(ctx context.Context, step func() error) error {
	return runner.Insist(ctx, func(err error) {
		p.Log.Warn("worker lost while opening", "error", err)
		p.Cfg.Say("a worker was killed from outside; starting it again")
	}, step)
}
