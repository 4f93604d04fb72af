package gatetest

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// brief lists the kernels of the short test that runs before a search: one of each way of cheating, and honest
// kernels that a gate which refuses too much would refuse.
var brief = []string{
	"zeros", "half", "last_tile", "tf32", "keeps_by_content", "skips_if_done", "writes_past", "backwards", "tf32x3",
	"last_block",
}

// Filter chooses among the kernels; an empty list is all of them.
type Filter struct {
	Problems, Kinds, Kernels []string
	Short                    bool     // only those of the short test
	Trial                    []string // parts of a trial that honest kernels must pass, too
}

// Check reports a name that nothing has.
func (f Filter) Check() error {
	var kinds []string
	for _, k := range append(Kinds, "honest") {
		kinds = append(kinds, string(k))
	}
	names := kernelsOf(Problems())
	for _, q := range []struct {
		flag        string
		asked, have []string
	}{
		{"problem", f.Problems, Problems()}, {"kind", f.Kinds, kinds}, {"kernel", f.Kernels, names},
		{"trial", f.Trial, partNames()},
	} {
		for _, name := range q.asked {
			if !slices.Contains(q.have, name) {
				if q.flag == "kernel" && len(f.Problems) > 0 {
					q.have = kernelsOf(f.Problems)
				}
				return fmt.Errorf("--%s %q%s: expected %s", q.flag, name, report.Meant(name, q.have), expected(q.have))
			}
		}
	}
	return nil
}

// kernelsOf are the names of the kernels of some problems.
func kernelsOf(problems []string) (names []string) {
	for _, p := range all {
		if !slices.Contains(problems, p.name) {
			continue
		}
		for _, r := range p.rows() {
			names = append(names, r.name)
		}
	}
	return names
}

// manyNames are too many for a line.
const manyNames = 100

// expected says which names there are, or how to see them.
func expected(names []string) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > manyNames {
		return fmt.Sprintf("one of %d names: with --problem, those of a problem are told", len(names))
	}
	return strings.Join(names, ", ")
}

func partNames() (names []string) {
	for _, part := range kernels.WholeTrial {
		names = append(names, string(part))
	}
	return names
}

// Parts are those of a trial that a kernel goes through: all of them, if it must fail one.
func (f Filter) Parts(c Case) (parts []kernels.TrialPart) {
	if c.Family != "honest" {
		return kernels.WholeTrial
	}
	for _, name := range f.Trial {
		parts = append(parts, kernels.TrialPart(name))
	}
	return parts
}

func (f Filter) wants(problem string, r row) bool {
	kind := string(r.kind)
	if r.kind == "" {
		kind = "honest"
	}
	in := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	if f.Short && (problem != all[0].name || !slices.Contains(brief, r.name)) {
		return false
	}
	return in(f.Problems, problem) && in(f.Kinds, kind) && in(f.Kernels, r.name)
}

// Has reports whether the filter chooses a kernel of the problem, on any device.
func (f Filter) Has(problem string) bool {
	return slices.ContainsFunc(all, func(p folder) bool {
		return p.name == problem && slices.ContainsFunc(p.rows(), func(r row) bool { return f.wants(p.name, r) })
	})
}
