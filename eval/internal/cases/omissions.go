package cases

import (
	"fmt"
	"slices"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func nothing(*device.Proof) []device.Omission { return nil }

// omissions lists what a wrong kernel might leave out: the first and the last part in check.Left of the terms and some
// between them, one in twenty, the end of one line where that is all of a sum, and on needles, where few terms count,
// what ends lists.
func (q *Prover) omissions(p *device.Proof) (list []device.Omission) {
	for i, t := range p.Case.Terms {
		b := p.Case.Buffers[t.Buffer]
		n, name := b.Shape[t.Axis], q.Problem.Check.Terms[i].Dim
		part := max(1, n/check.Left)
		add := func(from, to, line int, format string, args ...any) {
			list = append(list, device.Omission{What: fmt.Sprintf(format, args...), Terms: i, From: from, To: to, Line: line})
		}
		if n < 2 {
			continue
		}
		add(0, part, -1, "the first %d of %d terms along %s", part, n, name)
		add(n-part, n, -1, "the last %d of %d terms along %s", part, n, name)
		for range q.Effort.omissions {
			from := q.RNG.IntN(n - part + 1)
			add(from, from+part, -1, "%d of %d terms along %s", part, n, name)
		}
		if n >= 20 {
			add(0, n/20, -1, "5 %% of the terms along %s", name)
		}
		if !inPieces(p, t) {
			list = append(list, q.endOfLine(p, i))
		}
	}
	if p.Case.Class == kernels.Needles {
		list = append(list, q.ends(p)...)
	}
	return list
}

// inPieces reports whether a sum of a tensor's terms goes along more than one axis, so that a line is a part of it.
func inPieces(p *device.Proof, of device.Terms) bool {
	return slices.ContainsFunc(p.Case.Terms, func(t device.Terms) bool {
		return t.Buffer == of.Buffer && t.Axis != of.Axis && p.Case.Buffers[t.Buffer].Shape[t.Axis] > 1
	})
}

// endOfLine is the end of one line along the i-th of the terms, and of others.
func (q *Prover) endOfLine(p *device.Proof, i int) device.Omission {
	b, n := p.Case.Buffers[p.Case.Terms[i].Buffer], p.Case.Buffers[p.Case.Terms[i].Buffer].Shape[p.Case.Terms[i].Axis]
	lines := max(1, b.Elems()/n)
	o := device.Omission{What: "the end of one line along " + q.Problem.Check.Terms[i].Dim, Terms: i,
		From: n - max(1, n/check.Left), To: n, Line: q.RNG.IntN(lines)}
	for range min(lines-1, device.MoreLines) {
		o.More = append(o.More, q.RNG.IntN(lines))
	}
	return o
}

// endTerms is how many terms at either end of a line are a block of their own.
const endTerms = 32

// ends lists what is less than a part in check.Left of a sum: the first and the last few terms of long ones, and the
// end of one line of those that go along several axes.
func (q *Prover) ends(p *device.Proof) (list []device.Omission) {
	for i, t := range p.Case.Terms {
		n := p.Case.Buffers[t.Buffer].Shape[t.Axis]
		if n > 1 && inPieces(p, t) {
			list = append(list, q.endOfLine(p, i))
		}
		if n/check.Left <= endTerms {
			continue
		}
		list = append(list, device.Omission{What: fmt.Sprintf("the first %d of %d terms", endTerms, n), Terms: i,
			To: endTerms, Line: -1},
			device.Omission{What: fmt.Sprintf("the last %d of %d terms", endTerms, n), Terms: i, From: n - endTerms, To: n,
				Line: -1})
	}
	return list
}
