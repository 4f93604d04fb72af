package cpu

import (
	"bytes"
	"math"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

func values(t *testing.T, d kernels.DType, class string, tensor, n int, seed uint64) []float64 {
	t.Helper()
	raw := make([]byte, n*d.Size())
	if err := fillInput(raw, d, class, tensor, seed); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, n)
	check.Decode(d, raw, out)
	return out
}

func TestInputClasses(t *testing.T) {
	const n = 20000
	for _, c := range []struct {
		class     string
		tensor    int
		mean, dev float64 // of the values
		ok        func(v float64) bool
	}{
		{"normal", 0, 0, 1, func(v float64) bool { return math.Abs(v) < 7 }},
		{"uniform", 0, 0.5, 0.2887, func(v float64) bool { return v >= 0 && v <= 1 }},
		{"cancel", 0, 0, 1, func(v float64) bool { return math.Abs(v) >= 1 && math.Abs(v) <= 1.02 }},
		{"cancel", 1, 1.008, 0.0045, func(v float64) bool { return v >= 1 && v <= 1.02 }},
		{"onehot", 0, 1. / 16, 0.242, func(v float64) bool { return v == 0 || v == 1 }},
		{"onehot", 1, 0, 1, func(v float64) bool { return math.Abs(v) < 7 }},
		{"wide", 0, 0, 8.6, func(v float64) bool { return math.Abs(v) >= 0x1p-5 && math.Abs(v) <= 32 }},
		{"exact", 0, 0, 0.8165, func(v float64) bool { return v == -1 || v == 0 || v == 1 }},
		{"large", 0, 0, 389, func(v float64) bool { return math.Abs(v) >= 32 && math.Abs(v) <= 1024 }},
		{"offset", 0, 256, 1, func(v float64) bool { return math.Abs(v-256) < 8 }},
		{"offset", 1, 0, 1, func(v float64) bool { return math.Abs(v) < 7 }},
		{"denormal", 0, 0, 3.5e-5, func(v float64) bool { return math.Abs(v) <= 0x1p-14 }},
	} {
		for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32} {
			sum, squares := 0.0, 0.0
			for _, v := range values(t, d, c.class, c.tensor, n, 42) {
				if !c.ok(v) {
					t.Fatalf("%s %s tensor %d: %g", c.class, d, c.tensor, v)
				}
				sum += v
				squares += v * v
			}
			mean := sum / n
			dev := math.Sqrt(squares/n - mean*mean)
			slack := 0.05
			if d == kernels.BF16 { // eight bits show
				slack = 0.3
			}
			if math.Abs(mean-c.mean) > 0.03*(c.dev+math.Abs(c.mean)) || math.Abs(dev-c.dev) > slack*c.dev {
				t.Errorf("%s %s tensor %d: mean %g deviation %g, expected %g and %g", c.class, d, c.tensor, mean, dev, c.mean, c.dev)
			}
		}
	}
	if err := fillInput(make([]byte, 8), kernels.FP32, "nosuch", 0, 1); err == nil {
		t.Error("an unknown class was accepted")
	}
}

func TestInputsDependOnSeedAndTensor(t *testing.T) {
	fill := func(tensor int, seed uint64) []byte {
		b := make([]byte, 256)
		if err := fillInput(b, kernels.FP32, "normal", tensor, seed); err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(fill(0, 1), fill(0, 1)) {
		t.Error("the same seed gave other inputs")
	}
	if bytes.Equal(fill(0, 1), fill(1, 1)) || bytes.Equal(fill(0, 1), fill(0, 2)) {
		t.Error("another tensor or seed gave the same inputs")
	}
}

func TestGuardsFindEveryChangedByte(t *testing.T) {
	a, err := newArena([]int{100, 1, 4096}, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer a.free()
	if got := a.damage(); got != 0 {
		t.Fatalf("%d bytes changed in a new arena", got)
	}
	for i, b := range a.buffers {
		if address(b)%alignment != 0 {
			t.Errorf("buffer %d is not aligned", i)
		}
		fill(b, 0xff) // may be written to
	}
	if got := a.damage(); got != 0 {
		t.Errorf("writing to the buffers changed %d bytes of their guards", got)
	}
	for i, z := range a.zones {
		for _, at := range []int{0, len(z) - 1, len(z) / 2} {
			z[at] ^= 0x10
			if got := a.damage(); got != 1 {
				t.Errorf("zone %d byte %d of %d: %d changed bytes found, expected 1", i, at, len(z), got)
			}
			z[at] ^= 0x10
		}
	}
}

func TestHashSeesEveryByteAndItsPlace(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 64, 1001} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(mix(uint64(i)))
		}
		was := hash(b, 0)
		for i := range b {
			b[i]++
			if hash(b, 0) == was {
				t.Errorf("%d bytes: byte %d does not count", n, i)
			}
			b[i]--
		}
		if hash(b, 1<<48) == was {
			t.Errorf("%d bytes: the salt does not count", n)
		}
	}
	c := &gpu.Case{Buffers: []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{4}}, {Name: "y", Out: true, DType: kernels.FP32, Shape: []int{4}}}}
	a, err := newArena(sizesOf(c.Buffers), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer a.free()
	was := hashOutputs(c, a)
	a.buffers[0][0]++
	if hashOutputs(c, a) != was {
		t.Error("an input counts among the outputs")
	}
}
