package kernels

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels/expr"
)

// DefaultInputs are the input classes of a problem that names none.
var DefaultInputs = []string{"normal", "uniform", "cancel", "onehot", "wide"}

// inputClasses are all that a problem may name; "exact" (small integers) is implied by Check.Exact.
var inputClasses = []string{"normal", "uniform", "cancel", "onehot", "wide", "exact", "denormal", "large", "offset",
	"extreme"}

// hardClasses are run wherever a problem does not say that they do not apply: what a kernel that is right on ordinary
// numbers gets wrong.
var hardClasses = []string{"constant", "zeros", "lead", "tiny", "huge", "shift", "outlier", "ordered", Alike, Needles,
	Single, Special}

// Classes that are treated apart.
const (
	Needles = "needles" // few terms that count
	Single  = "single"  // one, among neutral ones
	Special = "special" // inf and NaN at single places, and lines of -inf
	Alike   = "alike"   // lines of all inputs that are nearly the same
)

// Hard lists the hard classes that apply: neither needles nor single terms where nothing is summed, no outliers where
// outputs are plain sums, and neither inf nor numbers that an int does not hold where an input has ints.
func (p *Problem) Hard() []string {
	ints := slices.ContainsFunc(p.Tensors, func(t Tensor) bool { return t.Role == "in" && t.DType == I32 && !t.Drawn() })
	return slices.DeleteFunc(slices.Clone(hardClasses), func(class string) bool {
		switch class {
		case Needles, Single:
			return len(p.Check.Terms) == 0 || p.Tensors[p.Check.Terms[0].tensor].Drawn() ||
				slices.Contains(p.Check.Without, class)
		case Special:
			return ints || p.Check.Special != nil && !*p.Check.Special
		case "outlier": // a sum rounds every later term in the same way after a large one
			return p.ExactTest() || slices.Contains(p.Check.Without, class)
		case "huge":
			return ints || slices.Contains(p.Check.Without, class)
		}
		return slices.Contains(p.Check.Without, class)
	})
}

// Terms says where terms of a sum lie: along the axis of an input tensor that has the length of a dim.
type Terms struct {
	Tensor  string `toml:"tensor" json:"tensor"`
	Dim     string `toml:"dim" json:"dim"`
	Neutral string `toml:"neutral,omitempty" json:"neutral,omitempty"` // the number that adds nothing, as text; default 0

	tensor, axis int
	neutral      float64
}

// Place is the tensor and the axis, by their indices, and the number that adds nothing.
func (t Terms) Place() (tensor, axis int, neutral float64) { return t.tensor, t.axis, t.neutral }

// readTerms finds the tensors and axes. A problem that names none has, for each dim that its reduction reads, the first
// input with an axis of this length.
func (p *Problem) readTerms(n *notes) {
	if p.Check.Terms == nil && p.exprs.reduction != nil {
		for _, dim := range p.DimNames {
			if i := p.inputAlong(dim); i >= 0 && slices.Contains(p.exprs.reduction.Names(), dim) {
				p.Check.Terms = append(p.Check.Terms, Terms{Tensor: p.Tensors[i].Name, Dim: dim})
			}
		}
	}
	for i := range p.Check.Terms {
		p.Check.Terms[i].read(n, fmt.Sprintf("check.terms[%d]", i), p)
	}
}

// Unproved reports whether sums are declared of which it is not known where their terms lie: the gate cannot leave any
// out, to see whether it would notice. A problem that says terms = [] means it.
func (p *Problem) Unproved() bool {
	return p.Check.Terms == nil && slices.ContainsFunc(p.DimNames,
		func(dim string) bool { return slices.Contains(p.exprs.reduction.Names(), dim) })
}

// Sums reports whether terms lie along a dim, or the number of terms depends on it.
func (p *Problem) Sums(dim string) bool {
	return slices.Contains(p.exprs.reduction.Names(), dim) || slices.ContainsFunc(p.Check.Terms,
		func(t Terms) bool { return t.Dim == dim })
}

func (p *Problem) inputAlong(dim string) int {
	return slices.IndexFunc(p.Tensors, func(t Tensor) bool { return t.Role == "in" && t.Along(dim) >= 0 })
}

// Follows reports whether an output, by its number among the tensors, has an axis of its own for each dim that an axis
// of an input reads, as half of the rows are of all rows: what is in one line of the input is in few of the output.
func (p *Problem) Follows(out, in, axis int) bool {
	for _, dim := range p.exprs.shapes[in][axis].Names() {
		if !slices.ContainsFunc(p.exprs.shapes[out], func(e *expr.Expr) bool { return slices.Contains(e.Names(), dim) }) {
			return false
		}
	}
	return true
}

