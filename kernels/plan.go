package kernels

import (
	"fmt"
	"maps"

	"darwarp/kernels/expr"
)

// PlanSpec is a launch plan as it is declared beside a source: data, with expressions over genes,
// lets, dims, elem and device.
type PlanSpec struct {
	Scratch  []ScratchSpec `toml:"scratch" json:"scratch,omitempty"`
	Launches []LaunchSpec  `toml:"launch" json:"launch"`
}

// ScratchSpec is a temporary buffer in device memory.
type ScratchSpec struct {
	Name  string `toml:"name" json:"name"`
	Bytes string `toml:"bytes" json:"bytes"`
	Zero  bool   `toml:"zero,omitempty" json:"zero,omitempty"` // cleared before each call, inside the timed work
	// Cleared before the first call only: every call leaves it cleared, as semaphores do
	Once bool `toml:"once,omitempty" json:"once,omitempty"`
	// Written by launches with Prepare alone: calls read what these have made of the weights
	Prepared bool `toml:"prepared,omitempty" json:"prepared,omitempty"`
}

// LaunchSpec is one kernel launch. An argument is the name of a tensor or a scratch buffer (a
// pointer), of one of the launch's tensor maps (by value), or an integer expression (an int).
type LaunchSpec struct {
	Prepare bool     `toml:"prepare,omitempty" json:"prepare,omitempty"` // done once for the weights, before any call
	When    string   `toml:"when,omitempty" json:"when,omitempty"`
	Entry   string   `toml:"entry" json:"entry"`
	Grid    []string `toml:"grid" json:"grid"`
	Block   []string `toml:"block" json:"block"`
	Cluster []string `toml:"cluster,omitempty" json:"cluster,omitempty"`
	Smem    string   `toml:"smem,omitempty" json:"smem,omitempty"` // dynamic shared memory, bytes
	Args    []string `toml:"args" json:"args"`

	L2Window   *L2WindowSpec   `toml:"l2_window,omitempty" json:"l2_window,omitempty"`
	TensorMaps []TensorMapSpec `toml:"tensor_map,omitempty" json:"tensor_map,omitempty"`
}

// L2WindowSpec asks the L2 cache to keep tensors for a launch: an access-policy window from the beginning of the first
// to the end of the last, in the order in which the problem declares them (CUDA C++ Programming Guide, "L2 Cache
// Control").
type L2WindowSpec struct {
	When    string   `toml:"when,omitempty" json:"when,omitempty"`
	Tensors []string `toml:"tensors" json:"tensors"`
}

// Plan is a PlanSpec with its expressions compiled.
type Plan struct {
	Spec     PlanSpec
	text     string // Spec in JSON
	reads    []string
	scratch  []*expr.Expr
	packed   *expr.Expr // the most bytes of prepared scratch; nil: none
	launches []launchExprs
}

type launchExprs struct {
	when                 *expr.Expr
	grid, block, cluster []*expr.Expr
	smem                 *expr.Expr
	window               *expr.Expr // whether the launch has one; null: it does, if it is declared
	maps                 []mapExprs
	args                 []argExpr
}

type argExpr struct {
	kind, name string
	value      *expr.Expr
}

// CompilePlan checks a declared plan against the problem and the names it may use.
func CompilePlan(file string, spec PlanSpec, problem *Problem, scope expr.Scope) (*Plan, error) {
	n, tensors := &notes{file: file}, problem.Tensors
	p := &Plan{Spec: spec, text: spec.text(), packed: problem.exprs.packed}
	pointers := map[string]string{}
	for _, t := range tensors {
		pointers[t.Name] = "tensor"
	}
	for i, s := range spec.Scratch {
		key := fmt.Sprintf("scratch[%d]", i)
		if CheckIdentifier(s.Name) != nil || pointers[s.Name] != "" || scope[s.Name] != nil {
			n.addf(key+".name", "%q is not usable: expected a new identifier", s.Name)
		}
		pointers[s.Name] = "scratch"
		p.scratch = append(p.scratch, intExpr(n, key+".bytes", s.Bytes, scope))
	}
	if len(spec.Launches) == 0 {
		n.addf("launch", "missing: declare at least one [[launch]]")
	}
	for i, l := range spec.Launches {
		p.launches = append(p.launches, compileLaunch(n, fmt.Sprintf("launch[%d]", i), l, tensors, pointers, scope))
	}
	p.checkPrepare(n, problem)
	p.reads = p.findReads()
	return p, n.err()
}

func intExpr(n *notes, key, text string, scope expr.Scope) *expr.Expr {
	e, err := expr.CompileInt(text, scope)
	n.add(key, err)
	return e
}

func compileLaunch(n *notes, key string, l LaunchSpec, tensors []Tensor, pointers map[string]string,
	scope expr.Scope) launchExprs {
	var out launchExprs
	if CheckIdentifier(l.Entry) != nil {
		n.addf(key+".entry", "%q: expected the kernel's name", l.Entry)
	}
	if l.L2Window != nil {
		out.window = l.L2Window.compile(n, key+".l2_window", pointers, scope)
	}
	if l.When != "" {
		e, err := expr.CompileBool(l.When, scope)
		n.add(key+".when", err)
		out.when = e
	}
	list := func(name string, texts []string, least int) (es []*expr.Expr) {
		if len(texts) < least || len(texts) > 3 {
			n.addf(key+"."+name, "expected %d to 3 expressions", least)
		}
		for i, t := range texts {
			es = append(es, intExpr(n, fmt.Sprintf("%s.%s[%d]", key, name, i), t, scope))
		}
		return es
	}
	out.grid, out.block, out.cluster = list("grid", l.Grid, 1), list("block", l.Block, 1), list("cluster", l.Cluster, 0)
	if l.Smem != "" {
		out.smem = intExpr(n, key+".smem", l.Smem, scope)
	}
	names := maps.Clone(pointers) // a tensor map is its launch's own
	for i, m := range l.TensorMaps {
		out.maps = append(out.maps, m.compile(n, fmt.Sprintf("%s.tensor_map[%d]", key, i), names, tensors, scope))
		names[m.Name] = "tensor_map"
	}
	for i, a := range l.Args {
		if kind := names[a]; kind != "" {
			out.args = append(out.args, argExpr{kind: kind, name: a})
			continue
		}
		out.args = append(out.args, argExpr{kind: "i32", value: intExpr(n, fmt.Sprintf("%s.args[%d]", key, i), a, scope)})
	}
	return out
}

// compile checks the tensors of a window and returns its condition, if there is one.
func (w *L2WindowSpec) compile(n *notes, key string, pointers map[string]string, scope expr.Scope) *expr.Expr {
	if len(w.Tensors) == 0 {
		n.addf(key+".tensors", "missing: expected the first and the last of the tensors that L2 is to keep")
	}
	for i, t := range w.Tensors {
		if pointers[t] != "tensor" {
			n.addf(fmt.Sprintf("%s.tensors[%d]", key, i), "%q is not a tensor of the problem", t)
		}
	}
	if w.When == "" {
		return nil
	}
	e, err := expr.CompileBool(w.When, scope)
	n.add(key+".when", err)
	return e
}
