package graph

import (
	"slices"
	"strings"
)

// batchAxis is one of the axes that the batches of a product run along.
type batchAxis struct {
	length string
	own    bool // the side has matrices of its own along it; else one that all have together
}

// spread notes along which axes an operator repeats whole matrices, as grouped heads have keys together. It reports
// whether it does that and nothing else, to a matrix that the product reads in an order of its own.
func (l *lowering) spread(s *side, n *Node) bool {
	rank := len(n.Shape)
	if len(s.batches) > 0 || len(n.Args) == 0 || n.Args[0].kind != 'r' || rank < 3 || len(s.shape) < 2 {
		return false
	}
	to, from := texts(n.Shape), texts(l.shape(n.Args[0].Ref))
	matrix := slices.Clone(s.shape[len(s.shape)-2:])
	if s.transposed {
		slices.Reverse(matrix)
	}
	if len(from) < 2 || len(from) > rank || !slices.Equal(from[len(from)-2:], to[rank-2:]) ||
		!slices.Equal(matrix, to[rank-2:]) {
		return false
	}
	s.batches = sharedAxes(append(slices.Repeat([]string{"1"}, rank-len(from)), from...)[:rank-2], to[:rank-2])
	return s.batches != nil
}

// sharedAxes are those of a broadcast from some lengths to as many others; nil: it is none.
func sharedAxes(from, to []string) []batchAxis {
	out := make([]batchAxis, len(to))
	for i, length := range to {
		if from[i] != length && from[i] != "1" {
			return nil
		}
		out[i] = batchAxis{length, from[i] == length && length != "1"}
	}
	return out
}

// along are the axes of a side where the batches of the product have these lengths; ok: it has them, or is broadcast to
// them.
func (s *side) along(lengths []string) (out []batchAxis, ok bool) {
	own := s.shape[:len(s.shape)-2]
	more := len(lengths) - len(own)
	if more < 0 {
		return nil, false
	}
	if len(s.batches) > 0 {
		for _, length := range lengths[:more] {
			out = append(out, batchAxis{length: length})
		}
		return append(out, s.batches...), slices.Equal(own, lengths[more:])
	}
	out = sharedAxes(append(slices.Repeat([]string{"1"}, more), own...), lengths)
	return out, out != nil || len(lengths) == 0
}

// matrix is the number of the matrix of a side, where `batch` is that of the product: in C++, of lengths in Sizes n.
func (p *program) matrix(axes []batchAxis) string {
	axes = slices.DeleteFunc(slices.Clone(axes), func(a batchAxis) bool { return a.length == "1" })
	var terms []string
	for i := 0; i < len(axes); i++ {
		first := i
		for i < len(axes) && axes[i].own {
			i++
		}
		if i == first {
			continue
		}
		terms = append(terms, p.matrixAlong(axes, first, i))
	}
	if len(terms) == 0 {
		return "0"
	}
	return strings.Join(terms, " + ")
}

// matrixAlong is what neighbouring axes of a side add to it.
func (p *program) matrixAlong(axes []batchAxis, first, end int) string {
	text := "batch"
	if end < len(axes) {
		text += " / " + p.batches(axes[end:], false)
	}
	if first > 0 {
		text += " % " + p.batches(axes[first:end], false)
	}
	if text == "batch" {
		return text
	}
	if after := p.batches(axes[end:], true); after != "" {
		text = "(" + text + ") * " + after
	}
	return "(" + text + ")"
}

// batches is how many there are along some axes, or along those that a side has matrices of its own along.
func (p *program) batches(axes []batchAxis, own bool) string {
	var out []string
	for _, a := range axes {
		switch {
		case own && !a.own:
		case isNumeral(a.length):
			out = append(out, a.length)
		default:
			out = append(out, p.lengthText(a.length))
		}
	}
	if len(out) < 2 {
		return strings.Join(out, "")
	}
	return "(" + strings.Join(out, " * ") + ")"
}

// shared are the lengths that the numbers of matrices are worked out with: all but those of the first axes that are
// alike.
func (m *matmul) shared() (out []string) {
	for _, axes := range [][]batchAxis{m.batchesA, m.batchesB} {
		axes = slices.DeleteFunc(slices.Clone(axes), func(a batchAxis) bool { return a.length == "1" })
		next := slices.IndexFunc(axes, func(a batchAxis) bool { return a.own != axes[0].own })
		for _, a := range axes[max(next, 0):] {
			if next > 0 && !isNumeral(a.length) {
				out = append(out, a.length)
			}
		}
	}
	return out
}

func isNumeral(text string) bool { return strings.Trim(text, "0123456789") == "" }
