package session

import (
	"slices"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

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

// occurs reports whether the problem itself has a size with this dim: one that is a flag may be 0.
func occurs(p *kernels.Problem, dim string, n int) bool {
	has := func(d kernels.Dims) bool { at, ok := d[dim]; return ok && at == n }
	return slices.ContainsFunc(p.Check.Shapes, has) ||
		slices.ContainsFunc(p.Workloads, func(w kernels.Workload) bool { return has(w.Dims) })
}
