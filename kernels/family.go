package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// Family is one template's declaration: its genes, what combinations of them are legal and why, and
// how its kernels are launched. It is read from the .toml beside the .cu.tmpl; see docs/problems.md.
type Family struct {
	Name        string       `toml:"-" json:"name"`
	About       string       `toml:"about" json:"about,omitempty"`
	Arch        string       `toml:"arch" json:"arch"`                                 // least architecture, as in sm_80
	Accumulate  string       `toml:"accumulate,omitempty" json:"accumulate,omitempty"` // gene, or dtype, that the sums are kept in; default fp32
	Genes       []Gene       `toml:"gene" json:"genes"`
	Lets        []Let        `toml:"let" json:"lets,omitempty"`
	Constraints []Constraint `toml:"constraint" json:"constraints,omitempty"`
	PlanSpec

	Plan *Plan `toml:"-" json:"-"`
}

// Gene is one choice that a template leaves open. Values are in an order in which neighbours are
// alike, where there is one.
type Gene struct {
	Name    string `toml:"name" json:"name"`
	About   string `toml:"about,omitempty" json:"about,omitempty"`
	Values  []any  `toml:"values" json:"values"`
	Default any    `toml:"default" json:"default"`
	When    string `toml:"when,omitempty" json:"when,omitempty"`     // the gene exists only then; else it has its default
	OptIn   []any  `toml:"opt_in,omitempty" json:"opt_in,omitempty"` // values that are used only when asked for

	values []Value
	def    int // index of the default
	optIn  []bool
	when   *Expr
}

// Let is a named value derived from the genes, for use in the expressions after it.
type Let struct {
	Name  string `toml:"name" json:"name"`
	Value string `toml:"value" json:"value"`
	expr  *Expr
}

// Constraint is a rule that every legal point obeys, with the reason that the user is told.
type Constraint struct {
	Rule string `toml:"rule" json:"rule"`
	Why  string `toml:"why" json:"why"`
	expr *Expr
}

