package session

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval"
	"darwarp/eval/trace"
	"darwarp/kernels"
	"darwarp/templates"
)

// maxJobs bounds --jobs: each is a process of a compiler.
const maxJobs = 1024

// Target is what the flags say about where and what to evaluate.
type Target struct {
	Problem   string // name, folder or recording
	Device    string // auto, cuda, cpu or replay
	DType     string
	Cache     string // hot or cold; empty: hot, or what was recorded
	Objective string
	Workloads []string
	Genes     []string
	Work
	Few     bool              // candidates that are compiled, as where stored ones are looked at again
	Foreign bool              // sources of a model or of a run are evaluated
	Bundle  *templates.Bundle // set: the problem as a run carries it
	// set with Bundle
	picked []kernels.Workload
	pins   kernels.Pins
	Log    *slog.Logger
	// Elsewhere opens devices of other machines, of a kind (cuda or cpu), for what the session is about; nil: this
	// machine's are opened
	Elsewhere func(ctx context.Context, s *Session, kind string) (Opened, error)
}

// Work is what the flags say about how evaluating is done.
type Work struct {
	Jobs      int
	GPUs      string // IdleGPUs, AllGPUs, or their indices; empty: the first
	Races     bool   // cpu: look for races
	Uncached  bool   // compile everything again
	Sandbox   string // best, strict or off; empty: best
	TraceFile string // what happens is recorded there; empty: nowhere
	trace     *trace.Recorder
	Watch     *progress.Watch // learns where time goes; nil: nobody does
}

var deviceNames = []string{"auto", "cuda", "cpu", "replay"}

// Check refuses values that no device knows.
func (t Target) Check() error {
	if !slices.Contains(deviceNames, t.Device) {
		return exit.Usagef("--device %q%s: expected %s", t.Device,
			report.Meant(t.Device, deviceNames), strings.Join(deviceNames, ", "))
	}
	if t.Cache != "" && t.Cache != "hot" && t.Cache != "cold" {
		return exit.Usagef("--cache %q: expected hot or cold", t.Cache)
	}
	if err := t.checkGPUs(); err != nil {
		return err
	}
	if t.Jobs < 0 || t.Jobs > maxJobs {
		return exit.Usagef("--jobs %d: expected 0 (one per core) to %d", t.Jobs, maxJobs)
	}
	if t.Sandbox != "" && !slices.Contains(eval.SandboxModes(), t.Sandbox) {
		return exit.Usagef("--sandbox %q: expected %s", t.Sandbox, strings.Join(eval.SandboxModes(), ", "))
	}
	return nil
}

// Read resolves what the target says about the problem.
func (t Target) Read() (s *Session, err error) {
	s = &Session{Bundle: t.Bundle, Workloads: t.picked, Pins: t.pins, Cache: cmp.Or(t.Cache, "hot"),
		Close: func() error { return nil }}
	if s.Bundle == nil {
		if s.Bundle, err = LoadBundle(t.Problem); err != nil {
			return nil, err
		}
		if s.Workloads, err = pickWorkloads(s.Bundle.Problem, "--workload", t.Workloads); err != nil {
			return nil, err
		}
		if s.Pins, err = pinsOf(s.Bundle, t.Genes); err != nil {
			return nil, err
		}
	}
	if s.Workloads == nil {
		s.Workloads = s.Bundle.Problem.DefaultWorkloads()
	}
	s.DType, err = PickDType(s.Bundle.Problem, t.DType)
	return s, err
}

// HasBaselines refuses names, given by --baseline, of what the target's problem is not compared with.
func (t Target) HasBaselines(names []string) error {
	if len(names) == 0 {
		return nil
	}
	if IsFile(t.Problem) {
		return exit.Usagef("--baseline: nothing is measured on a recording: leave it out")
	}
	b, err := LoadBundle(t.Problem)
	if err != nil {
		return err
	}
	return HasBaselines(b.Problem, names)
}

// HasBaselines refuses names, given by --baseline, of what a problem is not compared with.
func HasBaselines(p *kernels.Problem, names []string) error {
	known := p.BaselineNames()
	for _, name := range names {
		switch {
		case len(known) == 0:
			return exit.Usagef("--baseline %q: %s has no baselines: leave it out", name, p.Name)
		case !slices.Contains(known, name):
			return exit.Usagef("--baseline %q%s: expected one of %s", name, report.Meant(name, known), strings.Join(known, ", "))
		}
	}
	return nil
}

// PickDType reads the --dtype flag; empty means the problem's first.
func PickDType(p *kernels.Problem, flag string) (kernels.DType, error) {
	t, err := p.PickDType(flag)
	if err != nil {
		var known []string
		for _, t := range p.DTypes {
			known = append(known, string(t))
		}
		return "", exit.Usagef("--dtype: %v%s", err, report.Meant(flag, known))
	}
	return t, nil
}
