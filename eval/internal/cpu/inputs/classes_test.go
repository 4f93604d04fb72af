package inputs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func values(t *testing.T, d kernels.DType, class string, tensor, n int, seed uint64) []float64 {
	t.Helper()
	c := lines(n, tensor, d, class)
	return filled(t, c, tensor, seed)
}

// lines is a case whose first input has lines of 40 numbers that are added up, and whose second has as many elements.
func lines(n, tensor int, d kernels.DType, class string) *device.Case {
	one := kernels.Buffer{Name: "x", DType: d, Shape: []int{n / 40, 40}}
	return &device.Case{Class: class, Terms: []device.Terms{{Axis: 1}}, Buffers: []kernels.Buffer{one, one}[:tensor+1]}
}

// filled is the numbers of a case's input.
func filled(t *testing.T, c *device.Case, tensor int, seed uint64) []float64 {
	t.Helper()
	b := c.Buffers[tensor]
	raw := make([]byte, b.Bytes())
	f, err := c.Fill(tensor)
	if err == nil {
		err = Floats(raw, b.DType, f, seed)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, b.Elems())
	check.Decode(b.DType, raw, out)
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
				t.Errorf("%s %s tensor %d: mean %g deviation %g, expected %g and %g", c.class, d, c.tensor, mean, dev, c.mean,
					c.dev)
			}
		}
	}
	if _, err := lines(40, 0, kernels.FP32, "nosuch").Fill(0); err == nil {
		t.Error("an unknown class was accepted")
	}
}

// TestRareLines: nearly all lines are normal; of every class there is one that is not, elsewhere in each session.
func TestRareLines(t *testing.T) {
	const rows, cols = 900, 40
	places := map[int]bool{}
	for seed := range uint64(20) {
		c := lines(rows*cols, 0, kernels.FP32, device.Rare)
		c.Mix = [][]string{{"zeros", "huge", "constant", "large"}}
		found := map[string]int{}
		for row, numbers := 0, filled(t, c, 0, seed); row < rows; row++ {
			line, class := numbers[row*cols:(row+1)*cols], "normal"
			switch most := slices.Max(line); {
			case most == 0:
				class = "zeros"
			case most == slices.Min(line):
				class = "constant"
			case most > 2000:
				class = "huge"
			case most > 20:
				class = "large"
			}
			if found[class]++; class != "normal" {
				places[row] = true
			}
		}
		want := map[string]int{"normal": rows - 4, "zeros": 1, "huge": 1, "constant": 1, "large": 1}
		if !maps.Equal(found, want) {
			t.Errorf("seed %d: lines are %v", seed, found)
		}
	}
	if len(places) < 60 {
		t.Errorf("hard lines at %d places in 20 sessions", len(places))
	}
}

// TestHardClasses looks at what the lines of each class have in common.
func TestHardClasses(t *testing.T) {
	const rows, cols = 60, 300
	count := func(line []float64, ok func(v float64) bool) (n int) {
		for _, v := range line {
			if ok(v) {
				n++
			}
		}
		return n
	}
	zero := func(v float64) bool { return v == 0 }
	odd := func(v float64) bool { return v-v != 0 }
	masked := func(l []float64) bool {
		return count(l[:cols/2], func(v float64) bool { return math.IsInf(v, -1) }) == cols/2
	}
	for class, ok := range map[string]func(d kernels.DType, line []float64) bool{
		"constant": func(_ kernels.DType, l []float64) bool { return l[0] == slices.Max(l) && l[0] == slices.Min(l) },
		"zeros":    func(_ kernels.DType, l []float64) bool { return count(l, zero) == cols },
		"lead":     func(_ kernels.DType, l []float64) bool { return l[0] == 0 && count(l, zero) <= cols*3/4 },
		"needles": func(_ kernels.DType, l []float64) bool {
			dust := func(v float64) bool { return v != 0 && math.Abs(v) <= 0x1p-23 }
			return count(l, dust) == cols-device.MostNeedles && count(l, zero) == 0
		},
		"single":  func(_ kernels.DType, l []float64) bool { return count(l, zero) == cols-1 },
		"tiny":    func(_ kernels.DType, l []float64) bool { return slices.Max(l) < 1e-5 || slices.Max(l) <= 0x1p-14 },
		"huge":    func(_ kernels.DType, l []float64) bool { return slices.Max(l) > 4096 && count(l, odd) == 0 },
		"special": func(_ kernels.DType, l []float64) bool { return count(l, odd) <= 1 || masked(l) },
		"shift": func(_ kernels.DType, l []float64) bool {
			return slices.Min(l) > 0 || slices.Max(l) < 0 || math.Abs(l[0]) < 16
		},
		"outlier": func(_ kernels.DType, l []float64) bool {
			far := count(l, func(v float64) bool { return math.Abs(v) >= 32 && math.Abs(v) <= 1024 })
			above := slices.Max(l) - slices.Min(l) // of a number not far above others that are equal
			alike := count(l, func(v float64) bool { return v == slices.Min(l) }) == cols-1
			return far == 1 || alike && above > 3.9 && above < 20.1
		},
		"ordered": func(_ kernels.DType, l []float64) bool {
			rising := 0
			for i := range l[1:] {
				if l[i+1] >= l[i] {
					rising++
				}
			}
			above := count(l, func(v float64) bool { return v > 4.5 })
			return rising < cols/20 || rising > cols*9/10 || above > 0 && above <= cols/2
		},
		"extreme": func(d kernels.DType, l []float64) bool {
			return slices.Min(l) <= -min(0x1p14, d.Max()/cols/64) && slices.Max(l) <= d.Max()/2+16
		},
	} {
		for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32} {
			c := &device.Case{Class: class, Terms: []device.Terms{{Axis: 1}},
				Buffers: []kernels.Buffer{{DType: d, Shape: []int{rows, cols}}}}
			x := filled(t, c, 0, 7)
			for r := range rows {
				if line := x[r*cols : (r+1)*cols]; !ok(d, line) {
					t.Errorf("%s %s, line %d: %v ...", class, d, r, line[:8])
				}
			}
			if n := count(x, odd); class == "special" && (n < 1 || n > 1+cols) {
				t.Errorf("%s: %d numbers that are not finite", d, n)
			}
		}
	}
}

