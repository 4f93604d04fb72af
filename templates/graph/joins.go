package graph

import (
	"slices"
	"strconv"
	"strings"
)

// Tensors behind one another along an axis, and with something around them.

// joinedUp is what stands side by side along an axis: each part is read where it is, and chosen by the coordinate.
func joinedUp(l *lowering, n *Node, at place) (*value, error) {
	if len(n.Args) == 0 || len(n.Args[0].List) == 0 {
		return nil, refusal(n, "expected tensors")
	}
	dim, err := l.axisOf(n, 1, len(n.Shape))
	if err != nil {
		return nil, err
	}
	if err := l.countable(n, dim, at[dim]); err != nil {
		return nil, err
	}
	parts, ends, behind := n.Args[0].List, []string{}, "0"
	var values []*value
	for i, a := range parts {
		if a.kind != 'r' || len(l.shape(a.Ref)) != len(n.Shape) {
			return nil, refusal(n, "expected tensors of %d axes", len(n.Shape))
		}
		to, length := slices.Clone(at), texts(l.shape(a.Ref))[dim]
		if to[dim] = l.partPlace(at[dim], behind, i == len(parts)-1); length == "1" {
			to[dim] = nil
		}
		v, err := l.build(a.Ref, to)
		if err != nil {
			return nil, err
		}
		behind = added(behind, length)
		values, ends = append(values, v), append(ends, behind)
	}
	return l.chooseByPlace(at[dim], values, ends), nil
}

// partPlace is where a part lies that begins so far behind.
func (l *lowering) partPlace(axes []int, behind string, last bool) []int {
	to := l.moved(axes, behind)
	d := &l.coordinates[to[0]-derivedFrom]
	if last && d.less == "" && d.shift < 0 {
		return l.shifted(axes, 1, d.shift)
	}
	return to
}

// chooseByPlace is the value of the part that a coordinate lies in; ends are where the parts end.
func (l *lowering) chooseByPlace(axes []int, values []*value, ends []string) *value {
	out := values[len(values)-1]
	for i := len(values) - 2; i >= 0; i-- {
		out = l.op("where", l.op("lt", l.coordinateOf(axes), l.lengthOrNumber(ends[i])), values[i], out)
	}
	return out
}

// added is the sum of two lengths.
func added(a, b string) string {
	x, y := plainLength(a), plainLength(b)
	switch {
	case x >= 0 && y >= 0:
		return strconv.Itoa(x + y)
	case x == 0:
		return b
	}
	return a + " + " + b
}

// lengthOrNumber is a length as a number.
func (l *lowering) lengthOrNumber(text string) *value {
	if n := plainLength(text); n >= 0 {
		return l.num(float64(n))
	}
	return l.length(text)
}

// countable refuses what stands along an axis whose places floats cannot tell apart, or that are read.
func (l *lowering) countable(n *Node, dim int, axes []int) error {
	if l.reads(l.spot(axes)) {
		return refusal(n, "along an axis that indices choose from")
	}
	if size, err := l.graph.size(string(n.Shape[dim])); err != nil || size > mostIndex {
		return refusal(n, "of %s numbers: expected at most %d", texts(n.Shape)[dim], mostIndex)
	}
	return nil
}

// padded has a constant around the last axes, or leaves out ends of them; or what lies at their edges.
func padded(l *lowering, n *Node, at place) (*value, error) {
	amounts, how, fill, err := l.padding(n)
	if err != nil {
		return nil, err
	}
	to, inside := slices.Clone(at), []*value{}
	for i := range len(amounts) / 2 {
		dim, left, right := len(n.Shape)-1-i, amounts[2*i], amounts[2*i+1]
		if left == 0 && right == 0 {
			continue
		}
		if err := l.countable(n, dim, at[dim]); err != nil {
			return nil, err
		}
		length := texts(l.shape(n.Args[0].Ref))[dim]
		d := derived{axes: at[dim], scale: 1, shift: -left}
		if how != "constant" {
			d.edge, d.span = how, length
			if most := max(left, right) - reach[how]; most >= 0 {
				d.room = length + " - " + strconv.Itoa(most)
			}
		} else {
			d.bounded = right > 0
			inside = append(inside, l.insidePad(at[dim], left, right, length)...)
		}
		to[dim] = l.worked(d)
	}
	v, err := l.build(n.Args[0].Ref, to)
	for _, in := range inside {
		v = l.op("where", in, v, l.num(fill))
	}
	return v, err
}

