package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"darwarp/kernels"
)

// check writes how outputs are judged.
func (p *program) check(b *strings.Builder, n *names) {
	fmt.Fprintf(b, "\n[check]\nreduction = %s\n", quoted(n.one(p.termsDims())))
	fmt.Fprintf(b, "terms = [%s]\n", strings.Join(p.termsList(n), ", "))
	switch {
	case p.coherent():
		b.WriteString("coherent = true   # an error of one sum is in a whole row\n")
	case p.alike() != "":
		b.WriteString("coherent = true   # sums of equal numbers are rounded to the same side\n")
	}
	if p.staged() && p.product != nil && !p.tf32() && (p.coherent() || p.alike() != "") {
		b.WriteString("scattered = true  # but those of products of normal numbers are not\n")
	}
	if p.finished() {
		b.WriteString("finished = true  # scales hold roundings of what is worked out of the products\n")
	}
	if !p.exact() {
		b.WriteString("exact = false\n")
	}
	if p.tf32() {
		b.WriteString("operands = \"tf32\"\n")
	}
	inputs, without := p.inputs()
	fmt.Fprintf(b, "inputs = [%s]\n", quotedList(inputs))
	if len(without) > 0 {
		fmt.Fprintf(b, "without = [%s]\n", quotedList(without))
	}
	switch {
	case p.multiplies():
		b.WriteString("special = false # inf makes NaN of a part that underflows to 0: in another order it is inf\n")
	case slices.ContainsFunc(p.stats, saturated):
		b.WriteString("special = false # equal numbers less their mean are 0, or nearly: times inf NaN, or inf\n")
	}
	b.WriteString("shapes = [\n")
	for _, sizes := range p.shapes() {
		fmt.Fprintf(b, "    { %s },\n", sizesOf(p.graph, n, sizes))
	}
	b.WriteString("]\n")
}

// rounds reports whether sums are made whose terms are rounded.
func (p *program) rounds() bool {
	if p.pool != nil {
		return p.pool.Average
	}
	return p.scan != nil || p.product != nil || len(p.totals) > 0 ||
		slices.ContainsFunc(p.stats, func(s *stat) bool { return s.kind.rounds })
}

// chain is how many threads or more share a row, by how it lies in memory: each adds up a part. That fewer do shows
// where numbers are equal (p.alike). Where a row has several axes, across which others lie, equal ones are not told by
// the one before, and a thread may well have a row of its own.
func (p *program) chain() int {
	switch {
	case p.multiplies(), p.strided() && len(p.sort(true)) > 1: // in a product, every factor's rounding stays
		return 1
	case p.strided():
		return sharers
	case p.domain[0].reduced:
		return 256
	}
	return sharers
}

// sharers are how many threads share a row of neighbouring numbers, or more. That fewer do, or one, shows in rows of
// equal numbers: p.alike.
const sharers = 32

// multiplies reports whether numbers are multiplied along the rows.
func (p *program) multiplies() bool {
	return p.scan != nil && p.scan.Product ||
		slices.ContainsFunc(p.stats, func(s *stat) bool { return s.kind == productOf })
}

// strided reports whether neighbouring numbers belong to different rows.
func (p *program) strided() bool { return !p.domain[len(p.domain)-1].reduced }

// termsDims is K of the error model: the terms that a thread adds one after the other, and then the threads'.
func (p *program) termsDims() string {
	switch {
	case p.staged():
		return bracket(p.product.lengths[termsAt]) + " + " + p.share() + " + 8"
	case p.product != nil:
		return p.product.lengths[termsAt]
	case p.pool != nil && p.rounds():
		return fmt.Sprint(p.pool.Window())
	case !p.rounds():
		return "1"
	}
	rows := ""
	if len(p.totals) > 0 {
		rows = fmt.Sprintf(" + ceil_div(%s, %d)", product(p.lengths(false)), totalThreads)
	}
	return p.share() + " + 8" + rows
}

// share is how many terms a thread adds up at most.
func (p *program) share() string {
	terms := product(p.lengths(true))
	if p.chain() == 1 {
		return bracket(terms)
	}
	return fmt.Sprintf("ceil_div(%s, %d)", terms, p.chain())
}

// totalThreads are how many add up the rows' numbers.
const totalThreads = 1024

// alike is K of the error model where the reference counts a row's equal numbers, of which each sum is rounded to the
// same side: the more of them there are, the more may a thread err that has the row to itself. Drawn numbers need none
// of that, and their sums are held to what threads err that share a row. Empty: they are not counted.
func (p *program) alike() string {
	if p.chain() != sharers || !p.rounds() || p.pool != nil || p.product != nil && !p.staged() {
		return ""
	}
	return p.termsText()
}

// termsText is termsDims in the reference.
func (p *program) termsText() string {
	chain := p.chain()
	switch {
	case p.staged():
		return fmt.Sprintf("double(n.lengths[3] + (n.terms() + %d) / %d + 8)", chain-1, chain)
	case p.product != nil:
		return "double(n.lengths[3])"
	case p.pool != nil && p.rounds():
		return fmt.Sprint(p.pool.Window())
	case !p.rounds():
		return "1"
	}
	rows := ""
	if len(p.totals) > 0 {
		rows = fmt.Sprintf(" + (n.kept() + %d) / %d", totalThreads-1, totalThreads)
	}
	return fmt.Sprintf("double((n.terms() + %d) / %d + 8%s)", chain-1, chain, rows)
}

