package graph

import (
	"fmt"
	"slices"
)

// Coordinates in C++.

// bounds are the conditions for a coordinate to lie inside the i-th axis of what is read.
func (p *program) bounds(d derived, text string, v *value, i int) []string {
	var may func(d derived) bool
	may = func(d derived) bool { return d.bounded || slices.ContainsFunc(p.inner(d), may) }
	switch {
	case v.kind == isPlace:
		return nil
	case may(d):
		return []string{text + " >= 0", fmt.Sprintf("%s < n.q%d", text, p.lengthIndex(v.args[i]))}
	case d.shift < 0 && d.scale > 0:
		return []string{text + " >= 0"}
	}
	return nil
}

// lengthText is a length of dims.
func (p *program) lengthText(text string) string {
	return fmt.Sprintf("n.q%d", p.lengthIndex(p.length(text)))
}

// spotText is a coordinate in C++.
func (p *program) spotText(d derived) string {
	text := p.baseText(d)
	if d.scale != 1 {
		text = fmt.Sprintf("%s * %d", text, d.scale)
	}
	if d.shift != 0 {
		text = fmt.Sprintf("(%s + %d)", text, d.shift)
	}
	if d.start != "" {
		text = fmt.Sprintf("(%s + %s)", text, p.lengthText(d.start))
	}
	if d.less != "" {
		text = fmt.Sprintf("(%s - %s)", text, p.lengthText(d.less))
	}
	if d.edge != "" {
		text = fmt.Sprintf("at_edge_%s(%s, %s)", d.edge, text, p.lengthText(d.span))
	}
	return p.partText(d, text)
}

// baseText is a coordinate before it is moved.
func (p *program) baseText(d derived) string {
	if d.index != nil {
		return p.indexText(d.index)
	}
	text := "0LL"
	for i, a := range d.axes {
		one, length := "", fmt.Sprintf("n.a%d", a)
		if a >= derivedFrom {
			one = p.spotText(p.coordinates[a-derivedFrom])
		} else {
			one = p.axisText(a)
		}
		if d.lengths != nil {
			length = p.lengthText(d.lengths[i])
		}
		if text == "0LL" {
			text = one
		} else {
			text = fmt.Sprintf("(%s * %s + %s)", text, length, one)
		}
	}
	return text
}

// indexText reads a whole number.
func (p *program) indexText(x *indexed) string {
	at := "0"
	for i, d := range x.spots {
		at = fmt.Sprintf("(%s) * %s + %s", at, p.lengthText(x.lengths[i]), p.spotText(d))
	}
	return fmt.Sprintf("(long long)(in.%s[%s])", inName(x.tensor), at)
}

// partText is the part of a coordinate along one of the axes that it is made of. A division in 64 bits takes some
// hundred instructions.
func (p *program) partText(d derived, text string) string {
	if d.over == "" && d.within == "" {
		return text
	}
	kind := "unsigned"
	if p.index() != kind {
		kind = "unsigned long long"
	}
	text = fmt.Sprintf("%s(%s)", kind, text)
	for _, by := range []struct{ sign, length string }{{"/", d.over}, {"%", d.within}} {
		if by.length != "" {
			text = fmt.Sprintf("%s %s %s(%s)", text, by.sign, kind, p.lengthText(by.length))
		}
	}
	return "(long long)(" + text + ")"
}

// edge is a function in C++: what is read in place of what lies beyond the ends of an axis.
type edge struct{ Kind, Body string }

// edges are those that the coordinates need.
func (p *program) edges() (out []edge) {
	for _, e := range []edge{
		{"replicate", "return c < 0 ? 0 : c < n ? c : n - 1;"},
		{"reflect", "c = c < 0 ? -c : c; return c < n ? c : 2LL * n - 2 - c;"},
		{"circular", "return c < 0 ? c + n : c < n ? c : c - n;"},
	} {
		if slices.ContainsFunc(p.coordinates, func(d derived) bool { return d.edge == e.Kind }) {
			out = append(out, e)
		}
	}
	return out
}
