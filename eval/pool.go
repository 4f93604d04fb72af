// Package eval brings candidates to a verdict: it compiles them, runs them between guards on secret
// inputs, compares their outputs with the truth, and times them. All of that happens in worker
// processes; this process never touches CUDA.
package eval

import (
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/health"
	"darwarp/eval/internal/proc"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Protocol is the version of the rules by which candidates are gated and timed. Figures of different
// protocols are not compared.
const Protocol = "3"

// Config says what is evaluated, and on what.
type Config struct {
	Kind      string // of device: cuda (the default) or cpu
	Problem   *kernels.Problem
	Reference string            // source of the reference kernel, with T defined
	Headers   map[string][]byte // the device include library
	DType     kernels.DType
	Acc       []kernels.DType // what candidates may keep sums in; empty: fp32
	Workloads []kernels.Workload
	Objective kernels.Objective // by which duels are settled
	Cache     string            // hot or cold: what candidates are timed at
	GPU       int               // index
	Jobs      int               // compiles at once, 0: one a core
	Races     bool              // cpu: the gate looks for races and the like on the check shapes
	Sandbox   SandboxMode       // of compilers and of the workers that run candidates; empty: off
	Foreign   bool              // sources are not ours: of a model, a folder, a run
	CacheDir  string            // of compiled candidates, empty: none
	Version   string            // darwarp's own
	Log       *slog.Logger
	Progress  func(string)    // hears what opening does; may be nil
	Trace     *trace.Recorder // of what candidates, duels, trials and the device do; nil: none

	idle   bool      // workers take what time is left over
	where  *Location // tests say where things are
	shared *shared   // cases and inputs in common with another pool
}

// Pool evaluates candidates on one device. It is evolve's Evaluator.
type Pool struct {
	cfg Config
	log *slog.Logger
	machine
	proof    kernels.Provenance
	cases    *cases.Set
	compiler *compile.Pool
	checkers *compile.Pool // compiles for the search for races; nil: the gate does not look for them
	runner   *runner
	checker  judges
	sharedMemory
	slotPool
	torch    helper   // of torch baselines
	emulator emulator // beside the device, for candidates on trial
	flying   atomic.Int32
	known
}

// machine is what candidates run on.
type machine struct {
	device kernels.Device
	role   role
	shares bool            // processes may share memory of the device
	health *health.Monitor // of the GPU; nil on other devices
}

// sharedMemory is what workers have in common with each other.
type sharedMemory struct {
	memories []*proc.Shared // all of them
	out      *proc.Shared   // nil where a judge on the GPU has the outputs
	truth    *proc.Shared
	inputs   *proc.Shared // may be another pool's
}

// known is what a session has found out.
type known struct {
	mu      sync.Mutex
	seen    map[string]kernels.ID // machine code with launches -> first candidate
	gated   []gated               // the latest, for duels
	blas    map[string]device.LibraryReply
	rivals  map[string]*rival  // torch baselines that run here, by name
	weights map[string]float64 // of workloads, where Weigh changed them
	repeats map[string]float64 // the naive start's repeated calls over its fresh ones, by workload
	noise   noise              // of a kernel with itself
}

// Device is the GPU or processor with the toolchain that candidates are compiled by.
func (p *Pool) Device() kernels.Device { return p.device }

// Provenance is what every figure of this session stands on.
func (p *Pool) Provenance() kernels.Provenance {
	p.mu.Lock()
	defer p.mu.Unlock()
	proof := p.proof
	proof.Noise = p.noise.level
	return proof
}

// Slots is how many evaluations to keep in flight: enough that every compiler has work while one
// candidate is on the device.
func (p *Pool) Slots() int { return p.compiler.Slots() + 2*outputSlots }

// InOrder is false: results arrive as they are ready.
func (p *Pool) InOrder() bool { return false }

// Load is the share of the time that the device was in use, and how many device workers it took.
func (p *Pool) Load() (busy float64, workers int) { return p.runner.load() }

// Close ends all workers.
func (p *Pool) Close() error {
	var errs []error
	if p.compiler != nil {
		errs = append(errs, p.compiler.Close())
	}
	if p.checkers != nil {
		errs = append(errs, p.checkers.Close())
	}
	if p.health != nil {
		p.health.Close()
	}
	if p.runner != nil {
		errs = append(errs, p.runner.restart())
	}
	errs = append(errs, p.checker.close())
	errs = append(errs, p.emulator.close())
	if p.torch.Helper != nil {
		errs = append(errs, p.torch.Close())
	}
	for _, m := range p.memories {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

func (c *Config) jobs() int {
	if c.Jobs > 0 {
		return c.Jobs
	}
	return runtime.NumCPU()
}

func (c *Config) progress(s string) {
	if c.Progress != nil {
		c.Progress(s)
	}
}
