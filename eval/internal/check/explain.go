package check

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Explain says in one line what is wrong with the tensor of that name and shape (row-major), with a
// hint where the wrong elements lie when they form a pattern:
//
//	C[17,250] = 3.25, expected 3.1875 +- 0.0031 (K=129; 14 of 65535 elements wrong, first [3,250]; only column 250)
func (r Report) Explain(tensor string, shape []int) string {
	switch {
	case r.Missing > 0:
		return fmt.Sprintf("%s: the output is short by %d of %d elements", tensor, r.Missing, r.Elements)
	case r.Missing < 0:
		return fmt.Sprintf("%s: the output does not end with its last of %d elements", tensor, r.Elements)
	case r.Elements == 0:
		return tensor + ": nothing to compare"
	case r.Poison == r.Elements:
		return tensor + ": output was not written"
	case r.Bad == 0 && r.Frobenius > r.Ceiling:
		return fmt.Sprintf("%s: relative Frobenius error %.2g, at most %.2g for %s with K=%d: "+
			"each element is within its tolerance, the whole is not (a narrower type on the way?)",
			tensor, r.Frobenius, r.Ceiling, r.dtype, r.model.K)
	case r.Bad == 0:
		return fmt.Sprintf("%s: %d elements right, worst error %.2g of its tolerance", tensor, r.Elements, r.Worst)
	}
	return tensor + r.explainWorst(shape)
}

func (r Report) explainWorst(shape []int) string {
	bound := fmt.Sprintf(" +- %.2g", r.Tol)
	switch {
	case r.Tol == 0:
		bound = " exactly"
	case r.Tol-r.Tol != 0: // of NaN and Inf
		bound = ""
	}
	notes := []string{fmt.Sprintf("K=%d", r.model.K), fmt.Sprintf("%d of %d elements wrong, first %s", r.Bad, r.Elements,
		index(r.First, shape))}
	notes = append(notes, r.hints(shape)...)
	return fmt.Sprintf("%s = %s, expected %s%s (%s)", index(r.Index, shape), number(r.Got), number(r.Want), bound,
		strings.Join(notes, "; "))
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }

// index is an element's position as text, "[17,250]".
func index(i int, shape []int) string {
	at := make([]string, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = strconv.Itoa(i % max(shape[axis], 1))
		i /= max(shape[axis], 1)
	}
	return "[" + strings.Join(at, ",") + "]"
}

func (r Report) hints(shape []int) []string {
	var out []string
	if r.AllEqual && r.Bad == r.Elements {
		out = append(out, "every element of the output is "+number(r.Got))
	}
	if r.Poison > 0 {
		out = append(out, fmt.Sprintf("%d never written", r.Poison))
	}
	if !r.Finite && r.Poison == 0 {
		out = append(out, "NaN or Inf in the output")
	}
	if r.Bad < 2 || len(shape) == 0 {
		return out
	}
	cols := max(shape[len(shape)-1], 1)
	row, col := r.extents(cols)
	for _, h := range []string{row.hint("row", r.Elements/cols), col.hint("column", cols)} {
		if h != "" {
			out = append(out, h)
		}
	}
	return out
}

// extent is where along an axis wrong elements lie.
type extent struct{ lo, hi, stride int }

func (e *extent) add(i int) {
	if e.lo < 0 {
		e.lo, e.hi = i, i
	}
	e.stride = gcd(e.stride, i-e.lo) // lo is the first seen: its multiples are the same for all
	e.hi = max(e.hi, i)
}

func gcd(a, b int) int {
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// extents walks the wrong elements as a matrix of cols columns.
func (r Report) extents(cols int) (row, col extent) {
	row, col = extent{lo: -1}, extent{lo: -1}
	least := cols
	for w, word := range r.wrong {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			row.add(i / cols)
			col.add(i % cols)
			least = min(least, i%cols)
		}
	}
	col.lo = least
	return row, col
}

// hint is the pattern in words, or empty when wrong elements spread over the whole axis of n.
func (e extent) hint(axis string, n int) string {
	switch {
	case n == 1:
		return ""
	case e.lo == e.hi && e.lo == n-1:
		return "only the last " + axis
	case e.lo == e.hi:
		return fmt.Sprintf("only %s %d", axis, e.lo)
	case e.stride > 1:
		return fmt.Sprintf("only every %d. %s from %d on", e.stride, axis, e.lo)
	case e.lo == 0 && e.hi == n-1:
		return ""
	case e.hi == n-1:
		return fmt.Sprintf("only %ss from %d on", axis, e.lo)
	}
	return fmt.Sprintf("only %ss %d to %d", axis, e.lo, e.hi)
}
