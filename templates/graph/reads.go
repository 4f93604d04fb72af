package graph

import (
	"fmt"
	"slices"
	"strings"
)

// plainPlace reports whether a tensor at a place is read as it lies, its axes in order and none of them worked out.
func plainPlace(at place) ([]int, bool) {
	axes := slices.Concat(at...)
	return axes, slices.IsSorted(axes) && !slices.ContainsFunc(axes, func(a int) bool { return a >= derivedFrom })
}

// readAt is a number of a tensor at a place that is not plain: it is looked up by itself, 0 where it would lie before
// the tensor's beginning.
func (l *lowering) readAt(tensor int, shape []Extent, at place) *value {
	v := &value{kind: isLoad, origin: origin{tensor: tensor}, varies: len(l.sort(true)) == 0}
	for i, axes := range at {
		v.spots = append(v.spots, l.spot(axes))
		v.args = append(v.args, l.length(texts(shape)[i]))
	}
	return l.intern(l.lookedUp(v, fmt.Sprint("at", tensor)))
}

// coordinateOf is how far along an axis a place is, as a number.
func (l *lowering) coordinateOf(axes []int) *value {
	v := &value{kind: isPlace, origin: origin{spots: []derived{l.spot(axes)}}, varies: len(l.sort(true)) == 0}
	return l.intern(l.lookedUp(v, "place"))
}

// lookedUp completes a value that has coordinates: the lengths that these need, whether it varies, and its key.
func (l *lowering) lookedUp(v *value, key string) *value {
	for _, d := range v.spots {
		for _, text := range l.lengthsIn(d) {
			v.args = append(v.args, l.length(text))
		}
	}
	for a := range l.domain {
		v.varies = v.varies || l.domain[a].reduced && l.touches(v, a)
	}
	v.key = fmt.Sprint(key, v.spots)
	return v
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
func (p *program) touches(v *value, axis int) bool {
	return slices.ContainsFunc(v.spots, func(d derived) bool { return p.along(d, axis) })
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
			inside = append(inside, p.bounds(d, text, v, i)...)
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
