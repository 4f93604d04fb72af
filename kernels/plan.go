package kernels

import (
	"fmt"
	"math"
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
}

// LaunchSpec is one kernel launch. An argument is the name of a tensor or a scratch buffer (a
// pointer), or an integer expression (an int).
type LaunchSpec struct {
	When    string   `toml:"when,omitempty" json:"when,omitempty"`
	Entry   string   `toml:"entry" json:"entry"`
	Grid    []string `toml:"grid" json:"grid"`
	Block   []string `toml:"block" json:"block"`
	Cluster []string `toml:"cluster,omitempty" json:"cluster,omitempty"`
	Smem    string   `toml:"smem,omitempty" json:"smem,omitempty"` // dynamic shared memory, bytes
	Args    []string `toml:"args" json:"args"`

	// TensorMaps and L2Window are part of the format, so that plans that need them are refused
	// with their name and not with "unknown key".
	TensorMaps []TensorMapSpec `toml:"tensor_map,omitempty" json:"tensor_map,omitempty"`
	L2Window   *L2WindowSpec   `toml:"l2_window,omitempty" json:"l2_window,omitempty"`
}

// TensorMapSpec describes a TMA tensor map over one tensor.
type TensorMapSpec struct {
	Name    string   `toml:"name" json:"name"`
	Tensor  string   `toml:"tensor" json:"tensor"`
	Box     []string `toml:"box" json:"box"`
	Swizzle string   `toml:"swizzle,omitempty" json:"swizzle,omitempty"`
}

// L2WindowSpec describes an access-policy window over one tensor.
type L2WindowSpec struct {
	Tensor string `toml:"tensor" json:"tensor"`
	Ratio  string `toml:"ratio,omitempty" json:"ratio,omitempty"`
}

// Plan is a PlanSpec with its expressions compiled.
type Plan struct {
	Spec     PlanSpec
	scratch  []*Expr
	launches []launchExprs
}

type launchExprs struct {
	when                 *Expr
	grid, block, cluster []*Expr
	smem                 *Expr
	args                 []argExpr
}

type argExpr struct {
	kind, name string
	value      *Expr
}

// CompilePlan checks a declared plan against the names it may use. The tensors are the problem's.
func CompilePlan(file string, spec PlanSpec, tensors []Tensor, scope Scope) (*Plan, error) {
	n := &notes{file: file}
	p := &Plan{Spec: spec}
	pointers := map[string]string{}
	for _, t := range tensors {
		pointers[t.Name] = "tensor"
	}
	for i, s := range spec.Scratch {
		key := fmt.Sprintf("scratch[%d]", i)
		if !nameRE.MatchString(s.Name) || pointers[s.Name] != "" || scope[s.Name] != nil {
			n.addf(key+".name", "%q is not usable: expected a new identifier", s.Name)
		}
		pointers[s.Name] = "scratch"
		p.scratch = append(p.scratch, intExpr(n, key+".bytes", s.Bytes, scope))
	}
	if len(spec.Launches) == 0 {
		n.addf("launch", "missing: declare at least one [[launch]]")
	}
	for i, l := range spec.Launches {
		p.launches = append(p.launches, compileLaunch(n, fmt.Sprintf("launch[%d]", i), l, pointers, scope))
	}
	return p, n.err()
}

func intExpr(n *notes, key, text string, scope Scope) *Expr {
	e, err := CompileInt(text, scope)
	n.add(key, err)
	return e
}

func compileLaunch(n *notes, key string, l LaunchSpec, pointers map[string]string, scope Scope) launchExprs {
	var out launchExprs
	if !nameRE.MatchString(l.Entry) {
		n.addf(key+".entry", "%q: expected the kernel's name", l.Entry)
	}
	if len(l.TensorMaps) > 0 {
		n.addf(key+".tensor_map", "tensor maps (TMA) are not supported yet: load with cp.async or plain loads")
	}
	if l.L2Window != nil {
		n.addf(key+".l2_window", "an L2 access window is not supported yet: remove it")
	}
	if l.When != "" {
		e, err := CompileBool(l.When, scope)
		n.add(key+".when", err)
		out.when = e
	}
	list := func(name string, texts []string, least int) (es []*Expr) {
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
	for i, a := range l.Args {
		if kind := pointers[a]; kind != "" {
			out.args = append(out.args, argExpr{kind: kind, name: a})
			continue
		}
		out.args = append(out.args, argExpr{kind: "i32", value: intExpr(n, fmt.Sprintf("%s.args[%d]", key, i), a, scope)})
	}
	return out
}

// Launch is one kernel launch with every number known.
type Launch struct {
	Entry   string `json:"entry"`
	Grid    [3]int `json:"grid"`
	Block   [3]int `json:"block"`
	Cluster [3]int `json:"cluster"` // all 1: no cluster
	Smem    int    `json:"smem,omitempty"`
	Args    []Arg  `json:"args,omitempty"`
}

// Arg is one kernel argument: the pointer of a tensor or scratch buffer, or a 32-bit integer.
type Arg struct {
	Kind string `json:"kind"` // tensor, scratch or i32
	Name string `json:"name,omitempty"`
	Int  int    `json:"int,omitempty"`
}

// Scratch is a temporary buffer with its size known.
type Scratch struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Zero  bool   `json:"zero,omitempty"`
}

