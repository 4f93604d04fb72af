package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An element of a place is an axis of the domain, or from derivedFrom on the number of a coordinate that is worked out
// of others: that of a slice, of what stands behind something, of one number in a window, or one that is read.
const derivedFrom = 1 << 16

// derived is a coordinate: that along some axes as one, or the number that is read at an index; times scale, plus
// shift, plus a length of dims and minus another where they are named; and then a part of that.
type derived struct {
	axes         []int
	lengths      []string // of the axes, where some are worked out themselves
	index        *indexed // in place of axes
	scale, shift int
	start, less  string
	edge, span   string // what is read beyond the ends of an axis of that length: replicate, reflect or circular
	room         string // a length that is 1 or more wherever this is right
	over, within string // divided by a length, and what remains of a division by one
	bounded      bool   // it may lie beyond the ends of what is read: nothing is read there
}

// indexed is a whole number that is read, to be a coordinate.
type indexed struct {
	tensor  int
	spots   []derived
	lengths []string // of the tensor's axes
}

func (x *indexed) String() string { return fmt.Sprint(x.tensor, x.spots) }

// shifted is the place along one axis of what lies shift further on and scale times as far apart. It is no plain axis
// even where it lies nowhere else: what is cut out is shorter than what it is cut from.
func (l *lowering) shifted(axes []int, scale, shift int) []int {
	return l.begun(axes, scale, shift, "")
}

// begun is the same, where what lies there begins at a length besides.
func (l *lowering) begun(axes []int, scale, shift int, start string) []int {
	if inner, ok := l.linear(axes); ok {
		if inner.start != "" {
			more := fmt.Sprintf("(%s) * %d", inner.start, scale)
			start = strings.TrimSuffix(more+" + "+start, " + ")
		}
		axes, shift, scale = inner.axes, inner.shift*scale+shift, inner.scale*scale
	}
	return l.worked(derived{axes: axes, scale: scale, shift: shift, start: start})
}

// linear is the coordinate of axes that is only scaled and shifted, so that another may be made of it.
func (l *lowering) linear(axes []int) (derived, bool) {
	if len(axes) != 1 || axes[0] < derivedFrom {
		return derived{}, false
	}
	d := l.coordinates[axes[0]-derivedFrom]
	plain := derived{axes: d.axes, scale: d.scale, shift: d.shift, start: d.start}
	return d, d.scale > 0 && fmt.Sprint(d) == fmt.Sprint(plain)
}

// moved is the place along an axis of what begins so far behind, and of which there may be none.
func (l *lowering) moved(axes []int, behind string) []int {
	d := derived{axes: axes, scale: 1, bounded: true}
	if n, err := strconv.Atoi(behind); err == nil {
		d.shift = -n
	} else {
		d.less = behind
	}
	return l.worked(d)
}

// worked is a coordinate as a place.
func (l *lowering) worked(d derived) []int {
	for i, other := range l.coordinates {
		if fmt.Sprint(other) == fmt.Sprint(d) {
			return []int{derivedFrom + i}
		}
	}
	l.coordinates = append(l.coordinates, d)
	return []int{derivedFrom + len(l.coordinates) - 1}
}

// combined is several axes of a node as one.
func (l *lowering) combined(at place, lengths []string) []int {
	at = l.rejoined(at, lengths)
	axes := slices.Concat(at...)
	if len(axes) == 1 || !slices.ContainsFunc(axes, func(a int) bool { return a >= derivedFrom }) {
		return axes
	}
	d := derived{scale: 1}
	for i, one := range at {
		switch {
		case len(one) == 0:
			continue
		case len(one) > 1:
			one = l.worked(derived{axes: one, scale: 1})
		}
		d.axes, d.lengths = append(d.axes, one[0]), append(d.lengths, lengths[i])
	}
	if len(d.axes) == 1 {
		return d.axes
	}
	return l.worked(d)
}

// pieces are the places along several axes of what is one axis of a node.
func (l *lowering) pieces(axes []int, lengths []string) place {
	out := make(place, len(lengths))
	for i, length := range lengths {
		if length == "1" || len(axes) == 0 {
			continue
		}
		d := derived{axes: axes, scale: 1}
		if after := slices.DeleteFunc(slices.Clone(lengths[i+1:]), isOne); len(after) > 0 {
			d.over = product(after)
		}
		if slices.ContainsFunc(lengths[:i], func(text string) bool { return text != "1" }) {
			d.within = length
		}
		if d.over == "" && d.within == "" {
			out[i] = axes
			continue
		}
		out[i] = l.worked(d)
	}
	return out
}

func isOne(text string) bool { return text == "1" }

// rejoined puts the pieces of what was one axis together again where a tensor has them all, side by side, so that it is
// read as it lies.
func (l *lowering) rejoined(at place, lengths []string) place {
	for i := range at {
		d := l.spot(at[i])
		if d.over == "" || d.within != "" {
			continue
		}
		for end := i + 2; end <= len(at); end++ {
			if fmt.Sprint(l.pieces(d.axes, lengths[i:end])) == fmt.Sprint(at[i:end]) {
				rest := l.rejoined(at[end:], lengths[end:])
				return slices.Concat(at[:i], place{d.axes}, make(place, end-i-1), rest)
			}
		}
	}
	return at
}

// spot is the coordinate of one axis of a place.
func (l *lowering) spot(axes []int) derived {
	if len(axes) == 1 && axes[0] >= derivedFrom {
		return l.coordinates[axes[0]-derivedFrom]
	}
	return derived{axes: axes, scale: 1}
}

// inner are the coordinates that one is made of.
func (p *program) inner(d derived) (out []derived) {
	for _, a := range d.axes {
		if a >= derivedFrom {
			out = append(out, p.coordinates[a-derivedFrom])
		}
	}
	if d.index != nil {
		out = append(out, d.index.spots...)
	}
	return out
}

// along reports whether a coordinate follows an axis of the domain.
func (p *program) along(d derived, axis int) bool {
	return slices.Contains(d.axes, axis) ||
		slices.ContainsFunc(p.inner(d), func(in derived) bool { return p.along(in, axis) })
}

// reads reports whether a coordinate is one that is read.
func (p *program) reads(d derived) bool {
	return d.index != nil || slices.ContainsFunc(p.inner(d), p.reads)
}

// lengthsIn are the lengths that a coordinate needs.
func (p *program) lengthsIn(d derived) []string {
	out := append(slices.Clone(d.lengths), d.start, d.less, d.span, d.room, d.over, d.within)
	if d.index != nil {
		out = append(out, d.index.lengths...)
	}
	for _, in := range p.inner(d) {
		out = append(out, p.lengthsIn(in)...)
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" })
}