// reach is how far beyond its ends an axis is read: an edge as far as one likes, what is turned around by less than all
// of it, and what begins again by all of it.
var reach = map[string]int{"replicate": mostIndex, "reflect": 0, "circular": 1}

// insidePad are the conditions for a coordinate to lie in what is padded.
func (l *lowering) insidePad(axes []int, left, right int, length string) (out []*value) {
	c := l.coordinateOf(axes)
	if right > 0 {
		out = append(out, l.op("lt", c, l.lengthOrNumber(added(length, strconv.Itoa(max(left, 0))))))
	}
	if left > 0 {
		out = append(out, l.op("ge", c, l.num(float64(left))))
	}
	return out
}

// padding is how much is added at both ends of the last axes, the last one first, of what kind, and the constant.
func (l *lowering) padding(n *Node) (amounts []int, how string, fill float64, err error) {
	a, _ := n.option(1, "pad")
	if len(a.List) == 0 || len(a.List)%2 > 0 || len(a.List) > 2*len(n.Shape) || n.Args[0].kind != 'r' {
		return nil, "", 0, refusal(n, "expected how much to add at each end of an axis")
	}
	for _, e := range a.List {
		v, ok := e.Value.(float64)
		if !ok || v != float64(int(v)) || v < -mostIndex || v > mostIndex {
			return nil, "", 0, refusal(n, "what it adds follows a size: expected plain numbers")
		}
		amounts = append(amounts, int(v))
	}
	how, at := "constant", 2
	if n.Op == "pad" {
		if m, ok := n.option(2, "mode"); ok {
			how, _ = m.Value.(string)
		}
		at = 3
	}
	if !slices.Contains([]string{"constant", "reflect", "replicate", "circular"}, how) {
		return nil, "", 0, refusal(n, "of mode %s: expected constant, reflect, replicate or circular", cut(how))
	}
	fill, err = n.number(at, "value", 0)
	return amounts, how, fill, err
}

// triangular is a tensor with zeros above or below a diagonal.
func (l *lowering) triangular(n *Node, at place) (*value, error) {
	diagonal, err := n.number(1, "diagonal", 0)
	if err != nil {
		return nil, err
	}
	if err := l.countable(n, len(n.Shape)-1, at[len(at)-1]); err != nil {
		return nil, err
	}
	v, err := l.build(n.Args[0].Ref, at)
	if err != nil {
		return nil, err
	}
	row, column := l.shifted(at[len(at)-2], 1, int(diagonal)), at[len(at)-1]
	inside := l.op(map[string]string{"triu": "ge", "tril": "le"}[n.Op], l.coordinateOf(column), l.coordinateOf(row))
	return l.op("where", inside, v, l.num(0)), nil
}

// counted is a row of whole numbers, as arange makes it.
func counted(l *lowering, n *Node, at place) (*value, error) {
	if err := l.countable(n, 0, at[0]); err != nil {
		return nil, err
	}
	start, step, err := l.counting(n)
	if err != nil {
		return nil, err
	}
	return l.coordinateOf(l.begun(at[0], step, start, "")), nil
}

// counting is where such a row begins, and its steps.
func (l *lowering) counting(n *Node) (start, step int, err error) {
	var x []int
	for _, a := range n.Args {
		v, ok := a.Value.(float64)
		if a.kind == 'd' && len(x) < 2 {
			v, ok = 0, len(n.Args) < 3 // the end is the length
		}
		if !ok || v != float64(int(v)) {
			return 0, 0, refusal(n, "expected whole numbers")
		}
		x = append(x, int(v))
	}
	start, step = 0, 1
	if len(x) > 1 {
		start = x[0]
	}
	if len(x) > 2 {
		step = x[2]
	}
	if start < 0 || step < 1 || start+step > mostIndex || len(n.Args) == 0 || n.Args[0].kind == 'd' && len(x) > 1 {
		return 0, 0, refusal(n, "expected a start of 0 or more, and steps of 1 or more")
	}
	return start, step, nil
}

// plainLength is a length that is a plain number, -1: it is none.
func plainLength(text string) int {
	n := 0
	for _, c := range strings.TrimSpace(text) {
		if c < '0' || c > '9' || n > mostIndex {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}
