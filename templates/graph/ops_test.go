package graph

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	if len(operators) < 30 {
		t.Fatalf("%d operators", len(operators))
	}
	for name, op := range operators {
		if values[name] == nil {
			t.Errorf("%s has no value in Go", name)
		}
		if op.Exact == "" || op.Truth == "" || op.Args < 1 || op.Args > 3 {
			t.Errorf("%s is not complete", name)
		}
	}
	for name := range values {
		if operators[name] == nil {
			t.Errorf("%s is not in the table", name)
		}
	}
}

func TestLiterals(t *testing.T) {
	for _, tt := range []struct {
		x             float64
		float, double string
	}{
		{0, "0.f", "0."}, {1, "1.f", "1."}, {-10, "(-10.f)", "(-10.)"}, {0.1, "0.10000000149011612f", "0.1"},
		{1e-5, "9.999999747378752e-06f", "1e-05"}, {posInf, "__int_as_float(0x7f800000)", "__int_as_float(0x7f800000)"},
		{negInf, "__int_as_float(0xff800000)", "__int_as_float(0xff800000)"}, {1e300, "__int_as_float(0x7f800000)", "1e+300"},
	} {
		if f, d := floatLiteral(tt.x), doubleLiteral(tt.x); f != tt.float || d != tt.double {
			t.Errorf("%g is %s and %s, want %s and %s", tt.x, f, d, tt.float, tt.double)
		}
	}
}

// shim is what the bodies of the table find on a GPU.
const shim = `#include <cmath>
#include <cstdio>
#include <cstring>
#define __device__
static float __int_as_float(int i) { float f; memcpy(&f, &i, 4); return f; }
static float __fdividef(float a, float b) { return a / b; }
static float exp2_approx(float a) { return exp2f(a); }
static float rsqrtf(float a) { return 1 / sqrtf(a); }
static const float LOG2_E = 1.4426950408889634f;
using std::fmin; using std::fmax;
`

var samples = []float64{-100, -20.5, -3, -2.9, -1, -0.5, -1e-4, 0, 1e-6, 0.25, 0.9, 1, 2.75, 3, 7, 19, 21, 60}

// TestForms compiles all forms of all operators for the processor and holds them against Go: the truth to the last
// units of a double, the others within the error that the truth allows them.
func TestForms(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++")
	}
	num, err := familyFiles.ReadFile("families/num.cu")
	if err != nil {
		t.Fatal(err)
	}
	var code, calls strings.Builder
	var want []formSample
	for name, op := range operators {
		args := []string{"a", "b", "c"}[:op.Args]
		floats := strings.Join(args, ", float ")
		fmt.Fprintf(&code, "Num t_%s(%s) { %s }\n", name, op.arguments(args), op.Truth)
		fmt.Fprintf(&code, "float e_%s(float %s) { %s }\n", name, floats, op.Exact)
		fast := op.Fast
		if fast == "" {
			fast = op.Exact
		}
		fmt.Fprintf(&code, "float f_%s(float %s) { %s }\n", name, floats, fast)
		for _, x := range samples {
			in := []float64{x, 0.75, 1.5}[:op.Args]
			var exact, plain []string
			if op.Far {
				exact = []string{"2048"}
			}
			for _, v := range in {
				exact = append(exact, fmt.Sprintf("exactly(%v)", v))
				plain = append(plain, fmt.Sprintf("float(%v)", v))
			}
			fmt.Fprintf(&calls, "show(t_%s(%s), e_%s(%s), f_%s(%s));\n", name, strings.Join(exact, ", "), name,
				strings.Join(plain, ", "), name, strings.Join(plain, ", "))
			want = append(want, formSample{name, x, values[name](in), values[name](rounded(in))})
		}
	}
	wide := strings.Replace(string(num), "FLOATS = true", "FLOATS = false", 1)
	source := shim + wide + code.String() + `void show(Num t, float e, float f) {
    printf("%.17g %g %.9g %.9g\n", t.v, t.e, e, f);
}
int main() {
` + calls.String() + "}\n"
	checkForms(t, build(t, compiler, source), want)
}

