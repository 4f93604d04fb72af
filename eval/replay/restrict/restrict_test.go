package restrict

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels/expr"
)

var env = map[string]any{"a": 7, "b": 2, "f": 0.5, "s": "row", "t": true, "z": 0}

var names = []string{"a", "b", "f", "s", "t", "z"}

// TestValue has what Python 3 gives.
func TestValue(t *testing.T) {
	for text, want := range map[string]any{
		"a / b":                        3.5,
		"a // b":                       3.0,
		"-a // b":                      -4.0,
		"-a % 4":                       1.0,
		"a % -4":                       -1.0,
		"a / b * b == a":               true,
		"8 % (7 / 2) == 1":             true,
		"-b ** 2":                      -4.0,
		"2 ** 3 ** 2":                  512.0,
		"2 ** -1":                      0.5,
		"1 < b < a":                    true,
		"1 < b > a":                    false,
		"3 < b < a / z":                false, // the last side is not reached
		"b == 2 == t":                  false,
		"t == 1":                       true,
		"a in (1, 7, 9)":               true,
		"a not in [1, 7, 9]":           false,
		"s in ['row', 'col']":          true,
		"s == \"row\"":                 true,
		"s < 'sow'":                    true,
		"not a":                        false,
		"not not a == 7":               true,
		"z or a":                       7.0,
		"z and a / z":                  0.0,
		"a and s":                      "row",
		"a if z else b":                2.0,
		"min(a, b) + max([a, b])":      9.0,
		"abs(-a) + int(a / b) + t":     11.0,
		"round(f) + round(1.5)":        2.0,
		"sum((a, b, 1)) == 10":         true,
		"all([a, b]) and not any([z])": true,
		"len([a, b])":                  2.0,
		"(a,) == [7]":                  true,
		"a & b | 8 ^ 1":                11.0,
		"0x10 + 1e1 + 1_000":           1026.0,
		"None == z":                    false,
		"True + True":                  2.0,
		"  a\n *\tb ":                  14.0,
		"+a - -b":                      9.0,
		"f == .5":                      true,
	} {
		e, err := Parse(text, names)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := e.Value(env)
		if err != nil || got != want {
			t.Errorf("%s: %v (%v), want %v", text, got, err, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "expected a number, a name or a bracket",
		"a +":                            "expected a number, a name or a bracket",
		"a b":                            `unexpected "b"`,
		"(a":                             `expected ")"`,
		"c > 1":                          "unknown name c: expected a parameter",
		"a = 1":                          `unexpected '='`,
		"'row":                           "the string has no end",
		"12abc":                          "12abc is not a number",
		"a if b":                         `expected "else"`,
		"a not b":                        `expected "in"`,
		"__import__('os')":               "unknown name __import__",
		"0\xff":                          "not valid UTF-8",
		"a ÿ":                            `unexpected "ÿ"`,
		"a.real":                         "unexpected",
		strings.Repeat("(", 5000):        "nested too deeply",
		strings.Repeat("2**", 999) + "2": "nested too deeply",
		strings.Repeat("a+", 9999) + "a": "longer than",
	} {
		_, err := Parse(text, names)
		var wrong *expr.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v: expected %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"a / z": "division by zero", "a % z": "division by zero", "s * 2": "row is not a number",
		"s < 1":  "cannot be compared",
		"a in s": "in needs a list", "f & 1": "not an integer", "len(a)": "expected one list", "abs(a, b)": "2 arguments",
		"min()":       "expected numbers",
		"(-8) ** 0.5": "is no number",
	} {
		e, err := Parse(text, names)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, err := e.Value(env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: expected %q", text, err, want)
		}
	}
}

// TestRegenerates holds the configurations that restrictions allow against those that were recorded:
// spaces of AutoTuningAssociation/benchmark_hub (MIT), as the checksum of all index rows in order.
func TestRegenerates(t *testing.T) {
	data, err := os.ReadFile("testdata/spaces.json")
	if err != nil {
		t.Fatal(err)
	}
	var spaces map[string]struct {
		Params      []Param
		Expressions []string
		Cartesian   float64
		Recorded    int
		SHA256      string
	}
	if err := json.Unmarshal(data, &spaces); err != nil {
		t.Fatal(err)
	}
	for name, s := range spaces {
		t.Run(name, func(t *testing.T) {
			rules := parseAll(t, s.Params, s.Expressions)
			if n := Cartesian(s.Params); n != s.Cartesian {
				t.Errorf("%g combinations, want %g", n, s.Cartesian)
			}
			sum, n := sha256.New(), 0
			err := Each(s.Params, rules, func(config []int) bool {
				fmt.Fprintln(sum, strings.ReplaceAll(strings.Trim(fmt.Sprint(config), "[]"), " ", ","))
				n++
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%x", sum.Sum(nil)); n != s.Recorded || got != s.SHA256 {
				t.Errorf("%d configurations with checksum %s, recorded were %d with %s", n, got, s.Recorded, s.SHA256)
			}
		})
	}
}

// parseAll reads expressions over parameters.
func parseAll(t *testing.T, params []Param, texts []string) (rules []*Expr) {
	t.Helper()
	var known []string
	for _, p := range params {
		known = append(known, p.Name)
	}
	for _, text := range texts {
		e, err := Parse(text, known)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, e)
	}
	return rules
}

func TestEach(t *testing.T) {
	params := []Param{{"a", []any{1.0, 2.0, 3.0}}, {"b", []any{"x", "y"}}}
	for name, c := range map[string]struct {
		rules []string
		stop  int
		want  string
	}{
		"all":          {nil, 9, "[[0 0] [0 1] [1 0] [1 1] [2 0] [2 1]]"},
		"some":         {[]string{"a > 1 or b == 'y'", "a < 3"}, 9, "[[0 1] [1 0] [1 1]]"},
		"stops":        {nil, 2, "[[0 0] [0 1]]"},
		"none":         {[]string{"1 > 2"}, 9, "[]"},
		"about nobody": {[]string{"True"}, 1, "[[0 0]]"},
	} {
		t.Run(name, func(t *testing.T) {
			var rules []*Expr
			for _, text := range c.rules {
				e, err := Parse(text, []string{"a", "b"})
				if err != nil {
					t.Fatal(err)
				}
				rules = append(rules, e)
			}
			got := [][]int{}
			err := Each(params, rules, func(config []int) bool {
				got = append(got, slices.Clone(config))
				return len(got) < c.stop
			})
			if err != nil || fmt.Sprint(got) != c.want {
				t.Errorf("%v (%v), want %s", got, err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"1 < a <= b", "a % (b / 2) == 0", "a in (1, 2) if t else not f",
		"s == 'row' and min(a, b) ** 2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text, names)
		if err != nil {
			return
		}
		first, errA := e.Value(env)
		second, errB := e.Value(env)
		if (errA == nil) != (errB == nil) || fmt.Sprint(first) != fmt.Sprint(second) {
			t.Fatalf("%v (%v), then %v (%v)", first, errA, second, errB)
		}
	})
}
