package kernels

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Problem says what is to be computed: the tensors, the sizes, how right is right, and what to be
// faster than. It is read from problem.toml; see docs/problems.md for the format.
type Problem struct {
	Name      string     `toml:"name" json:"name"`
	About     string     `toml:"about" json:"about,omitempty"`
	DimNames  []string   `toml:"dims" json:"dims"`
	DTypes    []DType    `toml:"dtypes" json:"dtypes"` // the first is the default
	Flops     string     `toml:"flops" json:"flops"`   // expression over dims: operations of one call
	Bytes     string     `toml:"bytes" json:"bytes"`   // expression over dims and elem: least device-memory traffic
	Tensors   []Tensor   `toml:"tensor" json:"tensors"`
	Workloads []Workload `toml:"workload" json:"workloads"`
	Check     Check      `toml:"check" json:"check"`
	Reference Reference  `toml:"reference" json:"reference"`
	Baselines []Baseline `toml:"baseline" json:"baselines,omitempty"`

	flops, bytes, reduction *Expr
	shapes                  [][]*Expr // by tensor
	refGrid, refBlock       []*Expr
}

// Tensor is one array of a problem, dense and row-major.
type Tensor struct {
	Name  string   `toml:"name" json:"name"`
	Role  string   `toml:"role" json:"role"`                       // in or out
	DType DType    `toml:"dtype,omitempty" json:"dtype,omitempty"` // empty: the problem's chosen dtype
	Shape []string `toml:"shape" json:"shape"`                     // expressions over dims
}

// Workload is one size that is scored.
type Workload struct {
	Name    string  `toml:"name" json:"name"`
	Dims    Dims    `toml:"dims" json:"dims"`
	Weight  float64 `toml:"weight,omitempty" json:"weight,omitempty"`   // 0 means 1
	Default bool    `toml:"default,omitempty" json:"default,omitempty"` // part of a search that names no workload
}

// Check says how a candidate's outputs are judged.
type Check struct {
	Reduction string   `toml:"reduction" json:"reduction"`                 // terms summed per output element: K of the error model
	ULPs      float64  `toml:"ulps,omitempty" json:"ulps,omitempty"`       // extra units in the last place for transcendental functions
	Shapes    []Dims   `toml:"shapes" json:"shapes"`                       // small sizes that straddle tile edges
	Inputs    []string `toml:"inputs,omitempty" json:"inputs,omitempty"`   // input classes; empty: DefaultInputs
	Exact     *bool    `toml:"exact,omitempty" json:"exact,omitempty"`     // false: no bit-exact test on small integers (default true)
	Atomics   bool     `toml:"atomics,omitempty" json:"atomics,omitempty"` // two runs may differ within the tolerance
}

// Reference is the plain kernel that tells the truth. Its parameters are: the inputs in order as
// const pointers, then for each output a double* value and a float* scale (the sum of the
// magnitudes of the terms), then the dims in order as int.
type Reference struct {
	File  string   `toml:"file" json:"file"`
	Entry string   `toml:"entry" json:"entry"`
	Grid  []string `toml:"grid" json:"grid"`
	Block []string `toml:"block" json:"block"`
}

// Baseline is what a user would run instead.
type Baseline struct {
	Kind string `toml:"kind" json:"kind"` // cublaslt
}

// DefaultInputs are the input classes of a problem that names none.
var DefaultInputs = []string{"normal", "uniform", "cancel", "onehot", "wide"}

// inputClasses are all that the generators know; "exact" (small integers) is implied by Check.Exact.
var inputClasses = []string{"normal", "uniform", "cancel", "onehot", "wide", "exact", "denormal"}

// baselineKinds are the baselines that darwarp can run.
var baselineKinds = []string{"cublaslt"}

var nameRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseProblem reads problem.toml. The error, if any, is Mistakes with every mistake found.
func ParseProblem(file string, data []byte) (*Problem, error) {
	p := &Problem{}
	if err := decode(file, data, p); err != nil {
		return nil, err
	}
	n := &notes{file: file}
	p.checkNames(n)
	scope := p.dimScope()
	p.flops = p.intExpr(n, "flops", p.Flops, scope)
	p.bytes = p.intExpr(n, "bytes", p.Bytes, scope)
	p.reduction = p.intExpr(n, "check.reduction", p.Check.Reduction, scope)
	p.compileTensors(n, scope)
	p.checkWorkloads(n)
	p.checkCheck(n)
	p.compileReference(n, scope)
	for i, b := range p.Baselines {
		if !slices.Contains(baselineKinds, b.Kind) {
			n.addf(fmt.Sprintf("baseline[%d].kind", i), "unknown baseline %q: expected one of %s", b.Kind, strings.Join(baselineKinds, ", "))
		}
	}
	if err := n.err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Problem) checkNames(n *notes) {
	if !regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(p.Name) {
		n.addf("name", "%q is not a name: expected letters, digits, '-' and '_'", p.Name)
	}
	if len(p.DimNames) == 0 {
		n.addf("dims", "missing: name at least one dimension, as in dims = [\"m\", \"n\"]")
	}
	seen := map[string]bool{"elem": true, "device": true}
	for i, d := range p.DimNames {
		if !nameRE.MatchString(d) || seen[d] {
			n.addf(fmt.Sprintf("dims[%d]", i), "%q is not usable: expected a new identifier", d)
		}
		seen[d] = true
	}
	if len(p.DTypes) == 0 {
		n.addf("dtypes", "missing: name at least one of fp16, bf16, fp32")
	}
	for i, d := range p.DTypes {
		_, err := ParseDType(string(d))
		n.add(fmt.Sprintf("dtypes[%d]", i), err)
	}
	if len(p.Tensors) == 0 {
		n.addf("tensor", "missing: declare the inputs and outputs, each as [[tensor]]")
	}
}

