package graph

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// dialect is how numbers are written: as floats in families, as Num in the truth.
type dialect struct {
	number  string // the type
	literal func(x float64) string
}

var (
	families = dialect{"float", floatLiteral}
	truth    = dialect{"Num", func(x float64) string { return "exactly(" + doubleLiteral(float64(float32(x))) + ")" }}
)

// floatLiteral is a number as the float that PyTorch would make of it.
func floatLiteral(x float64) string {
	text := doubleLiteral(float64(float32(x)))
	if strings.Contains(text, "__") {
		return text
	}
	if inside, ok := strings.CutSuffix(text, ")"); ok {
		return inside + "f)"
	}
	return text + "f"
}

func doubleLiteral(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "__int_as_float(0x7f800000)"
	case math.IsInf(x, -1):
		return "__int_as_float(0xff800000)"
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += "."
	}
	if x < 0 {
		return "(" + text + ")"
	}
	return text
}

// function is a function of an element and a row: statements, and what is returned.
type function struct {
	Name, Result string
	Lines        []string
}

// writer writes expressions. What does not vary along a row is a field of it, once its pass is over.
type writer struct {
	p       *program
	d       dialect
	lines   []string
	locals  map[*value]string
	current *value // that a row's line is for
}

func (p *program) write(d dialect, name string, v *value) function {
	w := &writer{p: p, d: d, locals: map[*value]string{}}
	result := w.text(v)
	return function{name, result, w.lines}
}

// text is a value as an expression; operators are statements before it.
func (w *writer) text(v *value) string {
	switch v.kind {
	case isNumber:
		return w.d.literal(v.number)
	case isCount:
		return "n.count()"
	case isLength:
		return fmt.Sprintf(
			"%s(n.q%d)",
			map[string]string{"float": "float", "Num": "exactly"}[w.d.number],
			w.p.lengthIndex(v),
		)
	case isStat:
		return fmt.Sprintf("row.s%d_%d", v.stat.id, v.part)
	case isAcc:
		return "e.acc"
	case isPlace:
		return w.p.place(v)
	case isTotal:
		return fmt.Sprintf("total.t%d", v.stat.id)
	case isLoad:
		if v.varies {
			return "e." + w.p.loadName(v)
		}
		return "row." + w.p.loadName(v)
	}
	if !v.varies && !v.total && v != w.current {
		return "row." + w.p.rowName(v)
	}
	if name := w.locals[v]; name != "" {
		return name
	}
	call := w.call(v)
	if v == w.current {
		return call
	}
	name := fmt.Sprintf("v%d", len(w.lines))
	w.lines = append(w.lines, fmt.Sprintf("const %s %s = %s;", w.d.number, name, call))
	w.locals[v] = name
	return name
}

// call is an operator's value as a call of its function.
func (w *writer) call(v *value) string {
	args := make([]string, len(v.args))
	for i, a := range v.args {
		args[i] = w.text(a)
	}
	if w.d.number == truth.number && v.op.Far {
		args = slices.Insert(args, 0, modelOf(v))
	}
	return "op_" + v.op.Name + "(" + strings.Join(args, ", ") + ")"
}

// modelOf is what the truth of an operator takes for e(terms) of the error model: none where a row is multiplied or
// divided by what is known of it, as by its norm. That is not far off, if only because something keeps it from 0.
func modelOf(v *value) string {
	if len(v.args) == 2 && v.args[0].varies != v.args[1].varies {
		return "0"
	}
	return "n.model()"
}

func (p *program) loadName(v *value) string { return fmt.Sprintf("l%d", slices.Index(p.loads, v)) }

func (p *program) rowName(v *value) string { return fmt.Sprintf("r%d", slices.Index(p.rowValues(), v)) }

func (p *program) lengthIndex(v *value) int { return slices.Index(p.lengthValues(), v) }

// reachable lists all values that stats and outputs are made of, arguments before what is made of them.
func (p *program) reachable() []*value {
	var from []*value
	for _, o := range p.outputs {
		from = append(from, o.value)
	}
	if p.scan != nil {
		from = append(from, p.scan.arg)
	}
	return reached(from...)
}

// reached are values and all that they are made of, each after what it is made of.
func reached(from ...*value) (out []*value) {
	seen := map[*value]bool{}
	var visit func(v *value)
	visit = func(v *value) {
		if seen[v] {
			return
		}
		seen[v] = true
		for _, a := range v.args {
			visit(a)
		}
		if v.kind == isStat || v.kind == isTotal {
			visit(v.stat.arg)
		}
		out = append(out, v)
	}
	for _, v := range from {
		visit(v)
	}
	return out
}

// rowValues are the operators that do not vary along a row: each is worked out once, when its pass is over.
func (p *program) rowValues() []*value {
	if p.rows == nil {
		p.rows = []*value{}
		for _, v := range p.reachable() {
			if v.kind == isOp && !v.varies && !v.total {
				p.rows = append(p.rows, v)
			}
		}
	}
	return p.rows
}

func (p *program) lengthValues() (out []*value) {
	for _, v := range p.reachable() {
		if v.kind == isLength {
			out = append(out, v)
		}
	}
	if p.product == nil {
		return out
	}
	for _, text := range p.product.shared() {
		if v := p.length(text); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// rowLines work out the values of a row that a pass makes known.
func (p *program) rowLines(d dialect, depth int) (lines []string) {
	for _, v := range p.rowValues() {
		if v.depth == depth {
			w := &writer{p: p, d: d, locals: map[*value]string{}, current: v}
			lines = append(lines, fmt.Sprintf("row.%s = %s;", p.rowName(v), w.text(v)))
		}
	}
	return lines
}

// finishes are the functions that end each pass.
func (p *program) finishes(d dialect) (out []function) {
	for depth := 1; depth <= p.passes(); depth++ {
		out = append(out, function{Name: fmt.Sprintf("finish%d", depth), Lines: p.rowLines(d, depth)})
	}
	return out
}

// functions are the terms of all stats, and the results.
func (p *program) functions(d dialect) (out []function) {
	for _, s := range p.stats {
		out = append(out, p.write(d, fmt.Sprintf("term%d", s.id), s.arg))
	}
	if p.scan != nil {
		out = append(out, p.write(d, "scan_term", p.scan.arg))
	}
	for _, s := range p.totals {
		out = append(out, p.write(d, fmt.Sprintf("total%d", s.id), s.arg))
	}
	for i, o := range p.outputs {
		if !o.total {
			out = append(out, p.write(d, fmt.Sprintf("result%d", i), o.value))
		}
	}
	return out
}

// finals are the results that are made of sums over all rows.
func (p *program) finals(d dialect) (out []function) {
	for i, o := range p.outputs {
		if o.total {
			out = append(out, p.write(d, fmt.Sprintf("result%d", i), o.value))
		}
	}
	return out
}

// usedOperators are the operators of the table that the program needs.
func (p *program) usedOperators() (out []*operator) {
	add := func(op *operator) {
		if !slices.Contains(out, op) {
			out = append(out, op)
		}
	}
	for _, v := range p.reachable() {
		if v.kind == isOp {
			add(v.op)
		}
		if v.kind == isStat && v.stat.kind.exponentials() {
			add(operators["exp"])
		}
	}
	return out
}
