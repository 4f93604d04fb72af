package kernels

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"darwarp/kernels/expr"
)

// labelRE is the name of a problem or a workload: a folder's name, and a word on the command line.
var labelRE = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// ParseProblem reads problem.toml. The error, if any, is Mistakes with every mistake found.
func ParseProblem(file string, data []byte) (*Problem, error) {
	p := &Problem{}
	if err := DecodeTOML(file, data, p); err != nil {
		return nil, err
	}
	n := &notes{file: file}
	if p.checkDimNames(n); len(n.list) > 0 {
		return nil, n.err() // the rest is written in terms of the dims
	}
	p.checkNames(n)
	scope := p.dimScope()
	p.exprs.flops = p.intExpr(n, "flops", p.Flops, scope)
	p.exprs.bytes = p.intExpr(n, "bytes", p.Bytes, scope)
	if p.Reference.IsModule() && p.Check.Reduction == "" {
		p.Check.Reduction = "1" // who runs the module counts what an output depends on
	}
	p.exprs.reduction = p.intExpr(n, "check.reduction", p.Check.Reduction, scope)
	p.compileTensors(n, scope)
	p.compilePacked(n, scope)
	p.compileEpilogue(n)
	p.checkWorkloads(n)
	p.checkCheck(n)
	p.compileReference(n, scope)
	p.checkBaselines(n, scope)
	p.compileMaker(n, scope)
	p.checkSignature(n)
	for i, d := range p.Fixed {
		if !slices.Contains(p.DimNames, d) || slices.Contains(p.Fixed[:i], d) {
			n.addf(fmt.Sprintf("fixed[%d]", i), "%q: expected dims, each at most once", d)
		}
	}
	if len(n.list) == 0 {
		p.checkSizes(n)
	}
	if err := n.err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Problem) checkDimNames(n *notes) {
	if len(p.DimNames) == 0 {
		n.addf("dims", "missing: name at least one dimension, as in dims = [\"m\", \"n\"]")
	}
	taken := (&Problem{}).taken()
	for i, d := range p.DimNames {
		if CheckIdentifier(d) != nil || taken[d] {
			n.addf(fmt.Sprintf("dims[%d]", i), "%q is not usable: expected a new identifier", d)
		}
		taken[d] = true
	}
}

func (p *Problem) checkNames(n *notes) {
	clean(MaxAbout, &p.About) // it is only shown
	if CheckLabel(p.Name) != nil {
		n.addf("name", "%s is not a name: expected letters, digits, '-', '_' and '.'", quoted(p.Name))
	}
	if len(p.DTypes) == 0 {
		n.addf("dtypes", "missing: name at least one of fp16, bf16, fp32")
	}
	for i, d := range p.DTypes {
		if slices.Contains(p.DTypes[:i], d) || !slices.Contains([]DType{FP16, BF16, FP32}, d) {
			n.addf(fmt.Sprintf("dtypes[%d]", i), "%q: expected fp16, bf16 and fp32, each at most once", d)
		}
	}
	if len(p.Tensors) == 0 {
		n.addf("tensor", "missing: declare the inputs and outputs, each as [[tensor]]")
	}
}

func (p *Problem) dimScope() expr.Scope {
	s := expr.Scope{"elem": 0, "dtype": ""}
	for _, d := range p.DimNames {
		s[d] = 0
	}
	return s
}

func (p *Problem) intExpr(n *notes, key, text string, scope expr.Scope) *expr.Expr {
	e, err := expr.CompileInt(text, scope)
	n.add(key, err)
	return e
}

func (p *Problem) compileTensors(n *notes, scope expr.Scope) {
	taken, outs := (&Problem{DimNames: p.DimNames}).taken(), 0
	for i, t := range p.Tensors {
		key := fmt.Sprintf("tensor[%d]", i)
		if CheckIdentifier(t.Name) != nil || taken[t.Name] {
			n.addf(key+".name", "%q is not usable: expected a new identifier", t.Name)
		}
		taken[t.Name] = true
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
		} else if t.DType != "" && t.Role == "out" && !t.DType.Outputs() {
			n.addf(key+".dtype", "%s: expected fp16, bf16, fp32, int32 or e4m3 for an output", t.DType)
		}
		var shape []*expr.Expr
		for j, s := range t.Shape {
			shape = append(shape, p.intExpr(n, fmt.Sprintf("%s.shape[%d]", key, j), s, scope))
		}
		if len(shape) == 0 {
			n.addf(key+".shape", "missing: expected one expression per axis")
		}
		p.exprs.shapes = append(p.exprs.shapes, shape)
		p.exprs.drawn = append(p.exprs.drawn, p.compileDrawn(n, key, &t, scope))
		t.checkMade(n, key)
		t.checkWeights(n, key)
	}
	if outs == 0 && len(p.Tensors) > 0 {
		n.addf("tensor", "no tensor has role = \"out\"")
	}
}

