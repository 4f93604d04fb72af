package kernels

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fixedProblem has kernels for each d, and for each mode.
const fixedProblem = `
name = "fixed"
dims = ["n", "d", "mode"]
fixed = ["d", "mode"]
dtypes = ["fp32"]
flops = "n * d"
bytes = "8 * n * d"

[[tensor]]
name = "x"
role = "in"
shape = ["n", "d"]

[[tensor]]
name = "y"
role = "out"
shape = ["n", "d"]

[[workload]]
name = "tiny"
dims = { n = 8, d = 64, mode = 0 }
small = true

[[workload]]
name = "a"
dims = { n = 100, d = 64, mode = 0 }

[[workload]]
name = "b"
dims = { n = 100, d = 128, mode = 1 }

[[workload]]
name = "c"
dims = { n = 100, d = 256, mode = 1 }

[check]
reduction = "1"
shapes = [{ n = 1, d = 64, mode = 0 }, { n = 1, d = 128, mode = 0 }, { n = 3, d = 256, mode = 1 }]

[reference]
file = "reference.cu"
entry = "reference"
grid = ["n"]
block = ["32"]
`

func parsedFixed(t *testing.T) *Problem {
	t.Helper()
	p, err := ParseProblem("problem.toml", []byte(fixedProblem))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFixedBy(t *testing.T) {
	p := parsedFixed(t)
	at := func(d, mode int) Workload { return Workload{Dims: Dims{"n": 5, "d": d, "mode": mode}} }
	for name, tt := range map[string]struct {
		loads []Workload
		want  Fixed
	}{
		"one":                              {[]Workload{at(64, 0)}, Fixed{"d": {64}, "mode": {0}}},
		"two, in order":                    {[]Workload{at(256, 1), at(64, 1)}, Fixed{"d": {64, 256}, "mode": {1}}},
		"all of a dim":                     {[]Workload{at(64, 0), at(64, 1)}, Fixed{"d": {64}}},
		"all of both":                      {[]Workload{at(64, 0), at(128, 1), at(256, 0)}, Fixed{}},
		"a value that the problem has not": {[]Workload{at(96, 1)}, Fixed{"mode": {1}}},
		"no workloads":                     {nil, Fixed{}},
	} {
		if got := p.FixedBy(tt.loads); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if got := (&Problem{DimNames: []string{"n"}}).FixedBy([]Workload{at(64, 0)}); len(got) > 0 {
		t.Errorf("a problem without fixed dims: %v", got)
	}
}

// TestFix: as many check shapes as before, none of them of other values; the small workload is still there.
func TestFix(t *testing.T) {
	for _, tt := range []struct {
		name   string
		to     Fixed
		shapes []Dims
		loads  []string
		d      Range
	}{
		{"one value", Fixed{"d": {128}, "mode": {1}}, []Dims{{"n": 1, "d": 128, "mode": 1}, {"n": 3, "d": 128, "mode": 1}},
			[]string{"tiny", "b"}, Range{Step: 128, Most: 128}},
		{"two values", Fixed{"d": {64, 256}}, []Dims{{"n": 1, "d": 64, "mode": 0}, {"n": 1, "d": 256, "mode": 0},
			{"n": 3, "d": 256, "mode": 1}}, []string{"tiny", "a", "c"}, Range{Values: []int{64, 256}}},
		{"of a check shape alone", Fixed{"d": {32}}, []Dims{{"n": 1, "d": 32, "mode": 0}, {"n": 3, "d": 32, "mode": 1}},
			[]string{"tiny", "a", "b", "c"}, Range{Step: 32, Most: 32}},
		{"a flag", Fixed{"mode": {0}}, []Dims{{"n": 1, "d": 64, "mode": 0}, {"n": 1, "d": 128, "mode": 0},
			{"n": 3, "d": 256, "mode": 0}}, []string{"tiny", "a"}, Range{Step: 64, Most: 256}},
	} {
		p := parsedFixed(t)
		if reflect.DeepEqual(tt.to, Fixed{"d": {32}}) {
			p.Check.Shapes[1]["d"] = 32
		}
		if err := p.Fix(tt.to); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(p.DefaultWorkloads()) == 0 || len(p.SmallWorkloads()) != 1 {
			t.Errorf("%s: defaults %v, small %v", tt.name, p.DefaultWorkloads(), p.SmallWorkloads())
		}
		var loads []string
		for _, w := range p.Workloads {
			loads = append(loads, w.Name)
			for dim, values := range tt.to {
				if !slices.Contains(values, w.Dims[dim]) {
					t.Errorf("%s: workload %s has %v", tt.name, w.Name, w.Dims)
				}
			}
		}
		if !reflect.DeepEqual(p.Check.Shapes, tt.shapes) || !reflect.DeepEqual(loads, tt.loads) ||
			!reflect.DeepEqual(p.Range("d"), tt.d) {
			t.Errorf("%s: shapes %v, workloads %v, d %v", tt.name, p.Check.Shapes, loads, p.Range("d"))
		}
	}
}

func TestFixRefuses(t *testing.T) {
	for want, to := range map[string]Fixed{
		"not one of the fixed dims": {"n": {1}},
		"no value":                  {"d": {}},
		"96: expected values":       {"d": {96}},
		"64: expected values":       {"d": {64, 64}},
	} {
		if err := parsedFixed(t).Fix(to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", to, err, want)
		}
	}
	bad := strings.Replace(fixedProblem, `fixed = ["d", "mode"]`, `fixed = ["d", "d", "k"]`, 1)
	_, err := ParseProblem("problem.toml", []byte(bad))
	for _, want := range []string{"fixed[1]", "fixed[2]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: expected %s", err, want)
		}
	}
}

