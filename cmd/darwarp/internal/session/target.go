package session

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
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

// pickWorkloads reads what a flag, such as --workload, says of workloads; nothing means the problem's default set.
func pickWorkloads(p *kernels.Problem, flag string, flags []string) ([]kernels.Workload, error) {
	if len(flags) == 0 {
		return p.DefaultWorkloads(), nil
	}
	var out []kernels.Workload
	seen := map[string]bool{}
	for _, s := range flags {
		found, err := findWorkloads(p, flag, s)
		if err != nil {
			return nil, err
		}
		for _, w := range found {
			if !seen[w.Name] {
				seen[w.Name] = true
				out = append(out, w)
			}
		}
	}
	return out, nil
}

// findWorkloads are those that one value of a flag names: one, or all of a set.
func findWorkloads(p *kernels.Problem, flag, value string) ([]kernels.Workload, error) {
	found, err := p.FindWorkload(value)
	if err != nil {
		var known []string
		for _, w := range p.Workloads {
			known = append(known, w.Name)
		}
		return nil, exit.Usagef("%s: %v%s", flag, err, report.Meant(value, known))
	}
	for _, w := range found {
		for dim, n := range w.Dims {
			if n < 1 && !occurs(p, dim, n) {
				return nil, exit.Usagef("%s %s: %s is %d: expected 1 or more", flag, value, dim, n)
			}
		}
	}
	return found, nil
}

// HasWorkload refuses what a flag gives as a workload, where the target's problem has none of that name, or several.
func (t Target) HasWorkload(flag, name string) error {
	found, err := t.workloads(flag, name)
	if err == nil && (len(found) != 1 || name == "default") {
		err = exit.Usagef("%s %s: expected one workload, as in %s %s", flag, name, flag, found[0].Name)
	}
	return err
}

// workloads are those of the target's problem, or of its recording, that a flag gives.
func (t Target) workloads(flag, name string) ([]kernels.Workload, error) {
	if IsFile(t.Problem) {
		r, err := ReadRecording(t.Problem)
		if err != nil {
			return nil, err
		}
		b, err := RecordedBundle(r)
		if err != nil {
			return nil, err
		}
		return recordedWorkloads(b.Problem, r, flag, []string{name})
	}
	b, err := LoadBundle(t.Problem)
	if err != nil {
		return nil, err
	}
	return pickWorkloads(b.Problem, flag, []string{name})
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

// occurs reports whether the problem itself has a size with this dim: one that is a flag may be 0.
func occurs(p *kernels.Problem, dim string, n int) bool {
	has := func(d kernels.Dims) bool { at, ok := d[dim]; return ok && at == n }
	return slices.ContainsFunc(p.Check.Shapes, has) ||
		slices.ContainsFunc(p.Workloads, func(w kernels.Workload) bool { return has(w.Dims) })
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

// pinsOf reads the --gene flags of a problem. At least one of its families must have each gene, and one each value.
func pinsOf(b *templates.Bundle, flags []string) (kernels.Pins, error) {
	pins, err := parsePins(flags)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		values, known := geneValues(b, name)
		if !known {
			return nil, unknownGene(b, name)
		}
		for _, v := range pins[name] {
			if !slices.Contains(values, v) {
				return nil, exit.Usagef("--gene %s=%v: gene %s has no value %v: expected one of %v", name, v, name, v, values)
			}
		}
	}
	return pins, nil
}

// geneValues are those that the families have of a gene.
func geneValues(b *templates.Bundle, name string) (values []kernels.Value, known bool) {
	for _, f := range b.Families {
		for i := range f.Genes {
			if f.Genes[i].Name != name {
				continue
			}
			known = true
			for _, v := range f.Genes[i].All() {
				if !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
	}
	return values, known
}

func unknownGene(b *templates.Bundle, name string) error {
	var known, has []string
	for _, f := range b.Families {
		known = append(known, f.GeneNames()...)
		has = append(has, f.Name+" has "+strings.Join(f.GeneNames(), ", "))
	}
	return exit.Usagef("--gene: unknown gene %q%s: %s", name, report.Meant(name, known), strings.Join(has, "; "))
}

// parsePins reads the --gene NAME=VALUE,VALUE flags.
func parsePins(flags []string) (kernels.Pins, error) {
	pins := kernels.Pins{}
	for _, s := range flags {
		name, list, ok := strings.Cut(s, "=")
		if !ok || name == "" || list == "" {
			return nil, exit.Usagef("--gene %q: expected NAME=VALUE or NAME=VALUE,VALUE", s)
		}
		for _, v := range strings.Split(list, ",") {
			pins[name] = append(pins[name], kernels.ParseValue(strings.TrimSpace(v)))
		}
	}
	return pins, nil
}
