package check

import "bytes"

// Wrong are outputs that are wrong whatever the inputs are: what Trial knows without them.
func (t Trial) Wrong() []Mutation {
	fill := func(v float64) func() []float64 {
		return func() []float64 { return t.mutate(func(int, float64) float64 { return v }) }
	}
	return []Mutation{
		{Name: "an output of zeros", Make: fill(0)},
		{Name: "the mean of the output everywhere", Make: fill(t.mean())},
		{Name: "rows that changed places", Make: t.shuffled},
		{Name: "a missing tile", Make: t.withoutLastTile},
	}
}

// Passes reports whether a wrong output would pass though it differs from the right one by more than rounding: an
// output as near as that cannot be told from a right one.
func (t Trial) Passes(wrong []float64) bool {
	out := Store(t.DType, wrong)
	return t.judge(out, t.Model) && !t.judge(out, Model{K: 1, ULPs: t.Model.ULPs}) &&
		!bytes.Equal(out, Store(t.DType, t.Truth.Value))
}

// Limited reports whether a right kernel may be further off than is allowed: inputs of this kind do not suit its
// accumulator.
func (t Trial) Limited() bool {
	return t.compare()(Store(t.DType, t.Truth.Value), t.DType, t.Truth, t.Model).Limited
}

func (t Trial) judge(out []byte, m Model) bool {
	return t.compare()(out, t.DType, t.Truth, m).Pass()
}

func (t Trial) compare() Comparison {
	if t.Compare != nil {
		return t.Compare
	}
	return Judge
}