func (p *Problem) checkDims(n *notes, key string, d Dims) {
	for _, name := range p.DimNames {
		if v, ok := d[name]; !ok {
			n.addf(key, "dimension %s is missing", name)
		} else if v < 0 || v > 1<<31-1 {
			n.addf(key+"."+name, "%d: expected 0 (for a dimension that is a flag) to 2147483647", v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d)) {
		if !slices.Contains(p.DimNames, name) {
			n.addf(key, "unknown dimension %q: expected %s", name, strings.Join(p.DimNames, ", "))
		}
	}
}

// takenNames mean something else where a workload is named.
var takenNames = []string{"all", "default", string(Geomean), string(Worst)}

func (p *Problem) checkWorkloads(n *notes) {
	seen, anyDefault := map[string]bool{}, false
	for i, w := range p.Workloads {
		key := fmt.Sprintf("workload[%d]", i)
		if CheckLabel(w.Name) != nil || seen[w.Name] || slices.Contains(takenNames, w.Name) {
			n.addf(key+".name", "%q is not usable: expected a new name of letters, digits, '-', '_' and '.'", w.Name)
		}
		seen[w.Name] = true
		if !(w.Weight >= 0) || math.IsInf(w.Weight, 0) {
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
	if u, all := p.Check.ULPs, p.wholeULPs(); !(u >= 0) {
		n.addf("check.ulps", "%g: expected a number of units, 0 or more", u)
	} else if all > 0 && u >= all {
		n.addf("check.ulps", "%g: expected less than %.0f: so many units in the last place are the whole value", u, all)
	}
	if len(p.Check.Shapes) == 0 {
		n.addf("check.shapes", "missing: list small sizes that straddle tile edges, as in [{ m = 1, n = 1 }, ...]")
	}
	for i, d := range p.Check.Shapes {
		p.checkDims(n, fmt.Sprintf("check.shapes[%d]", i), d)
	}
	for i, c := range p.Check.Inputs {
		if !slices.Contains(inputClasses, c) {
			n.addf(fmt.Sprintf("check.inputs[%d]", i), "unknown input class %q: expected one of %s", c,
				strings.Join(inputClasses, ", "))
		}
	}
	if len(p.Check.Inputs) == 0 {
		p.Check.Inputs = DefaultInputs
	}
	for i, c := range p.Check.Without {
		if c == Special || !slices.Contains(hardClasses, c) {
			n.addf(fmt.Sprintf("check.without[%d]", i), "%q: expected one of %s (special = false leaves out inf and NaN)",
				c, strings.Join(hardClasses[:len(hardClasses)-1], ", "))
		}
	}
	for i, t := range p.Check.Accumulate {
		if !slices.Contains([]DType{FP32, FP22, FP16, BF16}, t) {
			n.addf(fmt.Sprintf("check.accumulate[%d]", i), "%q: expected fp32, fp22, fp16 or bf16", t)
		}
	}
	p.readOperands(n)
	p.readTerms(n)
	p.readRanges(n)
}

// wholeULPs is how many units in the last place a value of the finest type of the problem and its outputs has: with so
// many allowed, zero passes everywhere. 0: none of the types is rounded.
func (p *Problem) wholeULPs() (most float64) {
	types := slices.Clone(p.DTypes)
	for i := range p.Tensors {
		if p.Tensors[i].Role == "out" {
			types = append(types, p.Tensors[i].DType)
		}
	}
	for _, t := range types {
		if u := t.Roundoff(); u > 0 {
			most = max(most, 1/(2*u))
		}
	}
	return most
}

func (p *Problem) compileReference(n *notes, scope expr.Scope) {
	r := &p.Reference
	if CheckLabel(r.File) != nil {
		n.addf("reference.file", "%q: expected the plain kernel's file in this folder, as in \"reference.cu\"", r.File)
	}
	if r.IsModule() {
		p.checkModule(n)
		return
	}
	if r.Kind != "" && r.Kind != KernelReference {
		n.addf("reference.kind", "%q: expected %s or %s", r.Kind, KernelReference, ModuleReference)
	}
	if r.Class != "" || r.Eval || r.Precision != "" {
		n.addf("reference", "class, eval and precision are those of a module: expected kind = %q", ModuleReference)
	}
	if CheckIdentifier(r.Entry) != nil {
		n.addf("reference.entry", "%q: expected the kernel's name", r.Entry)
	}
	p.exprs.grid = p.gridExprs(n, "reference.grid", p.Reference.Grid, scope)
	p.exprs.block = p.gridExprs(n, "reference.block", p.Reference.Block, scope)
}

// checkModule refuses what a module cannot be asked for.
func (p *Problem) checkModule(n *notes) {
	r := &p.Reference
	if r.Entry != "" || len(r.Grid) > 0 || len(r.Block) > 0 {
		n.addf("reference", "entry, grid and block are those of a kernel: expected none with kind = %q", ModuleReference)
	}
	if r.Class != "" && CheckIdentifier(r.Class) != nil {
		n.addf("reference.class", "%q: expected the name of a class in %s", r.Class, r.File)
	}
	if r.Precision != "" && !slices.Contains([]DType{FP32, FP16, BF16}, DType(r.Precision)) {
		n.addf("reference.precision", "%q: expected fp32, fp16 or bf16", r.Precision)
	}
	if p.Check.Exact == nil || *p.Check.Exact {
		n.addf("check.exact", "expected false with reference.kind = %q: what a module gives is rounded somewhere",
			ModuleReference)
	}
	if p.Epilogue != nil {
		n.addf("epilogue", "expected none with reference.kind = %q: it is part of the module", ModuleReference)
	}
}

func (p *Problem) gridExprs(n *notes, key string, texts []string, scope expr.Scope) []*expr.Expr {
	if len(texts) < 1 || len(texts) > 3 {
		n.addf(key, "expected 1 to 3 expressions")
	}
	var out []*expr.Expr
	for i, t := range texts {
		out = append(out, p.intExpr(n, fmt.Sprintf("%s[%d]", key, i), t, scope))
	}
	return out
}
