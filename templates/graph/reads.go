package graph

import (
	"fmt"
	"slices"
	"strings"
)

// An element of a place is an axis of the domain, or from derivedFrom on the number of a coordinate that is worked out
// of others: that of a slice, of what stands behind zeros, or of one number in a window.
const derivedFrom = 1 << 16

// derived is a coordinate: that along some axes as one, times scale, plus shift, and plus a length of dims where one is
// named.
type derived struct {
	axes         []int
	scale, shift int
	start        string
}

// shifted is the place along one axis of what lies shift further on and scale times as far apart. It is no plain axis
// even where it lies nowhere else: what is cut out is shorter than what it is cut from.
func (l *lowering) shifted(axes []int, scale, shift int) []int {
	return l.begun(axes, scale, shift, "")
}

// begun is the same, where what lies there begins at a length besides.
func (l *lowering) begun(axes []int, scale, shift int, start string) []int {
	if len(axes) == 1 && axes[0] >= derivedFrom {
		inner := l.coordinates[axes[0]-derivedFrom]
		if inner.start != "" {
			more := fmt.Sprintf("(%s) * %d", inner.start, scale)
			start = strings.TrimSuffix(more+" + "+start, " + ")
		}
		axes, shift, scale = inner.axes, inner.shift*scale+shift, inner.scale*scale
	}
	d := derived{axes, scale, shift, start}
	for i, other := range l.coordinates {
		if fmt.Sprint(other) == fmt.Sprint(d) {
			return []int{derivedFrom + i}
		}
	}
	l.coordinates = append(l.coordinates, d)
	return []int{derivedFrom + len(l.coordinates) - 1}
}

// spot is the coordinate of one axis of a place.
func (l *lowering) spot(axes []int) derived {
	if len(axes) == 1 && axes[0] >= derivedFrom {
		return l.coordinates[axes[0]-derivedFrom]
	}
	return derived{axes: axes, scale: 1}
}

// plainPlace reports whether a tensor at a place is read as it lies, its axes in order and none of them worked out.
func plainPlace(at place) ([]int, bool) {
	axes := slices.Concat(at...)
	return axes, slices.IsSorted(axes) && !slices.ContainsFunc(axes, func(a int) bool { return a >= derivedFrom })
}

// readAt is a number of a tensor at a place that is not plain: it is looked up by itself, 0 where it would lie before
// the tensor's beginning.
func (l *lowering) readAt(tensor int, shape []Extent, at place) *value {
	v := &value{kind: isLoad, tensor: tensor, varies: len(l.sort(true)) == 0}
	for i, axes := range at {
		d := l.spot(axes)
		v.spots = append(v.spots, d)
		v.args = append(v.args, l.length(texts(shape)[i]))
		v.varies = v.varies || slices.ContainsFunc(d.axes, func(a int) bool { return l.domain[a].reduced })
	}
	for _, d := range v.spots {
		if d.start != "" {
			v.args = append(v.args, l.length(d.start))
		}
	}
	v.key = fmt.Sprint("at", tensor, v.spots)
	return l.intern(v)
}

// coordinateOf is how far along an axis a place is, as a number.
func (l *lowering) coordinateOf(axes []int) *value {
	d := l.spot(axes)
	v := &value{kind: isPlace, spots: []derived{d}, varies: len(l.sort(true)) == 0, key: fmt.Sprint("place", d)}
	if d.start != "" {
		v.args = []*value{l.length(d.start)}
	}
	v.varies = v.varies || slices.ContainsFunc(d.axes, func(a int) bool { return l.domain[a].reduced })
	return l.intern(v)
}

// mostIndex is up to where floats hold every whole number.
const mostIndex = 1 << 24

// scattered are the loads that are looked up, and the coordinates: each is a function in C++.
func (p *program) scattered() (out []*value) {
	for _, v := range p.reachable() {
		if v.kind == isPlace || v.kind == isLoad && v.spots != nil {
			out = append(out, v)
		}
	}
	return out
}

// touches reports whether a value reads an axis of the domain by itself.
func (v *value) touches(axis int) bool {
	return slices.ContainsFunc(v.spots, func(d derived) bool { return slices.Contains(d.axes, axis) })
}

// lookup is a function in C++: where a scattered value's number is, for place number k of the kept axes and r of the
// reduced ones.
type lookup struct {
	Name, Tensor, At, Inside string
	Varies, Place, Staged    bool
}

func (p *program) lookups() (out []lookup) {
	for _, v := range p.scattered() {
		var inside []string
		at := ""
		for i, d := range v.spots {
			text := p.spotText(d)
			if d.shift < 0 {
				inside = append(inside, text+" >= 0")
			}
			if at == "" {
				at = text
				continue
			}
			at = fmt.Sprintf("(%s) * n.q%d + %s", at, p.lengthIndex(v.args[i]), text)
		}
		l := lookup{Name: p.loadName(v), At: at, Inside: strings.Join(inside, " && "), Varies: v.varies}
		if l.Place = v.kind == isPlace; l.Place {
			l.Name = p.placeName(v)
		} else {
			l.Tensor, l.Staged = inName(v.tensor), v.tensor == stagedTensor
		}
		out = append(out, l)
	}
	return out
}

// spotText is a coordinate in C++.
func (p *program) spotText(d derived) string {
	text := "0LL"
	for _, a := range d.axes {
		one := p.axisText(a)
		if text == "0LL" {
			text = one
		} else {
			text = fmt.Sprintf("(%s * n.a%d + %s)", text, a, one)
		}
	}
	if d.scale != 1 {
		text = fmt.Sprintf("%s * %d", text, d.scale)
	}
	if d.shift != 0 {
		text = fmt.Sprintf("(%s + %d)", text, d.shift)
	}
	if d.start != "" {
		text = fmt.Sprintf("(%s + n.q%d)", text, p.lengthIndex(p.length(d.start)))
	}
	return text
}

// axisText is the coordinate along one axis of the domain.
func (p *program) axisText(a int) string {
	reduced := p.domain[a].reduced
	sort := p.sort(reduced)
	i := slices.Index(sort, a)
	text := p.coordinate(sort, i, i)
	return strings.NewReplacer("(i ", "("+numbers[reduced]+" ", "(i)", "("+numbers[reduced]+")").Replace(text)
}

// numbers are what places along the kept and the reduced axes are called.
var numbers = map[bool]string{false: "k", true: "r"}

func (p *program) placeName(v *value) string {
	return fmt.Sprintf("p%d", slices.Index(p.scattered(), v))
}

// place is a coordinate as an expression.
func (p *program) place(v *value) string {
	return map[bool]string{false: "row.", true: "e."}[v.varies] + p.placeName(v)
}