func (p *Problem) dimScope() Scope {
	s := Scope{"elem": 0}
	for _, d := range p.DimNames {
		s[d] = 0
	}
	return s
}

func (p *Problem) intExpr(n *notes, key, text string, scope Scope) *Expr {
	e, err := CompileInt(text, scope)
	n.add(key, err)
	return e
}

func (p *Problem) compileTensors(n *notes, scope Scope) {
	seen, outs := map[string]bool{}, 0
	for i, t := range p.Tensors {
		key := fmt.Sprintf("tensor[%d]", i)
		if !nameRE.MatchString(t.Name) || seen[t.Name] || scope[t.Name] != nil {
			n.addf(key+".name", "%q is not usable: expected a new identifier", t.Name)
		}
		seen[t.Name] = true
		switch t.Role {
		case "out":
			outs++
		case "in":
		default:
			n.addf(key+".role", "%q: expected in or out", t.Role)
		}
		if t.DType != "" && !t.DType.Valid() {
			_, err := ParseDType(string(t.DType))
			n.add(key+".dtype", err)
		}
		var shape []*Expr
		for j, s := range t.Shape {
			shape = append(shape, p.intExpr(n, fmt.Sprintf("%s.shape[%d]", key, j), s, scope))
		}
		if len(shape) == 0 {
			n.addf(key+".shape", "missing: expected one expression per axis")
		}
		p.shapes = append(p.shapes, shape)
	}
	if outs == 0 && len(p.Tensors) > 0 {
		n.addf("tensor", "no tensor has role = \"out\"")
	}
}

func (p *Problem) checkDims(n *notes, key string, d Dims) {
	for _, name := range p.DimNames {
		if v, ok := d[name]; !ok {
			n.addf(key, "dimension %s is missing", name)
		} else if v < 1 || v > 1<<31-1 {
			n.addf(key+"."+name, "%d: expected 1 to 2147483647", v)
		}
	}
	for name := range d {
		if !slices.Contains(p.DimNames, name) {
			n.addf(key, "unknown dimension %q: expected %s", name, strings.Join(p.DimNames, ", "))
		}
	}
}

func (p *Problem) checkWorkloads(n *notes) {
	seen, anyDefault := map[string]bool{}, false
	for i, w := range p.Workloads {
		key := fmt.Sprintf("workload[%d]", i)
		if w.Name == "" || seen[w.Name] {
			n.addf(key+".name", "%q: expected a new name", w.Name)
		}
		seen[w.Name] = true
		if w.Weight < 0 {
			n.addf(key+".weight", "%g: expected a positive number", w.Weight)
		}
		if w.Weight == 0 {
			p.Workloads[i].Weight = 1
		}
		anyDefault = anyDefault || w.Default
		p.checkDims(n, key+".dims", w.Dims)
	}
	if len(p.Workloads) == 0 {
		n.addf("workload", "missing: declare at least one [[workload]]")
	} else if !anyDefault {
		p.Workloads[0].Default = true
	}
}

func (p *Problem) checkCheck(n *notes) {
	if len(p.Check.Shapes) == 0 {
		n.addf("check.shapes", "missing: list small sizes that straddle tile edges, as in [{ m = 1, n = 1 }, ...]")
	}
	for i, d := range p.Check.Shapes {
		p.checkDims(n, fmt.Sprintf("check.shapes[%d]", i), d)
	}
	for i, c := range p.Check.Inputs {
		if !slices.Contains(inputClasses, c) {
			n.addf(fmt.Sprintf("check.inputs[%d]", i), "unknown input class %q: expected one of %s", c, strings.Join(inputClasses, ", "))
		}
	}
	if len(p.Check.Inputs) == 0 {
		p.Check.Inputs = DefaultInputs
	}
}

func (p *Problem) compileReference(n *notes, scope Scope) {
	if p.Reference.File == "" {
		n.addf("reference.file", "missing: expected the plain kernel's file, as in \"reference.cu\"")
	}
	if !nameRE.MatchString(p.Reference.Entry) {
		n.addf("reference.entry", "%q: expected the kernel's name", p.Reference.Entry)
	}
	p.refGrid = p.gridExprs(n, "reference.grid", p.Reference.Grid, scope)
	p.refBlock = p.gridExprs(n, "reference.block", p.Reference.Block, scope)
}

func (p *Problem) gridExprs(n *notes, key string, texts []string, scope Scope) []*Expr {
	if len(texts) < 1 || len(texts) > 3 {
		n.addf(key, "expected 1 to 3 expressions")
	}
	var out []*Expr
	for i, t := range texts {
		out = append(out, p.intExpr(n, fmt.Sprintf("%s[%d]", key, i), t, scope))
	}
	return out
}