// TestRestrict: at a size for which nothing was judged there is no launch, whatever a plan says.
func TestRestrict(t *testing.T) {
	for _, tt := range []struct {
		to         Fixed
		when, want string // want: "-" if the launch is left out
	}{
		{nil, "d == 128", "d == 128"},
		{Fixed{"d": {64}}, "", "d == 64"},
		{Fixed{"d": {64}}, "d == 64", "d == 64"},
		{Fixed{"d": {64}}, "d == 128", "-"},
		{Fixed{"d": {64}}, "d >= 64", "d == 64 and (d >= 64)"},
		{Fixed{"d": {64}}, "d > 64 or n > 3", "d == 64 and (d > 64 or n > 3)"},
		{Fixed{"d": {64}}, "split > 1", "d == 64 and (split > 1)"},
		{Fixed{"d": {64}}, "d > 64 && n > 3", "-"},
		{Fixed{"d": {64}}, "n > 3 && (d == 128 || d > 99)", "-"},
		{Fixed{"d": {64}}, "d == 64 && n > 3", "d == 64 and (d == 64 && n > 3)"},
		{Fixed{"d": {64, 256}}, "d == 128", "-"},
		{Fixed{"d": {64, 256}}, "d == 256", "d in [64, 256] and (d == 256)"},
		{Fixed{"d": {64}, "mode": {1}}, "d == 64 and mode == 0", "-"},
		{Fixed{"d": {64}, "mode": {1}}, "mode == 1", "d == 64 and mode == 1 and (mode == 1)"},
	} {
		p := parsedFixed(t)
		if err := p.Fix(tt.to); err != nil {
			t.Fatal(err)
		}
		spec := PlanSpec{Launches: []LaunchSpec{{When: tt.when, Entry: "k"}}}
		got := "-"
		if l := p.Restrict(spec).Launches; len(l) > 0 {
			got = l[0].When
		}
		if got != tt.want || spec.Launches[0].When != tt.when {
			t.Errorf("%v, %q: %q, want %q", tt.to, tt.when, got, tt.want)
		}
	}
}
