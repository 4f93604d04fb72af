package kernels

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels/expr"
)

// Score says which sizes the workloads of a run have. The lets with `some` of the families that are parsed for the
// problem from then on are about these; without sizes they hold, as if there were workloads of every kind.
func (p *Problem) Score(sizes []Dims) error {
	if len(sizes) == 0 {
		return errors.New("no size: expected those of the run's workloads")
	}
	n := &notes{}
	for i, d := range sizes {
		key := fmt.Sprintf("size %d", i)
		for _, dim := range p.DimNames {
			if _, ok := d[dim]; !ok {
				n.addf(key, "no value for dim %s", dim)
			}
		}
		if len(n.list) == 0 {
			p.checkSize(n, key, d)
		}
	}
	p.scored = sizes
	return n.err()
}

// compile reads the let. One with `some` is a condition on sizes, and holds if one of the run's has it: in it dims are
// replaced by their values, so that it is one of genes, as other lets are.
func (l *Let) compile(scope expr.Scope, p *Problem) (*expr.Expr, error) {
	if !l.Some {
		return expr.CompileAny(l.Value, scope)
	}
	e, err := expr.CompileBool(l.Value, scope.With(p.dimScope()))
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(e.Names(), func(name string) bool { return slices.Contains(p.DimNames, name) }) {
		return nil, errors.New("some: the value reads no dim")
	}
	var cases []string
	for _, size := range p.scored {
		env := expr.Env{}
		size.into(env)
		text, err := expr.Substitute(l.Value, env)
		if err != nil {
			return nil, err
		}
		cases = append(cases, "("+text+")")
	}
	if len(cases) == 0 {
		cases = []string{"true"}
	}
	return expr.CompileBool(strings.Join(cases, " || "), scope)
}
