package kernels

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/kernels/expr"
)

// Family is one template's declaration: its genes, what combinations of them are legal and why, and
// how its kernels are launched. It is read from the .toml beside the .cu.tmpl; see docs/manual/problems.md.
type Family struct {
	Name  string `toml:"-" json:"name"`
	About string `toml:"about" json:"about,omitempty"`
	Arch  string `toml:"arch" json:"arch"` // least architecture, as in sm_80
	// Gene, or dtype, that the sums are kept in; default fp32
	Accumulate  string       `toml:"accumulate,omitempty" json:"accumulate,omitempty"`
	Genes       []Gene       `toml:"gene" json:"genes"`
	Lets        []Let        `toml:"let" json:"lets,omitempty"`
	Constraints []Constraint `toml:"constraint" json:"constraints,omitempty"`
	// Points that are likely to be fast, which a search tries first of all after the defaults: genes by name
	Start []map[string]any `toml:"start,omitempty" json:"start,omitempty"`
	PlanSpec

	Plan *Plan `toml:"-" json:"-"`
	// Launched says of each entry that the plan declares whether a size of the problem launches it: see Problem.Fix
	Launched map[string]bool `toml:"-" json:"-"`

	cc   int   // of Arch: 80
	only bool  // Arch has a letter: its code runs on no other architecture
	out  DType // of the problem's first output, or empty
}

// Runs reports whether code for the family's Arch can be compiled for the device.
func (f *Family) Runs(dev Device) bool {
	return dev.CC == f.cc || !f.only && dev.CC > f.cc
}

// Portable reports whether the family's code runs on every architecture from its own on.
func (f *Family) Portable() bool { return !f.only }

// Gene is one choice that a template leaves open. Values are in an order in which neighbours are
// alike, where there is one.
type Gene struct {
	Name    string `toml:"name" json:"name"`
	About   string `toml:"about,omitempty" json:"about,omitempty"`
	Values  []any  `toml:"values" json:"values"`
	Default any    `toml:"default" json:"default"`
	When    string `toml:"when,omitempty" json:"when,omitempty"`     // the gene exists only then; else it has its default
	OptIn   []any  `toml:"opt_in,omitempty" json:"opt_in,omitempty"` // values that are used only when asked for
	// Sizes at which the gene decides anything. It does not exist in the space of sizes of which none is one of these.
	Matters string `toml:"matters,omitempty" json:"matters,omitempty"`

	values []Value
	def    int // index of the default
	optIn  []bool
	when   *expr.Expr
	sized  *expr.Expr // When and Matters in one
}

// Let is a named value derived from the genes, for use in the expressions after it. With Some it is whether a condition
// on sizes holds for a workload of the run: see Problem.Score.
type Let struct {
	Name  string `toml:"name" json:"name"`
	Value string `toml:"value" json:"value"`
	Some  bool   `toml:"some,omitempty" json:"some,omitempty"`
	expr  *expr.Expr
}

// Constraint is a rule that every legal point satisfies, with the reason that the user is told. One that reads dims
// holds at every size that a space is made for, or at one of them at least.
type Constraint struct {
	Rule string `toml:"rule" json:"rule"`
	Why  string `toml:"why" json:"why"`
	Some bool   `toml:"some,omitempty" json:"some,omitempty"` // one of the sizes is enough

	expr    *expr.Expr
	clauses []*expr.Expr
	sized   bool // reads dims
}

func (f *Family) gene(name string) *Gene {
	for i := range f.Genes {
		if f.Genes[i].Name == name {
			return &f.Genes[i]
		}
	}
	return nil
}

// Reads lists the genes and lets that the let's expression reads, and "device", "elem", "dtype".
func (l Let) Reads() []string { return l.expr.Names() }

// Reads lists the genes and lets that the rule reads, and "device", "elem", "dtype", and dims.
func (c Constraint) Reads() []string { return c.expr.Names() }