// coherent reports whether an output has numbers of every place that depend on a sum.
func (p *program) coherent() bool {
	return len(p.stats) > 0 && p.rounds() && slices.ContainsFunc(p.outputs, func(o output) bool { return o.full })
}

// exact reports whether small integers give integers.
func (p *program) exact() bool {
	if p.pool != nil && p.pool.Average || p.scan != nil && p.scan.Product {
		return false
	}
	for _, v := range p.reachable() {
		switch v.kind {
		case isNumber:
			if v.number != math.Trunc(v.number) && !math.IsInf(v.number, 0) ||
				math.Abs(v.number) > 16 && !math.IsInf(v.number, 0) {
				return false
			}
		case isOp:
			if !v.op.Ints {
				return false
			}
		case isStat:
			if !v.stat.kind.integers {
				return false
			}
		case isCount, isLength:
			return false
		}
	}
	return true
}

// bounded are the operators that only some numbers may go into.
var bounded = []string{"log", "log2", "sqrt", "rsqrt", "pow", "xlogy", "log1p", "log10", "asin", "acos"}

// inputs are the input classes, and the hard ones that do not apply.
func (p *program) inputs() (list, without []string) {
	list = []string{"normal", "uniform", "cancel", "onehot", "wide"}
	if p.product != nil || p.pool != nil {
		// not cancel: of a few terms that cancel, rounding may leave as much as a wrong factor changes
		list = []string{"uniform", "normal", "onehot", "wide"}
	}
	ops := p.usedOperators()
	positive := slices.ContainsFunc(ops, func(o *operator) bool { return slices.Contains(bounded, o.Name) })
	switch {
	case p.multiplies():
		// numbers near 1: products of others soon are 0 or inf, and then nothing is told; parts behind a 0 may be inf
		return []string{"cancel", "uniform", "normal"}, []string{"tiny", "huge", "shift", "outlier", "ordered"}
	case p.product != nil || p.pool != nil:
	case positive && len(p.stats) == 0 || p.rounds() && !p.coherent():
		list = []string{"uniform", "normal", "cancel", "onehot", "wide"}
	}
	if slices.ContainsFunc(ops, func(o *operator) bool { return slices.Contains(steps, o.Name) }) {
		list = slices.DeleteFunc(list, func(class string) bool { return class == "cancel" }) // steps make them all alike
	}
	if len(p.factorDims()) > 0 { // a short vector with sparse ones is often all 0
		list = slices.DeleteFunc(list, func(class string) bool { return class == "onehot" })
	}
	if slices.ContainsFunc(p.stats, func(s *stat) bool { return s.kind.exponentials() || s.kind == momentsOf }) {
		list = append(list, "large", "offset")
	}
	squares, spread := p.openRoots()
	if squares || slices.ContainsFunc(p.reachable(), byLength) {
		without = []string{"tiny"} // squares of numbers below 2^-63 add up to 0 in fp32, in torch as well: x / 0 is inf
	}
	if spread {
		without = append(without, "constant") // the mean of equal numbers is rounded: what is left is no 0, in torch as well
	}
	if slices.ContainsFunc(p.stats, centred) {
		without = append(without, kernels.Single) // no number is neutral: each is as far from a mean as the mean is from it
	}
	for _, class := range p.spilled() {
		if list = slices.DeleteFunc(list, func(c string) bool { return c == class }); slices.Contains(hardFar, class) {
			without = append(without, class)
		}
	}
	return list, without
}

// termsList says where terms lie: along each reduced axis that is a dim, in the first tensor that has it.
func (p *program) termsList(n *names) (out []string) {
	if p.product != nil {
		return p.product.terms(p, n)
	}
	reduced := p.lengths(true)
	for _, dim := range p.graph.Dims {
		if !slices.ContainsFunc(
			reduced,
			func(text string) bool { return slices.Contains(word.FindAllString(text, -1), dim.Name) },
		) {
			continue
		}
		for _, l := range p.loads {
			if l.varies && p.element(l.tensor) == "T" && slices.Contains(texts(p.graph.Tensors[l.tensor].Shape), dim.Name) {
				out = append(out, fmt.Sprintf("{ tensor = %s, dim = %s, neutral = %q }", quoted(n.tensors[l.tensor]),
					quoted(n.dims[dim.Name]), p.neutral(l)))
				break
			}
		}
	}
	return out
}

// neutral is the number that adds nothing to the first stat when it takes the place of a tensor's: found by trying.
func (p *program) neutral(l *value) string {
	arg, want := p.scanned()
	for _, x := range []float64{0, negInf, posInf, 1} {
		if got := evaluate(arg, map[*value]float64{l: x}); got == want {
			return strings.TrimPrefix(fmt.Sprint(x), "+")
		}
	}
	return "0"
}

// scanned is what the first sum is made of, and the number that adds nothing to it.
func (p *program) scanned() (arg *value, neutral float64) {
	if p.scan == nil {
		return p.stats[0].arg, p.stats[0].kind.neutral
	}
	if p.scan.Product {
		return p.scan.arg, 1
	}
	return p.scan.arg, 0
}

// evaluate is a value where loads are given numbers, 1 if they are not; what is not known is NaN.
func evaluate(v *value, loads map[*value]float64) float64 {
	switch v.kind {
	case isNumber:
		return v.number
	case isLoad:
		if x, ok := loads[v]; ok {
			return x
		}
		return 1
	case isOp:
		args := make([]float64, len(v.args))
		for i, a := range v.args {
			args[i] = evaluate(a, loads)
		}
		return values[v.op.Name](args)
	}
	return math.NaN()
}
