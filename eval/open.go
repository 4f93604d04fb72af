package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/health"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/sandbox"
	"darwarp/kernels"
	"darwarp/kernels/source"
)

// outputSlots is how many candidates' outputs can wait for the checker while the device goes on.
const outputSlots = 3

// Open readies a device for candidates: it finds the libraries, compiles harness and reference, computes
// the truth in a process that never sees a candidate, checks the check, and measures the device's
// ceilings. An *EnvError says what this machine lacks.
func Open(ctx context.Context, cfg Config) (pool *Pool, err error) {
	p := &Pool{cfg: cfg, log: cfg.Log, known: known{
		seen: map[string]kernels.ID{}, repeats: map[string]float64{},
		blas: map[string]device.LibraryReply{}, rivals: map[string]*rival{},
	}}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if err := checkLimits(); err != nil {
		return nil, err
	}
	if err := p.checkFence(); err != nil {
		return nil, err
	}
	var open device.Open
	switch cfg.Kind {
	case "", "cuda":
		open, err = p.openCUDA(ctx, cfg.locate())
	case "cpu":
		err = p.openCPU(cfg.locate())
	default:
		err = fmt.Errorf("unknown kind of device %q", cfg.Kind)
	}
	if err != nil {
		return nil, err
	}
	p.device.Toolchain = p.compiler.Toolchain()
	if err := p.start(ctx, open); err != nil {
		return nil, err // not p, which is closed
	}
	return p, nil
}

// openCUDA finds a GPU and starts compilers for it. The harness is the first that they compile.
func (p *Pool) openCUDA(ctx context.Context, where Location) (open device.Open, err error) {
	for _, f := range []Found{where.Driver, where.NVRTC, where.Headers} {
		if err := f.missing(); err != nil {
			return open, err
		}
	}
	p.role = gpuRole.in(p.cfg.fence())
	p.cfg.progress("looking at the GPU")
	look, err := p.look(ctx, where)
	if err != nil {
		return open, err
	}
	p.device, p.shares = look.Device, look.Shares
	p.device.Driver = driverVersion()
	p.cfg.progress("starting compilers")
	p.compiler, err = compile.New(compile.Config{
		Library: where.NVRTC.Path, IncludeDirs: where.Include, Headers: p.cfg.Headers, Arch: p.device.Arch,
		Slots: p.cfg.jobs(), CacheDir: p.cfg.CacheDir, Log: p.log, Sandbox: p.cfg.fence(),
	})
	if err := noCache(err); err != nil {
		return open, err
	}
	if err != nil {
		return open, err
	}
	open = device.Open{Index: p.cfg.GPU, Driver: where.Driver.Path, Library: where.BLASLt.Path}
	open.Harness, err = p.compileOurs(ctx, "the harness", gpu.HarnessSource)
	return open, err
}

func (c *Config) locate() Location {
	if c.where != nil {
		return *c.where
	}
	return Locate()
}

// look asks the GPU from within the sandbox. Drivers differ in what they reach for: where one does not work, candidates
// run without namespaces of their own, then in a wider fence, and at last, where that is allowed, outside of it.
func (p *Pool) look(ctx context.Context, where Location) (device.OpenReply, error) {
	inside := p.role
	look, err := lookAs(ctx, inside, where, p.cfg.GPU)
	if err == nil || inside.sandbox == "" {
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
		inside.shared, inside.wide = true, wider.wide
		if look, err = lookAs(ctx, inside, where, p.cfg.GPU); err == nil {
			p.role = inside
			p.cfg.progress(fmt.Sprintf("%s (%v)", wider.said, why))
			return look, nil
		}
	}
	if inside.sandbox != sandbox.Best {
		return look, why
	}
	if look, err = Look(ctx, where, p.cfg.GPU); err == nil {
		if err := p.unfenced("the driver", "candidates", why); err != nil {
			return look, err
		}
		p.role = p.role.in("")
	}
	return look, err
}

// Look asks one GPU what it is, in a process of its own.
func Look(ctx context.Context, where Location, index int) (device.OpenReply, error) {
	return lookAs(ctx, gpuRole, where, index)
}

func lookAs(ctx context.Context, r role, where Location, index int) (device.OpenReply, error) {
	none, err := proc.NewShared("darwarp-none", 0)
	if err != nil {
		return device.OpenReply{}, err
	}
	defer none.Close()
	var w *proc.Worker
	var reply device.OpenReply
	err = insist(ctx, func(error) {}, func() (err error) {
		w, reply, err = startWorker(ctx, r, device.Open{Index: index, Driver: where.Driver.Path}, nil, none.File())
		return err
	})
	if err != nil {
		return reply, &EnvError{What: "a usable GPU", Why: err.Error(), Do: "Check nvidia-smi"}
	}
	reply.Device.Driver = driverVersion()
	return reply, w.Close()
}

