package checker

import (
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestSelfTestOfTwoOutputs: one that is the same everywhere, as the exponents of rows that are about as large, is no
// fault beside another that tells. By itself it is.
func TestSelfTestOfTwoOutputs(t *testing.T) {
	const n = 2048
	tells, _ := right(n)
	for i := range tells.Scale {
		tells.Scale[i] = 8
	}
	same := check.Truth{Value: make([]float64, n), Scale: make([]float32, n)}
	for i := range same.Value {
		same.Value[i], same.Scale[i] = -5, 5
	}
	for _, c := range []struct {
		name   string
		truths []check.Truth
		fit    bool
	}{
		{"one that tells", []check.Truth{tells}, true}, {"one that is the same", []check.Truth{same}, false},
		{"both", []check.Truth{tells, same}, true}, {"two that are the same", []check.Truth{same, same}, false},
	} {
		one := device.Case{Class: "normal"}
		for range c.truths {
			one.Buffers = append(one.Buffers, kernels.Buffer{Name: "y", Out: true, DType: kernels.FP32,
				Shape: []int{n / 64, 64}})
		}
		s := &Setup{Cases: []device.Case{one}, Terms: []check.Length{{K: 1}}}
		got, err := s.SelfTest(0, c.truths, func(int) check.Comparison { return check.Judge })
		if err != nil || got.Wrong != "" {
			t.Fatalf("%s: %v, %q", c.name, err, got.Wrong)
		}
		blind := slices.ContainsFunc(got.Tried, func(wrong check.Tried) bool { return wrong.Accepted != "" })
		if len(got.Tried) == 0 || blind == c.fit {
			t.Errorf("%s: %v", c.name, got.Tried)
		}
	}
}
