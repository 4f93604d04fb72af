package cases

import (
	"fmt"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func nothing(*device.Proof) []device.Omission { return nil }

// omissions lists what a wrong kernel might leave out: the first and the last part in check.Left of the terms and some
// between them, one in twenty, the end of one line, and on needles, where few terms count, the first and the last few.
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
		add(n-part, n, q.RNG.IntN(max(1, b.Elems()/n)), "the end of one line along %s", name)
	}
	if p.Case.Class == kernels.Needles {
		list = append(list, ends(p)...)
	}
	return list
}

// endTerms is how many terms at either end of a line are a block of their own.
const endTerms = 32

// ends lists the first and the last few terms of sums that are so long that they are less than a part in check.Left.
func ends(p *device.Proof) (list []device.Omission) {
	for i, t := range p.Case.Terms {
		n := p.Case.Buffers[t.Buffer].Shape[t.Axis]
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
