package kernels

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels/expr"
)

// Fixed are the values of a problem's fixed dims that the candidates of a run are made for, by dim. A kernel for other
// values would be compiled for nothing: no workload of the run has them.
type Fixed map[string][]int

// FixedBy are the values that workloads give to the fixed dims. A dim is left out that has all values of the problem
// there, or one that the problem does not know.
func (p *Problem) FixedBy(loads []Workload) Fixed {
	out := Fixed{}
	for _, dim := range p.Fixed {
		var values []int
		for _, w := range loads {
			values = append(values, w.Dims[dim])
		}
		slices.Sort(values)
		values = slices.Compact(values)
		all := p.seen(dim)
		known := func(v int) bool { return slices.Contains(all, v) }
		if len(values) > 0 && len(values) < len(all) && !slices.ContainsFunc(values, func(v int) bool { return !known(v) }) {
			out[dim] = values
		}
	}
	return out
}

// Fix makes the problem one of fewer sizes. Check shapes of other values get one of those that are left, so that there
// are as many as before. Workloads of other values are left out, but small ones, which a device that emulates needs.
// The families that are parsed for the problem from then on have no launches for other values.
func (p *Problem) Fix(to Fixed) error {
	for _, dim := range slices.Sorted(maps.Keys(to)) {
		if err := p.canFix(dim, to[dim]); err != nil {
			return fmt.Errorf("%s: %w", dim, err)
		}
	}
	for _, dim := range slices.Sorted(maps.Keys(to)) {
		values := to[dim]
		p.Check.Shapes = moved(p.Check.Shapes, dim, values)
		p.Workloads = p.loadsWith(dim, values)
		p.Check.ranges[dim] = Range{Values: values}
		if len(values) == 1 && values[0] > 0 { // sizes are still drawn for its sake
			p.Check.ranges[dim] = Range{Step: values[0], Most: values[0]}
		}
	}
	p.fixed = to
	n := &notes{}
	p.checkSizes(n)
	return n.err()
}

// loadsWith are the workloads that have one of some values, and the small ones, which get one; all do if there is no
// other. One of them is the default.
func (p *Problem) loadsWith(dim string, values []int) (loads []Workload) {
	none := !slices.ContainsFunc(p.Workloads, func(w Workload) bool { return slices.Contains(values, w.Dims[dim]) })
	for _, w := range p.Workloads {
		if w.Small || none {
			w.Dims = moved([]Dims{w.Dims}, dim, values)[0]
		}
		if slices.Contains(values, w.Dims[dim]) {
			loads = append(loads, w)
		}
	}
	if !slices.ContainsFunc(loads, func(w Workload) bool { return w.Default }) {
		loads[0].Default = true
	}
	return loads
}

func (p *Problem) canFix(dim string, values []int) error {
	switch {
	case !slices.Contains(p.Fixed, dim):
		return fmt.Errorf("not one of the fixed dims %v", p.Fixed)
	case len(values) == 0:
		return fmt.Errorf("no value")
	}
	all := p.seen(dim)
	for i, v := range values {
		if !slices.Contains(all, v) || slices.Contains(values[:i], v) {
			return fmt.Errorf("%d: expected values of the problem's sizes %v, each at most once", v, all)
		}
	}
	return nil
}

// moved are sizes with the values of a dim that are left, each once.
func moved(sizes []Dims, dim string, values []int) (out []Dims) {
	for i, d := range sizes {
		if !slices.Contains(values, d[dim]) {
			d = maps.Clone(d)
			d[dim] = values[i%len(values)]
		}
		if !slices.ContainsFunc(out, func(o Dims) bool { return maps.Equal(o, d) }) {
			out = append(out, d)
		}
	}
	return out
}

// Restrict is a plan without the launches that no size of the problem has, and with the others only there: at a size
// for which a candidate was never judged it has no launch. Of a problem that nothing is fixed of it is the plan itself.
func (p *Problem) Restrict(spec PlanSpec) PlanSpec {
	if len(p.fixed) == 0 {
		return spec
	}
	guard, kept := p.Only(), []LaunchSpec{}
	for _, l := range spec.Launches {
		switch {
		case !p.possible(l.When):
			continue
		case l.Prepare: // at another size no call reads what it packs
		case l.When == "":
			l.When = guard
		case l.When != guard:
			l.When = guard + " and (" + l.When + ")"
		}
		kept = append(kept, l)
	}
	spec.Launches = kept
	return spec
}

// Only is the condition that a size is one of the fixed values; empty: all sizes of the problem are.
func (p *Problem) Only() string {
	var parts []string
	for _, dim := range slices.Sorted(maps.Keys(p.fixed)) {
		var list []string
		for _, v := range p.fixed[dim] {
			list = append(list, strconv.Itoa(v))
		}
		if len(list) == 1 {
			parts = append(parts, dim+" == "+list[0])
			continue
		}
		parts = append(parts, dim+" in ["+strings.Join(list, ", ")+"]")
	}
	return strings.Join(parts, " and ")
}

// mostFixed is how many combinations of fixed values are looked at.
const mostFixed = 1 << 10

// possible reports whether a launch's condition holds for any of the fixed values. What reads something else may.
func (p *Problem) possible(when string) bool {
	if when == "" {
		return true
	}
	scope, all := expr.Scope{}, []expr.Env{{}}
	for dim, values := range p.fixed {
		if len(all)*len(values) > mostFixed {
			return true
		}
		scope[dim] = 0
		var more []expr.Env
		for _, env := range all {
			for _, v := range values {
				env := maps.Clone(env)
				env[dim] = v
				more = append(more, env)
			}
		}
		all = more
	}
	conditions := expr.Clauses(when, scope)
	if e, err := expr.CompileBool(when, scope); err == nil {
		conditions = []*expr.Expr{e}
	}
	return slices.ContainsFunc(all, func(env expr.Env) bool {
		return !slices.ContainsFunc(conditions, func(e *expr.Expr) bool { on, err := e.Bool(env); return !on && err == nil })
	})
}
