package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// offset is a function of the families: where in a tensor a place lies, as far as its number along the kept or the
// reduced axes says.
type offset struct{ Name, Text string }

// offsets are those of all loads and of the outputs that have every place.
func (p *program) offsets() (out []offset) {
	add := func(name string, axes []int) {
		out = append(
			out,
			offset{"kept_" + name, p.offset(axes, false)},
			offset{"terms_" + name, p.offset(axes, true)},
		)
	}
	for _, l := range p.loads {
		if l.spots != nil {
			continue
		}
		add(p.loadName(l), l.axes)
	}
	for i, o := range p.outputs {
		if o.full {
			add(outName(i), p.allAxes())
		}
	}
	return out
}

func (p *program) allAxes() (out []int) {
	for i := range p.domain {
		out = append(out, i)
	}
	return out
}

// offset adds up, for the axes of one sort, coordinate times distance. Neighbours in the tensor that are neighbours
// among the axes of that sort have one coordinate together.
func (p *program) offset(axes []int, reduced bool) string {
	sort := p.sort(reduced)
	var parts []string
	for i := 0; i < len(axes); i++ {
		first := slices.Index(sort, axes[i])
		if first < 0 {
			continue
		}
		last := first
		for i+1 < len(axes) && last+1 < len(sort) && axes[i+1] == sort[last+1] {
			i, last = i+1, last+1
		}
		parts = append(parts, p.coordinate(sort, first, last)+p.distance(axes[i+1:]))
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}

// coordinate is that of a run of axes, of the number i along all axes of their sort.
func (p *program) coordinate(sort []int, first, last int) string {
	text := "i"
	if last < len(sort)-1 {
		text = "i / " + p.extent(sort[last+1:])
	}
	if first > 0 {
		text += " % " + p.extent(sort[first:last+1])
	}
	if last < len(sort)-1 || first > 0 {
		text = p.narrowed(sort, text)
	}
	return "(long long)(" + text + ")"
}

// narrowed divides in 32 bits where places are numbered in 64, but those along these axes do not need it: a division in
// 64 bits takes some hundred instructions.
func (p *program) narrowed(sort []int, text string) string {
	lengths := make([]string, len(sort))
	for i, a := range sort {
		lengths[i] = p.domain[a].length
	}
	if n, err := p.graph.size(product(lengths)); err != nil || p.index() == "unsigned" || beyond32(n) {
		return text
	}
	return strings.ReplaceAll("unsigned(i)"+strings.TrimPrefix(text, "i"), "Index(", "unsigned(")
}

// index is the type that places are numbered in.
func (p *program) index() string {
	total, err := p.graph.size(product(append(p.lengths(false), p.lengths(true)...)))
	if err != nil || beyond32(total) {
		return "unsigned long long"
	}
	return "unsigned"
}

// beyond32 reports whether numbers up to n, or what is stepped to behind them, and those at some times the scored size,
// are more than 32 bits hold.
func beyond32(n int) bool { return float64(n)*4 >= math.MaxUint32 }

// extent is the product of axes as an expression in C++.
func (p *program) extent(axes []int) string {
	if len(axes) == 0 {
		return "Index(1)"
	}
	names := make([]string, len(axes))
	for i, a := range axes {
		names[i] = fmt.Sprintf("Index(n.a%d)", a)
	}
	if len(names) == 1 {
		return names[0]
	}
	return "(" + strings.Join(names, " * ") + ")"
}

// distance is how far apart neighbours are when these axes come after theirs.
func (p *program) distance(after []int) string {
	var out strings.Builder
	for _, a := range after {
		fmt.Fprintf(&out, " * n.a%d", a)
	}
	return out.String()
}

func outName(i int) string { return fmt.Sprintf("out%d", i) }

// sort is the axes that are reduced, or kept.
func (p *program) sort(reduced bool) (out []int) {
	for i, a := range p.domain {
		if a.reduced == reduced {
			out = append(out, i)
		}
	}
	return out
}
