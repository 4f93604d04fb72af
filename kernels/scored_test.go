package kernels

import (
	"strings"
	"testing"
)

// scoredFamily has a let on sizes and one that reads it.
const scoredFamily = `
arch = "sm_80"
[[gene]]
name = "vector"
values = [1, 4]
default = 1
[[let]]
name = "whole"
value = "n % vector == 0 && d > 64"
some = true
[[let]]
name = "twice"
value = "whole ? 2 * vector : 0"
[[launch]]
entry = "k"
grid = ["n"]
block = ["32"]
args = ["x", "y", "n", "twice"]
`

// TestScoredSizes: a let with some is whether one size of the run has its condition, all of it; without sizes it holds.
func TestScoredSizes(t *testing.T) {
	at := func(n, d int) Dims { return Dims{"n": n, "d": d, "mode": 0} }
	for _, tt := range []struct {
		sizes []Dims
		twice int
	}{
		{nil, 8},
		{[]Dims{at(8, 128)}, 8},
		{[]Dims{at(7, 128)}, 0},
		{[]Dims{at(7, 128), at(8, 128)}, 8},
		{[]Dims{at(7, 128), at(8, 64)}, 0}, // either has half of it
	} {
		p := parsedFixed(t)
		if tt.sizes != nil {
			if err := p.Score(tt.sizes); err != nil {
				t.Fatal(err)
			}
		}
		f, err := ParseFamily("family.toml", "family", []byte(scoredFamily), p)
		if err != nil {
			t.Fatal(err)
		}
		env, err := f.Env(Genome{"vector": Int(4)}, Device{}, FP32)
		if err != nil || env["twice"] != tt.twice {
			t.Errorf("%v: twice is %v, want %d: %v", tt.sizes, env["twice"], tt.twice, err)
		}
	}
}

func TestScoredSizesRefuse(t *testing.T) {
	for want, sizes := range map[string][]Dims{
		"no size":              {},
		"no value for dim d":   {{"n": 1, "mode": 0}},
		"no value for dim d, ": {{"n": 1, "mode": 0}, {"n": 0, "d": 64, "mode": 0}},
	} {
		if err := parsedFixed(t).Score(sizes); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, ", ")) {
			t.Errorf("%v: %v, want %q", sizes, err, want)
		}
	}
	for value, want := range map[string]string{"vector == 4": "reads no dim", "n + d": "bool", "m == 1": "m"} {
		text := strings.Replace(scoredFamily, "n % vector == 0 && d > 64", value, 1)
		if _, err := ParseFamily("family.toml", "family", []byte(text), parsedFixed(t)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
}
