package graph

import (
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// farArguments are where functions bend, and farScales sums of which a right kernel may be far off, as one that is 30
// where its terms add up to 10^8.
var (
	farArguments = []float64{-300, -30, -3, -0.2, 0.2, 3, 30, 300}
	farScales    = []float64{1e3, 1e5, 1e6, 1e8}
)

// TestFar: a right kernel passes whose sums are as far off as the tolerance lets them be, whatever becomes of them.
// What a sigmoid, tanh or the like of a sum changes by is within its tolerance, too. By the derivative at the truth,
// which is 0 where they are flat, a sigmoid of -30 that rounding makes one of -2 was refused. And no tolerance is much
// wider than what changes: zeros and other constants are no right answers.
func TestFar(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++")
	}
	num, err := familyFiles.ReadFile("families/num.cu")
	if err != nil {
		t.Fatal(err)
	}
	const model = 2048
	source := shim + string(num)
	calls, names := "", strings.Fields("atan cos erf erfc exp sigmoid sin softsign tanh silu_written")
	for _, name := range append(names[:9:9], "mul") {
		op := operators[name]
		source += fmt.Sprintf("Num t_%s(%s) { %s }\n", name, op.arguments([]string{"a", "b"}[:op.Args]), op.Truth)
	}
	source += "Num t_silu_written(double model, Num a) { return t_mul(model, a, t_sigmoid(model, a)); }\n"
	for _, name := range names {
		for _, x := range farArguments {
			for _, k := range farScales {
				calls += fmt.Sprintf("show(t_%s(%d, Num{%g, 0, %g}));\n", name, model, x, k)
			}
		}
	}
	source += "void show(Num a) { printf(\"%.17g\\n\", " + fmt.Sprint(model) + " * a.k + 4 * a.e); }\n"
	lines := build(t, compiler, source+"int main() {\n"+calls+"}\n")
	for i, name := range names {
		for j, x := range farArguments {
			for l, k := range farScales {
				var tolerance float64
				at := (i*len(farArguments)+j)*len(farScales) + l
				if _, err := fmt.Sscan(lines[at], &tolerance); err != nil {
					t.Fatal(err)
				}
				checkFar(t, name, x, k*model*0x1p-24, tolerance*0x1p-24)
			}
		}
	}
}

// checkFar holds a tolerance against what a function changes by within reach of x.
func checkFar(t *testing.T, name string, x, reach, tolerance float64) {
	t.Helper()
	f := func(x float64) float64 {
		switch name {
		case "silu_written":
			return x * sigmoid(x)
		case "exp": // of a number less the greatest
			return math.Exp(min(x, 0))
		}
		return values[name]([]float64{x})
	}
	most := 0.0
	for step := range 201 {
		most = max(most, math.Abs(f(x+reach*float64(step-100)/100)-f(x)))
	}
	if name == "exp" && x > 0 {
		return
	}
	bounded := !slices.Contains([]string{"silu_written", "sin", "cos"}, name)
	if tolerance < most*(1-1e-9) || bounded && tolerance > 2.1*max(most, reach*math.Abs(f(x+1e-6)-f(x-1e-6))/2e-6)+1e-4 {
		t.Errorf("%s of %g +- %g changes by %g, and its tolerance is %g", name, x, reach, most, tolerance)
	}
}

// TestFarKeepsNaN: what is NaN or inf is that behind them, too.
func TestFarKeepsNaN(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++")
	}
	num, err := familyFiles.ReadFile("families/num.cu")
	if err != nil {
		t.Fatal(err)
	}
	source, calls, want := shim+string(num), "", []float64{}
	for name, op := range operators {
		if !op.Far {
			continue
		}
		source += fmt.Sprintf("Num t_%s(%s) { %s }\n", name, op.arguments([]string{"a", "b"}[:op.Args]), op.Truth)
		for _, x := range []float64{math.NaN(), posInf, negInf} {
			text := fmt.Sprintf("exactly(%v)", x)
			text = strings.NewReplacer("NaN", "NAN", "+Inf", "INFINITY", "-Inf", "-INFINITY").Replace(text)
			calls += fmt.Sprintf("printf(\"%%g\\n\", t_%s(%s).v);\n", name,
				strings.Join([]string{"2048", text, "exactly(2)"}[:op.Args+1], ", "))
			want = append(want, values[name]([]float64{x, 2}[:op.Args]))
		}
	}
	for i, line := range build(t, compiler, source+"int main() {\n"+calls+"}\n") {
		var got float64
		if _, err := fmt.Sscan(strings.TrimPrefix(line, "-nan"), &got); err != nil {
			got = math.NaN() // -nan
		}
		if !(math.Abs(got-want[i]) < 1e-5 || got == want[i] || got != got && want[i] != want[i]) {
			t.Errorf("number %d is %s, expected %g", i, line, want[i])
		}
	}
}

// TestFarIsOfSums: rows that are divided by their norms, and maps of what no sum is in, have the errors that they had.
func TestFarIsOfSums(t *testing.T) {
	files, err := read(t, "testdata/linear_gn.json").Folder()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(files["reference.cu"]); !strings.Contains(text, "op_mul(0, v1, row.r1)") {
		t.Error("what is multiplied by a row's norm has errors of both as sums have")
	}
	if files, err = read(t, "testdata/linear_tail.json").Folder(); err != nil {
		t.Fatal(err)
	}
	if text := string(files["reference.cu"]); !strings.Contains(text, "op_sigmoid(n.model(), ") {
		t.Error("a sigmoid of a product does not know how far off that may be")
	}
}
