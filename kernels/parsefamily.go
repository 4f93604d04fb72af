package kernels

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels/expr"
)

// maxGenes and maxValues bound a family, so that a point is a few bytes.
const (
	maxGenes  = 64
	maxValues = 255
)

// archRE is an architecture as compilers name it; the letter says that its code runs on no other.
var archRE = regexp.MustCompile(`^sm_([0-9]{2,3})([af]?)$`)

// wordRE is a string value of a gene. It is a word, so that a genome can be typed and read as
// NAME=VALUE,VALUE without quoting.
var wordRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.+-]*$`)

// ParseFamily reads a family's declaration for a problem. The error is Mistakes.
func ParseFamily(file, name string, data []byte, p *Problem) (*Family, error) {
	f := &Family{}
	if err := DecodeTOML(file, data, f); err != nil {
		return nil, err
	}
	f.Name, f.out = name, p.Output().DType
	n := &notes{file: file}
	n.add("", CheckLabel(name))
	f.cleanTexts()
	f.readArch(n)
	scope := baseScope()
	taken := p.taken()
	f.compileGenes(n, scope, p.dimScope(), taken)
	f.checkAccumulate(n)
	f.checkStarts(n)
	f.compileLets(n, scope, taken, p)
	f.compileRules(n, scope, p)
	p.expandEpilogue(f.PlanSpec, scope)
	var err error
	f.Plan, err = CompilePlan(file, f.PlanSpec, p, scope.With(p.dimScope()))
	if more, ok := err.(Mistakes); ok {
		n.list = append(n.list, more...)
	}
	if err := n.err(); err != nil {
		return nil, err
	}
	return f, f.restrict(file, p, scope)
}

// restrict leaves the family the launches that the problem's sizes have.
func (f *Family) restrict(file string, p *Problem, scope expr.Scope) (err error) {
	f.Launched = map[string]bool{}
	for _, l := range f.Launches {
		f.Launched[l.Entry] = false
	}
	f.PlanSpec = p.Restrict(f.PlanSpec)
	for _, l := range f.Launches {
		f.Launched[l.Entry] = true
	}
	if len(p.fixed) > 0 {
		f.Plan, err = CompilePlan(file, f.PlanSpec, p, scope.With(p.dimScope()))
	}
	return err
}

// FamilySyntax is what is wrong with a family's file as TOML: what does not depend on the problem.
func FamilySyntax(file string, data []byte) (ms Mistakes) {
	if err := DecodeTOML(file, data, &Family{}); err != nil && !errors.As(err, &ms) {
		ms = Mistakes{{File: file, Err: err}}
	}
	return ms
}

// taken are the names that a gene or a let may not have: a template or a plan could not tell which
// of the two is meant.
func (p *Problem) taken() map[string]bool {
	taken := map[string]bool{"T": true, "dtype": true, "elem": true, "out_elem": true, "device": true}
	for _, list := range [][]string{p.DimNames, expr.Reserved} {
		for _, name := range list {
			taken[name] = true
		}
	}
	for _, t := range p.Tensors {
		taken[t.Name] = true
	}
	return taken
}

// cleanTexts makes what the family says of itself fit to be shown. Nothing depends on it, so nothing is refused for it.
func (f *Family) cleanTexts() {
	most := MaxAbout
	if Grown(f.Name) { // its title has it
		most = maxGrownAbout
	}
	clean(most, &f.About)
	for i := range f.Genes {
		clean(MaxAbout, &f.Genes[i].About)
	}
	for i := range f.Constraints {
		clean(MaxAbout, &f.Constraints[i].Why)
	}
}

func (f *Family) readArch(n *notes) {
	m := archRE.FindStringSubmatch(f.Arch)
	if m == nil {
		n.addf("arch", "%q: expected the least architecture, as in \"sm_80\"", f.Arch)
		return
	}
	f.cc, _ = strconv.Atoi(m[1])
	f.only = m[2] != ""
}

func (f *Family) compileGenes(n *notes, scope, dims expr.Scope, taken map[string]bool) {
	if len(f.Genes) == 0 || len(f.Genes) > maxGenes {
		n.addf("gene", "%d declared: expected 1 to %d [[gene]]", len(f.Genes), maxGenes)
	}
	for i := range f.Genes {
		g, key := &f.Genes[i], fmt.Sprintf("gene[%d]", i)
		if g.Name != "" {
			key = fmt.Sprintf("gene[%d] (%s)", i, g.Name)
		}
		if CheckIdentifier(g.Name) != nil || taken[g.Name] {
			n.addf(key+".name", "%q is not usable: expected a new identifier", g.Name)
			continue
		}
		g.compileWhen(n, key, scope)
		g.compileMatters(n, key, scope.With(dims))
		g.compileValues(n, key)
		taken[g.Name], scope[g.Name] = true, 0
		if len(g.values) > 0 {
			scope[g.Name] = g.values[0].Any()
		}
	}
}

// compileWhen reads the condition of a gene: on the genes before it alone, so that which genes
// exist is a property of the genome.
func (g *Gene) compileWhen(n *notes, key string, scope expr.Scope) {
	if g.When == "" {
		return
	}
	genes := scope.With(nil)
	for name := range baseScope() {
		delete(genes, name)
	}
	e, err := expr.CompileBool(g.When, genes)
	n.add(key+".when", err)
	g.when = e
}

func (g *Gene) compileValues(n *notes, key string) {
	if len(g.Values) == 0 || len(g.Values) > maxValues {
		n.addf(key+".values", "%d values: expected 1 to %d", len(g.Values), maxValues)
		return
	}
	for i, raw := range g.Values {
		v, err := geneValue(raw)
		switch {
		case err != nil:
		case len(g.values) > 0 && v.Kind() != g.values[0].Kind():
			err = fmt.Errorf("%v is of kind %s, the values before it are of kind %s", v, v.Kind(), g.values[0].Kind())
		case slices.Contains(g.values, v):
			err = fmt.Errorf("%v occurs twice", v)
		default:
			g.values = append(g.values, v)
		}
		n.add(fmt.Sprintf("%s.values[%d]", key, i), err)
	}
	g.optIn = make([]bool, len(g.values))
	def, err := NewValue(g.Default)
	switch g.def = slices.Index(g.values, def); {
	case g.Default == nil:
		n.addf(key+".default", "missing: expected one of its values")
	case err != nil || g.def < 0:
		n.addf(key+".default", "%v is not one of its values", g.Default)
	}
	for i, raw := range g.OptIn {
		v, _ := NewValue(raw)
		j := slices.Index(g.values, v)
		if j < 0 || j == g.def {
			n.addf(fmt.Sprintf("%s.opt_in[%d]", key, i), "%v is not one of its values, or is the default", raw)
			continue
		}
		g.optIn[j] = true
	}
}

func geneValue(raw any) (Value, error) {
	v, err := NewValue(raw)
	s, isString := v.Any().(string)
	if err == nil && isString && (v.Admit() != nil || ParseValue(s) != v) {
		return v, fmt.Errorf("%s: expected a word of letters, digits and _ . + - that begins with a letter", quoted(s))
	}
	return v, err
}

// checkStarts sees that starts name genes and values that a search may try without being asked.
func (f *Family) checkStarts(n *notes) {
	for i, start := range f.Start {
		for _, name := range slices.Sorted(maps.Keys(start)) {
			key := fmt.Sprintf("start[%d].%s", i, name)
			gene := f.gene(name)
			if gene == nil {
				n.addf(key, "no such gene: expected one of %s", strings.Join(f.GeneNames(), ", "))
				continue
			}
			v, err := NewValue(start[name])
			if err != nil || !slices.Contains(gene.values, v) || gene.OptsIn(v) {
				n.addf(key, "%v: expected one of %v that need not be asked for", start[name], gene.values)
			}
		}
	}
}

func (f *Family) checkAccumulate(n *notes) {
	if f.Accumulate == "" {
		f.Accumulate = string(FP32)
	}
	gene := f.gene(f.Accumulate)
	if gene == nil {
		if !DType(f.Accumulate).Sums() {
			n.addf("accumulate", "%q is neither a gene nor a dtype", f.Accumulate)
		}
		return
	}
	for _, v := range gene.values {
		if !DType(v.String()).Sums() {
			n.addf("accumulate", "gene %s has the value %v, which is not a dtype", gene.Name, v)
		}
	}
}

func (f *Family) compileLets(n *notes, scope expr.Scope, taken map[string]bool, p *Problem) {
	for i := range f.Lets {
		l, key := &f.Lets[i], fmt.Sprintf("let[%d] (%s)", i, f.Lets[i].Name)
		if CheckIdentifier(l.Name) != nil || taken[l.Name] {
			n.addf(key+".name", "%q is not usable: expected a new identifier", l.Name)
			continue
		}
		e, err := l.compile(scope, p)
		n.add(key+".value", err)
		l.expr = e
		taken[l.Name], scope[l.Name] = true, letExample(e)
	}
}

// letExample is a value of the kind that a let gives.
func letExample(e *expr.Expr) any {
	switch {
	case e != nil && e.Kind() == "bool":
		return false
	case e != nil && e.Kind() == "string":
		return ""
	}
	return 0
}

func (f *Family) compileRules(n *notes, scope expr.Scope, p *Problem) {
	scope = scope.With(p.dimScope())
	isDim := func(name string) bool { return slices.Contains(p.DimNames, name) }
	for i := range f.Constraints {
		c, key := &f.Constraints[i], fmt.Sprintf("constraint[%d]", i)
		e, err := expr.CompileBool(c.Rule, scope)
		n.add(key+".rule", err)
		c.expr, c.clauses = e, expr.Clauses(c.Rule, scope)
		c.sized = e != nil && slices.ContainsFunc(e.Names(), isDim)
		if c.Some && !c.sized {
			n.addf(key+".some", "the rule reads no dim")
		}
		if strings.TrimSpace(c.Why) == "" {
			n.addf(key+".why", "missing: say in a sentence why the rule is there")
		}
	}
}
