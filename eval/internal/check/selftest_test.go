package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
)

func TestSelfTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	for _, d := range floats {
		p := newProduct(rng, inputClasses[0], d, 48, 40, 200)
		stale := newProduct(rng, inputClasses[0], d, 48, 40, 200)
		trial := Trial{DType: d, Model: Model{K: 200, Acc: kernels.FP32}, Truth: p.truth, Shape: []int{48, 40},
			Mutations: []Mutation{
				{Name: "a stale output", Make: func() []float64 { return stale.truth.Value }},
				{Name: "a dropped term", Make: func() []float64 { return p.run(dropped) }},
				{Name: "nothing to drop", Make: func() []float64 { return nil }},
			}}
		if tried, missed := accepted(t, trial); len(missed) > 0 || len(tried) < 7 {
			t.Errorf("%s: tried %v, accepts %q", d, tried, missed)
		}
		trial.Mutations = []Mutation{{Name: "the truth", Make: func() []float64 { return p.truth.Value }}}
		if _, missed := accepted(t, trial); !slices.Equal(missed, []string{"the truth"}) {
			t.Errorf("%s: an undetectable mutation gives %q", d, missed)
		}
	}
	// Truth that is the same everywhere cannot tell a constant from a result.
	same := Trial{DType: kernels.FP32, Model: Model{K: 1}, Truth: plain(repeat(1, 64)...), Shape: []int{8, 8}}
	if _, missed := accepted(t, same); !slices.Equal(missed, []string{"ones", "a constant", "shuffled rows"}) {
		t.Errorf("a degenerate task gives %q", missed)
	}
	bad := plain(1, 2)
	bad.Scale[0] = float32(math.NaN())
	if tried, err := SelfTest(Trial{DType: kernels.FP32, Truth: bad, Shape: []int{2}}); err == nil {
		t.Errorf("an unfit truth gives %v", tried)
	}
	ranks := Truth{Value: []float64{53, 7, -1, 12}, Scale: []float32{1, 1, 1, 1}}
	if _, missed := accepted(t, Trial{DType: kernels.I32, Truth: ranks, Shape: []int{2, 2}}); len(missed) > 0 {
		t.Errorf("of integers, %q are accepted", missed)
	}
}

// TestSelfTestOfEqualRows: where rows are the same but for rounding, moved rows are right. Another size has to tell
// them.
func TestSelfTestOfEqualRows(t *testing.T) {
	for noise, anySize := range map[float64]bool{0: true, 0x1p-26: true, 0x1p-18: false} {
		trial := Trial{DType: kernels.FP32, Model: Model{K: 1024}, Truth: plain(repeat(1, 64*64)...), Shape: []int{64, 64}}
		for i := range trial.Truth.Value {
			trial.Truth.Value[i] = (1 + float64(i%64)) * (1 + noise*float64(i/64%2))
			trial.Truth.Scale[i] = 100
		}
		tried, err := SelfTest(trial)
		if i := slices.IndexFunc(tried, func(one Tried) bool { return one.Name == "shuffled rows" }); err != nil || i < 0 ||
			tried[i].Accepted == "" || tried[i].AnySize != anySize {
			t.Errorf("rows that differ by %g: %v, %v", noise, tried, err)
		}
	}
}

// accepted are the names of the wrong outputs that the check of a trial was tried on, and of those that it accepts.
func accepted(t *testing.T, trial Trial) (tried, missed []string) {
	t.Helper()
	all, err := SelfTest(trial)
	if err != nil {
		t.Error(err)
	}
	for _, one := range all {
		tried = append(tried, one.Name)
		if one.Accepted != "" {
			missed = append(missed, one.Name)
		}
	}
	return tried, missed
}

// TestSelfTestTF32: where no term has another sign, a thousandth is what rounding may do to a whole output, which is so
// as soon as relu leaves few others. The check of such a product is fit to use, and sees outputs that are off by more.
func TestSelfTestTF32(t *testing.T) {
	const rows, cols = 63, 64
	for _, k := range []int{1, 16, 127, 512, 4096} {
		value := make([]float64, rows*cols)
		for i := range value {
			value[i] = float64(k) * (1 + float64(i*37%101)/101)
		}
		trial := Trial{DType: kernels.FP32, Model: Model{K: k, Acc: kernels.FP32, Terms: kernels.TF32},
			Truth: plain(value...), Shape: []int{rows, cols}}
		if _, missed := accepted(t, trial); len(missed) > 0 {
			t.Errorf("%d terms: %q", k, missed)
		}
		trial.Model.Terms = ""
		if got := trial.factor(); got != 1.001 {
			t.Errorf("strict fp32 is asked for outputs x %g", got)
		}
		if _, missed := accepted(t, trial); len(missed) > 0 {
			t.Errorf("%d terms in strict fp32: %q", k, missed)
		}
	}
}

// TestSelfTestOfSensitive: where all outputs hang on the same sums, these may be off by as much as rounding changes
// them. What is off by a tenth has to be seen there, too.
func TestSelfTestOfSensitive(t *testing.T) {
	for _, c := range []struct {
		name     string
		scale    float32 // as many times as large as outputs of about 1
		coherent bool
		asked    bool // about a thousandth
		fit      bool
	}{
		{"outputs of their own", 2, true, true, true},
		{"a softmax of long products", 400, true, false, true},
		{"scales that let everything pass", 1e6, true, false, false}, {"errors that scatter", 10, false, true, true},
		{"errors that scatter, but are as large", 400, false, true, false},
	} {
		trial := Trial{DType: kernels.FP32, Model: Model{K: 1024, Acc: kernels.FP32, Coherent: c.coherent},
			Truth: plain(repeat(1, 4096)...), Shape: []int{64, 64}}
		for i := range trial.Truth.Value {
			trial.Truth.Value[i] = 1 + float64(i*37%101)/101
			trial.Truth.Scale[i] = c.scale
		}
		tried, missed := accepted(t, trial)
		if slices.Contains(tried, "output x 1.001") != c.asked || !slices.Contains(tried, "output x 1.1") ||
			(len(missed) == 0) != c.fit {
			t.Errorf("%s: tried %q, accepts %q", c.name, tried, missed)
		}
	}
}

// TestDroppedTile: a last tile whose numbers are below the rounding of the greatest output cannot be missed.
func TestDroppedTile(t *testing.T) {
	for tail, told := range map[float64]bool{0: false, 0x1p-30: false, 0x1p-25: false, 0x1p-20: true, 0.5: true} {
		values := repeat(tail, 3*1000)
		for row := range 3 {
			values[row*1000] = 1
		}
		trial := Trial{DType: kernels.FP32, Truth: plain(values...), Shape: []int{3, 1000}}
		if got := trial.withoutLastTile(); (got != nil) != told {
			t.Errorf("a tail of %g beside 1: mutated %v, expected %v", tail, got != nil, told)
		}
	}
}
