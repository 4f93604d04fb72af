// Package rig readies one device for candidates of one problem: it finds the libraries, starts compilers and the
// device's workers, makes the cases and their truth, checks the check, and measures the device's ceilings.
package rig

import (
	"errors"
	"log/slog"
	"runtime"

	"darwarp/eval/env"
	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/health"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/sandbox"
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
	Reference string            // source of the reference kernel, with T defined; empty: there is a teller
	Teller    Teller            // of the truth, in the place of a reference kernel; nil: there is one
	Headers   map[string][]byte // the device include library
	DType     kernels.DType
	Acc       []kernels.DType // what candidates may keep sums in; empty: fp32
	Workloads []kernels.Workload
	Objective kernels.Objective // by which duels are settled
	Cache     string            // hot or cold: what candidates are timed at
	Races     bool              // cpu: the gate looks for races and the like on the check shapes
	Version   string            // darwarp's own
	Means
	Trust
	Listeners
}

// Means are what of the machine is used.
type Means struct {
	GPU      int           // index
	Jobs     int           // compiles at once, 0: one a core
	Archs    []string      // of families of which many candidates are to come; none: few are compiled
	CacheDir string        // of compiled candidates, empty: none
	Where    *env.Location // tests say where things are
}

// Trust is how far candidates are trusted.
type Trust struct {
	Sandbox sandbox.Mode // of compilers and of the workers that run candidates; empty: off
	Foreign bool         // sources are not ours: of a model, a folder, a run
}

// Listeners hear what is done.
type Listeners struct {
	Log      *slog.Logger
	Progress func(string)    // what opening does; may be nil
	Trace    *trace.Recorder // what candidates, duels, trials and the device do; nil: none
}

// Rig is one device that is ready for candidates of one problem: compilers, the device's workers, the judge of their
// outputs, and the cases that all are judged on.
type Rig struct {
	Cfg Config
	Log *slog.Logger
	Options
	machine
	Proof    kernels.Provenance
	Cases    *cases.Set
	Compiler *compile.Pool
	Checkers *compile.Pool // compiles for the search for races; nil: the gate does not look for them
	Runner   *runner.Runner
	sharedMemory
}

// Options say what a rig has to do with others. The zero value is a rig by itself.
type Options struct {
	Several bool    // GPUs of this host are used, of which this is one
	Idle    bool    // workers take what time is left over
	Shared  *Shared // cases and inputs in common with another rig
	Leader  *Rig    // of the host, whose compilers and cases this one has, too; nil: they are its own
	// joinable hears when other GPUs can be opened beside this one; nil: there are none
	Joinable func(*Rig)
}

// machine is what candidates run on.
type machine struct {
	Device kernels.Device
	role   runner.Role
	shares bool            // processes may share memory of the device
	Health *health.Monitor // of the GPU; nil on other devices
	ahead  *errand         // truths that are made while nobody wants the GPU
}

// sharedMemory is what workers have in common with each other.
type sharedMemory struct {
	memories []*proc.Shared // all of them
	Truth    *proc.Shared
	inputs   *proc.Shared // may be another rig's
}

// Shared is what two rigs have in common.
type Shared struct {
	Cases  *cases.Set
	inputs *proc.Shared // of all cases, packed; nil until the first rig has made them
}

// Close ends all workers.
func (p *Rig) Close() error {
	var errs []error
	p.ahead.end()
	if p.Compiler != nil && p.Leader == nil {
		errs = append(errs, p.Compiler.Close())
	}
	if p.Checkers != nil && p.Leader == nil {
		errs = append(errs, p.Checkers.Close())
	}
	if p.Health != nil {
		p.Health.Close()
	}
	if p.Runner != nil {
		errs = append(errs, p.Runner.Close())
	}
	for _, m := range p.memories {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}

// SlotBytes is the size of a slot of the output memory. What does not fit there together is judged one after the other.
func (p *Rig) SlotBytes() int { return p.Runner.Prepare.SlotBytes }

func (c *Config) jobs() int {
	if c.Jobs > 0 {
		return c.Jobs
	}
	return runtime.NumCPU()
}

// Say tells what opening does to whoever wants to hear it.
func (c *Config) Say(s string) {
	if c.Progress != nil {
		c.Progress(s)
	}
}
