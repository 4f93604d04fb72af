package kernels

import (
	"errors"
	"strings"
	"testing"
)

const sizedFamily = `arch = "sm_80"
[[gene]]
name = "tile"
values = [16, 64]
default = 16
[[gene]]
name = "blocks"
values = ["per_tile", "persistent"]
default = "per_tile"
matters = "ceil_div(m, tile) * ceil_div(n, tile) > device.sms"
[[gene]]
name = "depth"
values = [1, 2]
default = 1
when = "tile > 16"
matters = "k % (tile / 64) == 0"
[[constraint]]
rule = "m <= 64 || tile == 64"
why = "many rows want a large tile"
[[launch]]
entry = "product"
grid = ["ceil_div(m, tile) * ceil_div(n, tile)"]
block = ["tile"]
args = ["A", "B", "C", "m", "n", "k"]
`

// A space is for sizes: a rule on dims holds at each of them, and a gene exists where it matters at one. The second
// depth divides by zero where its "when" does not hold.
func TestSpaceOfSizes(t *testing.T) {
	f, err := ParseFamily("f.toml", "f", []byte(sizedFamily), mustProblem(t))
	if err != nil {
		t.Fatal(err)
	}
	dims := func(m, n int) Dims { return Dims{"m": m, "n": n, "k": 8} }
	for _, c := range []struct {
		name  string
		sizes []Dims
		want  int
	}{
		{"none", nil, 6},                      // 16: blocks; 64: blocks, depth
		{"small", []Dims{dims(64, 64)}, 3},    // no blocks
		{"tall", []Dims{dims(4096, 4096)}, 4}, // 64 alone
		{"wide", []Dims{dims(16, 4096)}, 4},   // blocks with 16: 256 tiles, but not with 64
		{"small and wide", []Dims{dims(64, 64), dims(16, 4096)}, 4},
		{"small and tall", []Dims{dims(64, 64), dims(4096, 4096)}, 4},
	} {
		s, err := NewSpace(f, hopper(t), FP16, nil, c.sizes...)
		if err != nil || s.Len() != c.want {
			t.Fatalf("%s: %d points (%v), want %d", c.name, s.Len(), err, c.want)
		}
	}
	s, err := NewSpace(f, hopper(t), FP16, nil, dims(4096, 4096))
	if err != nil {
		t.Fatal(err)
	}
	why := s.Check(f.Defaults())
	if why == nil || !strings.Contains(why.Error(), "many rows want a large tile") {
		t.Errorf("the default at 4096 rows: %v", why)
	}
	if err := f.Check(f.Defaults(), hopper(t), FP16); err != nil {
		t.Errorf("without sizes: %v", err)
	}
	pins := Pins{"tile": f.Genes[0].values[:1]}
	if _, err := NewSpace(f, hopper(t), FP16, pins, dims(4096, 4096)); !errors.Is(err, ErrNoLegalPoint) ||
		!strings.Contains(err.Error(), "m <= 64 || tile == 64") {
		t.Errorf("no point: %v", err)
	}
}

// TestRulesOfElementsAreNotOfSizes: what reads the size or the type of an element alone holds without sizes, too.
func TestRulesOfElementsAreNotOfSizes(t *testing.T) {
	for _, rule := range []string{"tile * elem <= 32", "dtype != 'fp16' || tile == 16"} {
		text := strings.Replace(sizedFamily, "m <= 64 || tile == 64", rule, 1)
		f, err := ParseFamily("f.toml", "f", []byte(text), mustProblem(t))
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSpace(f, hopper(t), FP16, nil)
		if err != nil || s.Len() != 2 || f.Constraints[0].Sized() {
			t.Errorf("%s: %d points (%v), want 2", rule, s.Len(), err)
		}
	}
}