// TestOutputs holds what the truth writes of a number, and its scale, at the end of a float's range.
func TestOutputs(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++")
	}
	num, err := familyFiles.ReadFile("families/num.cu")
	if err != nil {
		t.Fatal(err)
	}
	calls, want := "", ""
	for _, tt := range []struct{ call, output string }{
		{"show(Num{2, 8, 0}, 1);", "2 8"},                                       // the errors of one operation
		{"show(Num{2, 8, 16}, 16);", "2 16.5"},                                  // 4 units of 64
		{"show(Num{2, 0, 0}, 1);", "2 2"},                                       // not rounded
		{"show(picked(true, Num{1, 0, 0}, Num{1.001, 0, 2}), 1);", "1 2"},       // rounding may pick the other one
		{"show(t_leaky_relu(Num{-1e-9, 0, 1}, exactly(0.01)), 1);", "-1e-11 1"}, // it may be above 0
		{"show(t_leaky_relu(Num{-0.5, 0, 1}, exactly(0.01)), 1);", "-0.005 0.015"},
		{"show(picked(false, Num{0, 0, 2}, Num{0.01, 0, 0}), 1);", "0.01 0.01"},
		{"show(Num{3e38, 0, 1e39}, 1);", "3e+38 3.403e+38"},
		{"show(Num{-3.41e38, 0, 0}, 1);", "-3.403e+38 3.403e+38"},
		{"show(Num{1e39, 0, 0}, 1);", "inf 3.403e+38"},
		{"show(num(1e39, 0, 0), 1);", "inf inf"}, // on the way, too
		{"show(num(-1e39, 0, 0), 1);", "-inf inf"},
		{"show(num(1e38, 0, 0), 1);", "1e+38 1e+38"},
		{"show(num(3e-44, 0, 0), 1);", "3e-44 5e-32"}, // may be flushed to 0
	} {
		calls += tt.call + "\n"
		want += tt.output + "\n"
	}
	source := shim + string(num) + "Num t_leaky_relu(Num a, Num b) { " + operators["leaky_relu"].Truth + " }\n" +
		"void show(Num a, double terms) {\n" +
		"    printf(\"%.4g %.4g\\n\", value_of(a), scale_of(a, terms));\n}\nint main() {\n" + calls + "}\n"
	if got := strings.Join(build(t, compiler, source), "\n") + "\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

type formSample struct {
	name        string
	x           float64
	exact, near float64 // of x as a double, and as a float
}

func rounded(in []float64) []float64 {
	out := make([]float64, len(in))
	for i, v := range in {
		out[i] = float64(float32(v))
	}
	return out
}

func build(t *testing.T, compiler, source string) []string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "forms.cpp")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-O0", "-w", "-o", file+".out", file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(file + ".out").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func checkForms(t *testing.T, lines []string, want []formSample) {
	t.Helper()
	if len(lines) != len(want) {
		t.Fatalf("%d lines for %d samples", len(lines), len(want))
	}
	const u = 0x1p-24
	for i, w := range want {
		var v, e, exact, fast float64
		if _, err := fmt.Sscan(strings.ReplaceAll(lines[i], "-nan", "nan"), &v, &e, &exact, &fast); err != nil {
			t.Fatalf("%s: %v", lines[i], err)
		}
		if math.IsNaN(w.exact) {
			if !math.IsNaN(v) || !math.IsNaN(exact) || !math.IsNaN(fast) {
				t.Errorf("%s(%g) = %s, want NaN", w.name, w.x, lines[i])
			}
			continue
		}
		if math.Abs(v-w.exact) > 1e-12*(1+math.Abs(w.exact)) {
			t.Errorf("the truth of %s(%g) is %g, want %g", w.name, w.x, v, w.exact)
		}
		if e < 0 || math.IsNaN(e) {
			t.Errorf("the error of %s(%g) is %g", w.name, w.x, e)
		}
		for form, got := range map[string]float64{"exact": exact, "fast": fast} {
			tolerance := 2*u*math.Abs(w.near) + 4*u*e + 0x1p-126
			if beyond := math.Abs(w.near) > math.MaxFloat32; beyond && math.IsInf(got, 0) {
				continue
			}
			if math.Abs(got-w.near) > tolerance {
				t.Errorf("%s %s(%g) = %.9g, want %.9g +- %.3g", form, w.name, w.x, got, w.near, tolerance)
			}
		}
	}
}