// Along is the axis whose length is the dim, -1 if none is.
func (t *Tensor) Along(dim string) int {
	return slices.IndexFunc(t.Shape, func(s string) bool { return strings.TrimSpace(s) == dim })
}

func (t *Terms) read(n *notes, key string, p *Problem) {
	t.tensor = slices.IndexFunc(p.Tensors, func(x Tensor) bool { return x.Name == t.Tensor && x.Role == "in" })
	if t.tensor < 0 {
		n.addf(key+".tensor", "%q: expected an input tensor", t.Tensor)
		return
	}
	if t.axis = p.Tensors[t.tensor].Along(t.Dim); t.axis < 0 {
		n.addf(key+".dim", "%q: expected the dim that is the length of an axis of %s", t.Dim, t.Tensor)
	}
	if t.Neutral == "" {
		return
	}
	var err error
	if t.neutral, err = strconv.ParseFloat(t.Neutral, 32); err != nil || math.IsNaN(t.neutral) {
		n.addf(key+".neutral", "%q: expected a number, as in \"-inf\"", t.Neutral)
	}
}

// Range is what sizes of a dim may be drawn: one of Values where there are any, else the multiples of Step up to Most.
type Range struct {
	Values     []int
	Step, Most int
}

// Range is that of a dim. A problem that does not say has any multiple of what all its sizes are multiples of, up to
// the largest of them; a dim that is a flag, or the same everywhere, has the values that occur.
func (p *Problem) Range(dim string) Range { return p.Check.ranges[dim] }

func (p *Problem) readRanges(n *notes) {
	p.Check.ranges = map[string]Range{}
	for _, dim := range p.DimNames {
		p.Check.ranges[dim] = p.shown(dim)
	}
	for _, dim := range slices.Sorted(maps.Keys(p.Check.Draw)) {
		rule := p.Check.Draw[dim]
		key := "check.draw." + dim
		r, known := p.Check.ranges[dim]
		if !known {
			n.addf(key, "unknown dimension: expected %s", strings.Join(p.DimNames, ", "))
			continue
		}
		most := max(r.Most, slices.Max(append(r.Values, 0)))
		switch rule := rule.(type) {
		case string:
			if rule != "any" {
				n.addf(key, "%q: expected \"any\", the number that sizes are multiples of, or a list of sizes", rule)
			}
			p.Check.ranges[dim] = Range{Step: 1, Most: most}
		case int64:
			if rule < 1 || rule > int64(max(most, 1)) {
				n.addf(key, "%d: expected 1 or more, and no more than the largest size of %s", rule, dim)
			}
			p.Check.ranges[dim] = Range{Step: max(int(rule), 1), Most: most}
		case []any:
			p.Check.ranges[dim] = Range{Values: sizes(n, key, rule)}
		default:
			n.addf(key, "expected \"any\", the number that sizes are multiples of, or a list of sizes")
		}
	}
}

func sizes(n *notes, key string, list []any) (out []int) {
	for i, v := range list {
		size, ok := v.(int64)
		if !ok || size < 0 || size > 1<<31-1 {
			n.addf(fmt.Sprintf("%s[%d]", key, i), "%v: expected a size", v)
		}
		out = append(out, int(size))
	}
	if len(out) == 0 {
		n.addf(key, "expected at least one size")
	}
	return out
}

// shown is the range of a dim as the sizes of the problem show it.
func (p *Problem) shown(dim string) Range {
	seen := p.seen(dim)
	if len(seen) < 2 || seen[0] < 1 {
		return Range{Values: seen}
	}
	step := 0
	for _, v := range seen {
		step = gcd(step, v)
	}
	return Range{Step: step, Most: seen[len(seen)-1]}
}

// seen are the values that a dim has in the sizes of the problem, ascending.
func (p *Problem) seen(dim string) (seen []int) {
	for _, d := range p.Check.Shapes {
		seen = append(seen, d[dim])
	}
	for _, w := range p.Workloads {
		seen = append(seen, w.Dims[dim])
	}
	slices.Sort(seen)
	return slices.Compact(seen)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Accumulators lists what candidates of the families are judged by, fp32 among them: baselines are judged by that.
func (p *Problem) Accumulators(families []*Family, pins Pins) []DType {
	out := []DType{FP32}
	for _, f := range families {
		for _, t := range f.Accumulators(pins) {
			if t = p.Accumulator(t); !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// Accumulator is the type that a candidate is judged by which says that it keeps its sums in t: what the problem allows
// bounds what a candidate may claim of itself.
func (p *Problem) Accumulator(t DType) DType {
	loosest := FP32
	for _, allowed := range p.Check.Accumulate {
		if allowed.Roundoff() > loosest.Roundoff() {
			loosest = allowed
		}
	}
	if t.Roundoff() > loosest.Roundoff() {
		return loosest
	}
	return t
}