// Call is what one evaluation of the problem does on the device: its buffers and launches in order.
type Call struct {
	Scratch  []Scratch `json:"scratch,omitempty"`
	Launches []Launch  `json:"launches"`
}

// Resolve gives every expression of the plan its number. An error is the candidate's fault.
func (p *Plan) Resolve(env Env) (Call, error) {
	var c Call
	for i, e := range p.scratch {
		b, err := e.Int(env)
		if err == nil && b < 0 {
			err = fmt.Errorf("%d bytes", b)
		}
		if err != nil {
			return c, fmt.Errorf("scratch %s: %w", p.Spec.Scratch[i].Name, err)
		}
		c.Scratch = append(c.Scratch, Scratch{p.Spec.Scratch[i].Name, b, p.Spec.Scratch[i].Zero})
	}
	for i, l := range p.launches {
		got, skip, err := l.resolve(p.Spec.Launches[i].Entry, env)
		if err != nil {
			return c, fmt.Errorf("launch %s: %w", p.Spec.Launches[i].Entry, err)
		}
		if !skip {
			c.Launches = append(c.Launches, got)
		}
	}
	if len(c.Launches) == 0 {
		return c, fmt.Errorf("no launch is active")
	}
	return c, nil
}

func (l launchExprs) resolve(entry string, env Env) (out Launch, skip bool, err error) {
	if l.when != nil {
		on, err := l.when.Bool(env)
		if err != nil || !on {
			return out, true, err
		}
	}
	out.Entry = entry
	if out.Grid, err = three(l.grid, env); err != nil {
		return out, false, fmt.Errorf("grid: %w", err)
	}
	if out.Block, err = three(l.block, env); err != nil {
		return out, false, fmt.Errorf("block: %w", err)
	}
	if out.Cluster, err = three(l.cluster, env); err != nil {
		return out, false, fmt.Errorf("cluster: %w", err)
	}
	if l.smem != nil {
		if out.Smem, err = l.smem.Int(env); err != nil {
			return out, false, fmt.Errorf("smem: %w", err)
		}
	}
	for _, a := range l.args {
		arg := Arg{Kind: a.kind, Name: a.name}
		if a.value != nil {
			if arg.Int, err = a.value.Int(env); err != nil {
				return out, false, err
			}
			if arg.Int > math.MaxInt32 || arg.Int < math.MinInt32 {
				return out, false, fmt.Errorf("argument %s = %d does not fit an int", a.value.Text, arg.Int)
			}
		}
		out.Args = append(out.Args, arg)
	}
	return out, false, out.check()
}

// check refuses what no device can launch: CUDA C++ Programming Guide, technical specifications.
func (l Launch) check() error {
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	switch {
	case threads < 1 || threads > 1024 || l.Block[0] > 1024 || l.Block[1] > 1024 || l.Block[2] > 64:
		return fmt.Errorf("block of %v threads: expected 1 to 1024", l.Block)
	case l.Grid[0] < 1 || l.Grid[0] > math.MaxInt32 || l.Grid[1] < 1 || l.Grid[1] > 65535 || l.Grid[2] < 1 || l.Grid[2] > 65535:
		return fmt.Errorf("grid of %v blocks: expected 1 to 2147483647 by 65535 by 65535", l.Grid)
	case l.Smem < 0:
		return fmt.Errorf("%d bytes of shared memory", l.Smem)
	case l.Cluster[0] < 1 || l.Cluster[1] < 1 || l.Cluster[2] < 1 || l.Cluster[0]*l.Cluster[1]*l.Cluster[2] > 16:
		return fmt.Errorf("cluster of %v blocks: expected 1 to 16", l.Cluster)
	}
	for i := range l.Grid {
		if l.Grid[i]%l.Cluster[i] != 0 {
			return fmt.Errorf("grid %v is not a multiple of cluster %v", l.Grid, l.Cluster)
		}
	}
	return nil
}

// three evaluates up to three extents; missing ones are 1.
func three(es []*Expr, env Env) ([3]int, error) {
	out := [3]int{1, 1, 1}
	for i, e := range es {
		v, err := e.Int(env)
		if err != nil {
			return out, err
		}
		out[i] = v
	}
	return out, nil
}