// ParseFamily reads a family's declaration for a problem. The error is Mistakes.
func ParseFamily(file, name string, data []byte, p *Problem) (*Family, error) {
	f := &Family{}
	if err := decode(file, data, f); err != nil {
		return nil, err
	}
	f.Name = name
	n := &notes{file: file}
	if !strings.HasPrefix(f.Arch, "sm_") {
		n.addf("arch", "%q: expected the least architecture, as in \"sm_80\"", f.Arch)
	}
	scope := Scope{"device": Device{}, "elem": 0}
	f.compileGenes(n, scope, p)
	f.compileLets(n, scope)
	f.compileRules(n, scope)
	if f.Accumulate == "" {
		f.Accumulate = "fp32"
	}
	if !DType(f.Accumulate).Valid() && f.gene(f.Accumulate) == nil {
		n.addf("accumulate", "%q is neither a gene nor a dtype", f.Accumulate)
	}
	if len(n.list) == 0 {
		plan, err := CompilePlan(file, f.PlanSpec, p.Tensors, scope.With(p.dimScope()))
		if err != nil {
			return nil, err
		}
		f.Plan = plan
	}
	if err := n.err(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Family) gene(name string) *Gene {
	for i := range f.Genes {
		if f.Genes[i].Name == name {
			return &f.Genes[i]
		}
	}
	return nil
}

func (f *Family) compileGenes(n *notes, scope Scope, p *Problem) {
	for i := range f.Genes {
		g, key := &f.Genes[i], fmt.Sprintf("gene[%d]", i)
		if g.Name != "" {
			key = fmt.Sprintf("gene[%d] (%s)", i, g.Name)
		}
		if !nameRE.MatchString(g.Name) || scope[g.Name] != nil || slices.Contains(p.DimNames, g.Name) || slices.Contains([]string{"T", "dtype", "min", "max", "abs"}, g.Name) {
			n.addf(key+".name", "%q is not usable: expected a new identifier", g.Name)
			continue
		}
		if g.When != "" {
			e, err := CompileBool(g.When, scope)
			n.add(key+".when", err)
			g.when = e
		}
		g.compileValues(n, key)
		if len(g.values) > 0 {
			scope[g.Name] = g.values[0].Any()
		}
	}
	if len(f.Genes) == 0 {
		n.addf("gene", "missing: declare at least one [[gene]]")
	}
}

func (g *Gene) compileValues(n *notes, key string) {
	for i, raw := range g.Values {
		v, err := NewValue(raw)
		if err != nil {
			n.addf(fmt.Sprintf("%s.values[%d]", key, i), "%v", err)
			continue
		}
		switch {
		case len(g.values) > 0 && v.Kind() != g.values[0].Kind():
			n.addf(fmt.Sprintf("%s.values[%d]", key, i), "%v is a %s, the values before it are %ss", v, v.Kind(), g.values[0].Kind())
		case slices.Contains(g.values, v):
			n.addf(fmt.Sprintf("%s.values[%d]", key, i), "%v is there twice", v)
		default:
			g.values = append(g.values, v)
		}
	}
	if len(g.Values) == 0 || len(g.Values) > 255 {
		n.addf(key+".values", "expected 1 to 255 values")
		return
	}
	def, err := NewValue(g.Default)
	g.def = slices.Index(g.values, def)
	if err != nil || g.def < 0 {
		n.addf(key+".default", "%v is not one of its values", g.Default)
	}
	g.optIn = make([]bool, len(g.values))
	for _, raw := range g.OptIn {
		v, _ := NewValue(raw)
		i := slices.Index(g.values, v)
		if i < 0 || i == g.def {
			n.addf(key+".opt_in", "%v is not one of its values, or is the default", raw)
			continue
		}
		g.optIn[i] = true
	}
}

func (f *Family) compileLets(n *notes, scope Scope) {
	for i := range f.Lets {
		l, key := &f.Lets[i], fmt.Sprintf("let[%d] (%s)", i, f.Lets[i].Name)
		if !nameRE.MatchString(l.Name) || scope[l.Name] != nil {
			n.addf(key+".name", "%q is not usable: expected a new identifier", l.Name)
			continue
		}
		e, err := CompileAny(l.Value, scope)
		n.add(key+".value", err)
		l.expr = e
		scope[l.Name] = letKind(e)
	}
}

// letKind guesses what a let gives: a truth value if it compiles as one, else an integer.
func letKind(e *Expr) any {
	if e != nil && e.isBool {
		return false
	}
	return 0
}

func (f *Family) compileRules(n *notes, scope Scope) {
	for i := range f.Constraints {
		c, key := &f.Constraints[i], fmt.Sprintf("constraint[%d]", i)
		e, err := CompileBool(c.Rule, scope)
		n.add(key+".rule", err)
		c.expr = e
		if c.Why == "" {
			n.addf(key+".why", "missing: say in a sentence why the rule is there")
		}
	}
}

// Env gives a genome's values, its lets, the device and elem to expressions. Genes that the genome
// leaves out have their defaults.
func (f *Family) Env(g Genome, dev Device, t DType) (Env, error) {
	env := Env{"device": dev, "elem": t.Size()}
	for i := range f.Genes {
		gene := &f.Genes[i]
		env[gene.Name] = gene.values[gene.def].Any()
		if v, ok := g[gene.Name]; ok {
			env[gene.Name] = v.Any()
		}
	}
	return env, f.lets(env)
}

func (f *Family) lets(env Env) error {
	for _, l := range f.Lets {
		v, err := l.expr.Value(env)
		if err != nil {
			return fmt.Errorf("let %s: %w", l.Name, err)
		}
		env[l.Name] = v
	}
	return nil
}

// Accumulator is the type that a genome keeps its sums in.
func (f *Family) Accumulator(g Genome) DType {
	if gene := f.gene(f.Accumulate); gene != nil {
		if v, ok := g[f.Accumulate]; ok {
			return DType(v.String())
		}
		return DType(gene.values[gene.def].String())
	}
	return DType(f.Accumulate)
}

// Check explains what is wrong with a genome: unknown genes, values that a gene does not have, and
// every constraint it breaks with the constraint's reason. nil means legal.
func (f *Family) Check(g Genome, dev Device, t DType) error {
	for name, v := range g {
		gene := f.gene(name)
		if gene == nil {
			return fmt.Errorf("unknown gene %q: %s has %s", name, f.Name, strings.Join(f.GeneNames(), ", "))
		}
		if !slices.Contains(gene.values, v) {
			return fmt.Errorf("gene %s has no value %v: expected one of %v", name, v, gene.values)
		}
	}
	env, err := f.Env(g, dev, t)
	if err != nil {
		return err
	}
	for _, c := range f.Constraints {
		ok, err := c.expr.Bool(env)
		if err != nil {
			return fmt.Errorf("constraint %s: %w", c.Rule, err)
		}
		if !ok {
			return fmt.Errorf("illegal: %s (%s)", c.Why, c.Rule)
		}
	}
	return nil
}

// GeneNames lists the genes in declaration order.
func (f *Family) GeneNames() []string {
	out := make([]string, len(f.Genes))
	for i := range f.Genes {
		out[i] = f.Genes[i].Name
	}
	return out
}

// All returns the values of the gene in order, those that must be asked for included.
func (g *Gene) All() []Value { return g.values }

// DefaultValue is the gene's value in the naive start.
func (g *Gene) DefaultValue() Value { return g.values[g.def] }

// Defaults is the naive start: every active gene at its default.
func (f *Family) Defaults() Genome {
	g := Genome{}
	env := Env{"device": Device{}, "elem": 0}
	for i := range f.Genes {
		gene := &f.Genes[i]
		env[gene.Name] = gene.values[gene.def].Any()
		if gene.when != nil {
			if on, err := gene.when.Bool(env); err != nil || !on {
				continue
			}
		}
		g[gene.Name] = gene.values[gene.def]
	}
	return g
}