// Env gives a genome's values, its lets, the device and elem to expressions. Genes that the genome
// leaves out have their defaults. It fails on a gene or value that the family does not have.
func (f *Family) Env(g Genome, dev Device, t DType) (expr.Env, error) {
	if err := f.knows(g); err != nil {
		return nil, err
	}
	env := make(expr.Env, 4+len(f.Genes)+len(f.Lets))
	maps.Copy(env, baseEnv(dev, t, f.out))
	for i := range f.Genes {
		gene := &f.Genes[i]
		env[gene.Name] = gene.values[gene.def].Any()
		if v, ok := g[gene.Name]; ok {
			env[gene.Name] = v.Any()
		}
	}
	var m expr.Machine
	for _, l := range f.Lets {
		if err := l.set(&m, env); err != nil {
			return nil, err
		}
	}
	return env, nil
}

// set evaluates the let and gives env its value.
func (l *Let) set(m *expr.Machine, env expr.Env) error {
	v, err := m.Value(l.expr, env)
	if err != nil {
		return fmt.Errorf("let %s: %w", l.Name, err)
	}
	env[l.Name] = v
	return nil
}

// knows refuses genes and values that the family does not have.
func (f *Family) knows(g Genome) error {
	known := 0
	for i := range f.Genes {
		if v, ok := g[f.Genes[i].Name]; ok && slices.Contains(f.Genes[i].values, v) {
			known++
		}
	}
	if known == len(g) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(g)) {
		gene := f.gene(name)
		if gene == nil {
			return fmt.Errorf("unknown gene %q: %s has %s", name, f.Name, strings.Join(f.GeneNames(), ", "))
		}
		if _, err := gene.index(g[name]); err != nil {
			return err
		}
	}
	return nil
}

func (g *Gene) index(v Value) (int, error) {
	i := slices.Index(g.values, v)
	if i < 0 {
		return 0, fmt.Errorf("gene %s has no value %v: expected one of %v", g.Name, v, g.values)
	}
	return i, nil
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

// Accumulators lists the types that the family may keep sums in, where genes are restricted by pins.
func (f *Family) Accumulators(pins Pins) []DType {
	gene := f.gene(f.Accumulate)
	if gene == nil {
		return []DType{DType(f.Accumulate)}
	}
	var out []DType
	want, pinned := pins[gene.Name]
	for i, v := range gene.values {
		if pinned && slices.Contains(want, v) || !pinned && !gene.optIn[i] {
			out = append(out, DType(v.String()))
		}
	}
	return out
}

// Check explains what is wrong with a genome: unknown genes, values that a gene does not have, and
// every constraint it breaks with the constraint's reason. nil means legal. Rules that read dims are checked at the
// sizes alone.
func (f *Family) Check(g Genome, dev Device, t DType, sizes ...Dims) error {
	env, err := f.Env(g, dev, t)
	if err != nil {
		return err
	}
	var broken []error
	for _, c := range f.Constraints {
		ok, err := c.at(env, sizes)
		switch {
		case err != nil:
			broken = append(broken, fmt.Errorf("constraint %s: %w", c.Rule, err))
		case !ok:
			broken = append(broken, fmt.Errorf("illegal: %s (%s)", c.Why, c.Rule))
		}
	}
	return errors.Join(broken...)
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

// OptsIn reports whether the value is used only when asked for.
func (g *Gene) OptsIn(v Value) bool {
	i := slices.Index(g.values, v)
	return i >= 0 && g.optIn[i]
}

// DefaultValue is the gene's value in the naive start.
func (g *Gene) DefaultValue() Value { return g.values[g.def] }

// Defaults is the naive start: every active gene at its default.
func (f *Family) Defaults() Genome {
	g, env := Genome{}, expr.Env{}
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

// Starts are the points that the family declares as likely to be fast. Genes that one does not name have their
// defaults, so that it need not be legal as it is.
func (f *Family) Starts() (list []Genome) {
	for _, start := range f.Start {
		g := Genome{}
		for i := range f.Genes {
			g[f.Genes[i].Name] = f.Genes[i].DefaultValue()
		}
		for name, raw := range start {
			g[name], _ = NewValue(raw) // it was read before
		}
		list = append(list, g)
	}
	return list
}