// compileOurs compiles device code of ours; a failure is an error.
func (p *Pool) compileOurs(ctx context.Context, what, source string) ([]byte, error) {
	out, err := p.compiler.Compile(ctx, source)
	if err != nil {
		return nil, err
	}
	if out.Failure != "" {
		return nil, fmt.Errorf("%s does not compile:\n%s", what, out.Failure)
	}
	return out.Cubin, nil
}

// start makes the cases, their truth, and the workers that live as long as the pool.
func (p *Pool) start(ctx context.Context, open device.Open) error {
	cfg := p.cfg
	if why := source.Check(cfg.Reference); why != "" {
		return fmt.Errorf("%s: %s", cfg.Problem.Reference.File, why)
	}
	reference, err := p.compileOurs(ctx, cfg.Problem.Reference.File, cfg.Reference)
	if err != nil {
		return err
	}
	if cfg.shared != nil {
		p.cases = cfg.shared.cases
	} else if err := p.insist(ctx, func() (err error) {
		p.cases, err = p.provenCases(ctx, open, reference)
		return err
	}); err != nil {
		return err
	}
	if err := p.fits(); err != nil {
		return err
	}
	p.runner = p.newRunner(open)
	if err := p.openJudge(ctx, open, reference); err != nil {
		return err
	}
	if err := p.insist(ctx, func() error { return p.checkTruth(ctx) }); err != nil {
		return err
	}
	p.slots, p.first = make(chan int, p.runner.prepare.Slots), make(chan int)
	for i := range p.runner.prepare.Slots {
		p.slots <- i
	}
	if err := p.insist(ctx, func() (err error) {
		p.runner.prepare.Palettes, err = p.palettes(ctx)
		return err
	}); err != nil {
		return err
	}
	if uuid := p.device.UUID; p.role.worker == gpuRole.worker && uuid != "" {
		p.health = health.Watch(p.log, func(ctx context.Context) (*Watcher, error) { return Watch(ctx, uuid) })
	}
	p.cfg.progress("measuring the device's ceilings")
	return p.insist(ctx, func() error { return p.prove(ctx) })
}

// newRunner makes what has device workers, for the cases that there are.
func (p *Pool) newRunner(open device.Open) *runner {
	if p.role.worker == cpuRole.worker {
		p.role.memory = min(mostMemory(), hostMemory+4*uint64(p.cases.DeviceBytes(p.device.L2Bytes)))
	}
	return &runner{log: p.log, trace: p.cfg.Trace, role: p.role, open: open, judge: &p.checker,
		prepare: device.Prepare{Cases: p.cases.List, SlotBytes: p.cases.SlotBytes(), GuardKey: p.cases.GuardKey}}
}

var (
	// ErrTooLarge says that the sizes asked for do not fit the device.
	ErrTooLarge = errors.New("too large")
	// ErrUnfit says that the problem's check cannot tell right from wrong.
	ErrUnfit = cases.ErrUnfit
)

// fits refuses sizes that the device cannot hold, before anything is allocated.
func (p *Pool) fits() error {
	need := p.cases.DeviceBytes(p.device.L2Bytes)
	if need > p.device.MemoryBytes/10*9 {
		return fmt.Errorf("%w: the workloads need %.1f GiB of memory with their copies, %s has %.1f GiB: choose smaller "+
			"ones with --workload",
			ErrTooLarge, float64(need)/(1<<30), p.device.Name, float64(p.device.MemoryBytes)/(1<<30))
	}
	return nil
}

func (p *Pool) memory(name string, bytes int) (*proc.Shared, error) {
	m, err := proc.NewShared(name, int64(max(bytes, 4096)))
	if err == nil {
		p.memories = append(p.memories, m)
	}
	return m, err
}

// prove gathers the session's provenance.
func (p *Pool) prove(ctx context.Context) error {
	host, _ := os.Hostname()
	p.proof = kernels.Provenance{Device: p.device, Protocol: Protocol, Version: p.cfg.Version, Host: host,
		Started: time.Now().UTC().Truncate(time.Second), DType: p.cfg.DType, CacheMode: p.cfg.Cache}
	c := &kernels.Ceilings{}
	if err := p.runner.call(ctx, device.Request{Ceilings: &device.Ceilings{DType: p.cfg.DType}}, c,
		fillDeadline); err != nil {
		return fmt.Errorf("measure the device's ceilings: %w", err)
	}
	p.proof.Ceilings = c
	return nil
}

// driverVersion is the NVIDIA kernel module's version, empty when it is not told.
func driverVersion() string {
	b, err := os.ReadFile("/sys/module/nvidia/version")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