// TestZerosAtBothEnds: about half of the lines that begin with zeros end with some, too, and none is of zeros alone.
func TestZerosAtBothEnds(t *testing.T) {
	const rows, cols = 60, 50
	c := &device.Case{Class: "lead", Buffers: []kernels.Buffer{{DType: kernels.FP32, Shape: []int{rows, cols}}}}
	x, ends := filled(t, c, 0, 5), 0
	for r := range rows {
		if x[r*cols+cols-1] == 0 {
			ends++
		}
		line := x[r*cols : (r+1)*cols]
		if line[0] != 0 || !slices.ContainsFunc(line, func(v float64) bool { return v != 0 }) {
			t.Errorf("line %d: %v", r, line)
		}
	}
	if ends < rows/4 || ends > rows*3/4 {
		t.Errorf("%d of %d lines end with zeros", ends, rows)
	}
}

// TestZerosWhereSamplesAre: about half of the lines that begin with zeros have one at each eighth, too, and so in the
// middle, and other numbers between: whoever takes a line by its first, middle and last number for zeros meets some
// that are none.
func TestZerosWhereSamplesAre(t *testing.T) {
	for _, cols := range []int{64, 101, 1000} {
		const rows = 60
		c := &device.Case{Class: "lead", Buffers: []kernels.Buffer{{DType: kernels.FP32, Shape: []int{rows, cols}}}}
		x, alike := filled(t, c, 0, 5), 0
		for r := range rows {
			line, zeros := x[r*cols:(r+1)*cols], true
			for eighth := range 8 {
				zeros = zeros && line[eighth*cols/8] == 0
			}
			if zeros && line[cols/2] == 0 && line[cols*5/8+3] != 0 {
				alike++
			}
		}
		if alike < rows/4 || alike > rows*3/4 {
			t.Errorf("%d: %d of %d lines have zeros at each eighth", cols, alike, rows)
		}
	}
}

// TestZerosOfEitherSign: about half of the lines of zeros have zeros of both signs, and the others none that is
// negative.
func TestZerosOfEitherSign(t *testing.T) {
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32} {
		c := &device.Case{Class: "zeros", Buffers: []kernels.Buffer{{DType: d, Shape: []int{60, 50}}}}
		x, both := filled(t, c, 0, 3), 0
		for line := range slices.Chunk(x, 50) {
			n := 0
			for _, v := range line {
				if math.Signbit(v) {
					n++
				}
			}
			if n > 0 && n < 50 {
				both++
			} else if n > 0 {
				t.Errorf("%s: %d of 50 are negative", d, n)
			}
		}
		if both < 15 || both > 45 {
			t.Errorf("%s: %d of 60 lines", d, both)
		}
	}
}

