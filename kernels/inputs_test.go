package kernels

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// checked is the problem of the parser's tests with more lines in [check].
func checked(t *testing.T, lines string) *Problem {
	t.Helper()
	p, err := ParseProblem("problem.toml", []byte(strings.Replace(problemTOML, `reduction = "k"`,
		"reduction = \"k\"\n"+lines, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHardClasses(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"", "constant zeros lead tiny huge shift ordered alike needles single special"},
		{"exact = false", "constant zeros lead tiny huge shift outlier ordered alike needles single special"},
		{"special = false", "constant zeros lead tiny huge shift ordered alike needles single"},
		{"special = true\nwithout = [\"huge\", \"needles\", \"single\"]",
			"constant zeros lead tiny shift ordered alike special"},
		{"terms = []", "constant zeros lead tiny huge shift ordered alike special"},
	} {
		if got := strings.Join(checked(t, c.lines).Hard(), " "); got != c.want {
			t.Errorf("%s: %s, expected %s", c.lines, got, c.want)
		}
	}
	// An input of ints holds neither inf nor huge numbers. Where an output of ints does not hold them, any int is right.
	for role, want := range map[string]bool{"in": false, "out": true} {
		more := fmt.Sprintf("tensor = [\n  { name = \"I\", role = %q, shape = [\"m\"], dtype = \"int32\" },", role)
		ints, err := ParseProblem("problem.toml", []byte(strings.Replace(problemTOML, `tensor = [`, more, 1)))
		if err != nil {
			t.Fatal(err)
		}
		got := ints.Hard()
		if slices.Contains(got, "special") != want || slices.Contains(got, "huge") != want {
			t.Errorf("ints %s: %v", role, got)
		}
	}
}

// TestTerms: by default they lie in the first input that has an axis of the reduced length.
func TestTerms(t *testing.T) {
	for _, c := range []struct {
		lines        string
		tensor, axis int
		neutral      float64
	}{
		{"", 0, 1, 0},
		{`terms = [{ tensor = "B", dim = "n", neutral = "-inf" }]`, 1, 0, math.Inf(-1)},
	} {
		p := checked(t, c.lines)
		if len(p.Check.Terms) != 1 {
			t.Fatalf("%s: %v", c.lines, p.Check.Terms)
		}
		if tensor, axis, neutral := p.Check.Terms[0].Place(); tensor != c.tensor || axis != c.axis || neutral != c.neutral {
			t.Errorf("%s: tensor %d, axis %d, neutral %g", c.lines, tensor, axis, neutral)
		}
	}
}

// TestUnproved: terms that lie along no axis by its name are told, unless the problem says that there are none to tell.
func TestUnproved(t *testing.T) {
	hidden := strings.NewReplacer(`["m", "k"]`, `["m", "k * 1"]`, `shape = ["n", "k"]`,
		`shape = ["n", "k * 1"]`).Replace(problemTOML)
	for _, c := range []struct {
		text, lines string
		want        bool
	}{{problemTOML, "", false}, {hidden, "", true}, {hidden, "terms = []", false},
		{strings.Replace(hidden, `reduction = "k"`, `reduction = "1"`, 1), "", false}} {
		p, err := ParseProblem("problem.toml", []byte(strings.Replace(c.text, "[check]\n", "[check]\n"+c.lines+"\n", 1)))
		if err != nil {
			t.Fatal(err)
		}
		if p.Unproved() != c.want {
			t.Errorf("%q: %v, terms %v", c.lines, p.Unproved(), p.Check.Terms)
		}
	}
}

func TestRange(t *testing.T) {
	const shapes = `shapes = [{ m = 1, n = 1, k = 1 }, { m = 33, n = 17, k = 65 }]`
	for _, c := range []struct {
		draw, shapes string
		want         map[string]Range
	}{
		{"", shapes, map[string]Range{"m": {Step: 1, Most: 512}, "n": {Step: 1, Most: 512}, "k": {Step: 1, Most: 512}}},
		{"", `shapes = [{ m = 0, n = 512, k = 64 }]`, map[string]Range{"m": {Values: []int{0, 16, 512}},
			"n": {Values: []int{512}}, "k": {Step: 64, Most: 512}}},
		{`draw = { m = [3, 5], n = 8, k = "any" }`, `shapes = [{ m = 1, n = 16, k = 64 }]`,
			map[string]Range{"m": {Values: []int{3, 5}}, "n": {Step: 8, Most: 512}, "k": {Step: 1, Most: 512}}},
	} {
		text := strings.Replace(problemTOML, shapes, c.draw+"\n"+c.shapes, 1)
		if strings.Contains(c.shapes, "m = 0") { // a flag
			text = strings.Replace(text, `shape = ["m", "k"]`, `shape = ["m + 1", "k"]`, 1)
			text = strings.Replace(text, `shape = ["m", "n"]`, `shape = ["m + 1", "n"]`, 1)
			text = strings.Replace(text, `ceil_div(m * n, 256)`, `ceil_div((m + 1) * n, 256)`, 1)
		}
		p, err := ParseProblem("problem.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for dim, want := range c.want {
			if got := p.Range(dim); !reflect.DeepEqual(got, want) {
				t.Errorf("%s %s: %s is %+v, expected %+v", c.draw, c.shapes, dim, got, want)
			}
		}
	}
}

func TestAccumulatorBounded(t *testing.T) {
	for _, c := range []struct {
		lines         string
		claimed, want DType
	}{
		{"", FP32, FP32}, {"", BF16, FP32}, {"", "", ""},
		{`accumulate = ["fp32", "fp16"]`, FP16, FP16}, {`accumulate = ["fp32", "fp16"]`, BF16, FP16},
		{`accumulate = ["bf16"]`, FP32, FP32},
	} {
		if got := checked(t, c.lines).Accumulator(c.claimed); got != c.want {
			t.Errorf("%s: %q counts as %q, expected %q", c.lines, c.claimed, got, c.want)
		}
	}
}