// TestMixed: the lines of a mixed tensor take turns, other tensors are normal, and terms may lie along another axis
// than the last.
func TestMixed(t *testing.T) {
	const rows, cols = 6, 50
	shape := kernels.Buffer{DType: kernels.FP32, Shape: []int{cols, rows}}
	c := &device.Case{Class: device.Mixed, Mix: [][]string{{"zeros", "constant", "special"}, {"normal"}},
		Terms:   []device.Terms{{Axis: 0}},
		Buffers: []kernels.Buffer{shape, shape}}
	for seed := range uint64(20) {
		x, kinds := filled(t, c, 0, seed), map[string]int{}
		for r := range rows {
			odd, same := 0, true
			for i := range cols {
				v := x[i*rows+r]
				same = same && v == x[r]
				if v-v != 0 {
					odd++
				}
			}
			switch {
			case odd == 1, odd == 2, odd >= cols/2:
				kinds["special"]++
			case same && x[r] == 0:
				kinds["zeros"]++
			case same:
				kinds["constant"]++
			}
		}
		if kinds["zeros"] != 2 || kinds["constant"] != 2 || kinds["special"] != 2 {
			t.Fatalf("seed %d: %v", seed, kinds)
		}
	}
	for _, v := range filled(t, c, 1, 3) {
		if !(math.Abs(v) < 7) || v == 0 {
			t.Errorf("the second tensor has %g", v)
		}
	}
}

// TestTurnsShift: two lines that belong together, a power of two apart as the rows of two halves, are of unlike classes
// in some of the cases where a second input has lines of its own with inf or NaN.
func TestTurnsShift(t *testing.T) {
	const lines, cases = 256, 100
	unlike := 0
	for seed := range uint64(cases) {
		turn := turns{key: mix(seed), classes: 2, lines: lines, spaced: true}
		for line := range uint64(lines / 2) {
			a, _ := turn.of(line)
			if b, _ := turn.of(line + lines/2); a != b {
				unlike++
				break
			}
		}
	}
	if unlike < cases/2 {
		t.Errorf("in %d of %d cases one of two lines is special and the other is not", unlike, cases)
	}
}

// TestMasked: some lines that are special have nothing but -inf, or begin with it up to their middle, as if a mask hid
// that much, and others have a single one. Of those that have a NaN some have two, and some nothing but -inf beside it.
func TestMasked(t *testing.T) {
	const rows, cols = 64, 50
	c := &device.Case{Class: device.Mixed, Mix: [][]string{{"normal", "special"}}, Terms: []device.Terms{{Axis: 1}},
		Buffers: []kernels.Buffer{{DType: kernels.FP32, Shape: []int{rows, cols}}}}
	seen := map[string]int{}
	for seed := range uint64(20) {
		x, kinds := filled(t, c, 0, seed), map[int]int{}
		for r := range rows {
			hidden, nans := 0, 0
			for _, v := range x[r*cols : (r+1)*cols] {
				if math.IsInf(v, -1) {
					hidden++
				}
				if math.IsNaN(v) {
					nans++
				}
			}
			kinds[hidden]++
			seen[fmt.Sprint(nans, hidden > 1)]++
		}
		half, all := kinds[cols/2]+kinds[cols/2+1], kinds[cols]
		masked := half + all + kinds[cols-1]
		if half == 0 && seed == 0 || all == 0 || masked > rows/4 || kinds[1] == 0 || kinds[0]+kinds[1]+masked != rows {
			t.Errorf("seed %d: lines by how many of their numbers are -inf: %v", seed, kinds)
		}
	}
	if seen["1 true"] < 20 || seen["2 false"] < 20 || seen["1 false"] < 20 || seen["2 true"] > 0 {
		t.Errorf("lines by how many NaN they have, and whether -inf stand beside these: %v", seen)
	}
}

// TestNeedles: every sixty-fourth of a line has one, the first and the last number are some in many lines, and no line
// is like another.
func TestNeedles(t *testing.T) {
	const rows, cols = 100, 6400
	c := &device.Case{Class: "needles", Terms: []device.Terms{{Axis: 1, Neutral: math.Float32bits(float32(math.Inf(-1)))}},
		Buffers: []kernels.Buffer{{DType: kernels.FP16, Shape: []int{rows, cols}}}}
	x := filled(t, c, 0, 11)
	first, last, places := 0, 0, map[int]bool{}
	for r := range rows {
		line := x[r*cols : (r+1)*cols]
		for part := range device.MostNeedles {
			n := 0
			for i, v := range line[part*100 : (part+1)*100] {
				if !math.IsInf(v, -1) {
					n++
					places[i] = places[i] || part == 30
				}
			}
			if n != 1 {
				t.Fatalf("line %d has %d terms in part %d", r, n, part)
			}
		}
		if !math.IsInf(line[0], -1) {
			first++
		}
		if !math.IsInf(line[cols-1], -1) {
			last++
		}
	}
	if first < 30 || last < 30 || len(places) < 50 {
		t.Errorf("%d lines begin with a term, %d end with one, %d places", first, last, len(places))
	}
}
