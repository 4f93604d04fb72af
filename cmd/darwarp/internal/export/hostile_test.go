package export

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"darwarp/kernels"
)

// hostileTexts leave comments, strings, docstrings, arguments, cells and lines of some language.
var hostileTexts = []string{
	"\"\"\"\nimport os; os.system('touch pwned')\n" +
		"\"\"\"", "'''\nimport os\n'''", `\"""` + "\nos.system('x')\n", `\`, `x\`,
	"\nint system_(const char*); " +
		"static int p = system(\"touch pwned\");\n", "*/ int p = 1; /*", "// \\\nint p;", "??/\nint p;",
	"\n#include \"/etc/passwd\"\n", "\"); system(\"x\"); (\"", "a\rb\u2028c\u2029d\u0085e\vf\fg",
	"\x1b]0;title\a\x00\x7f\x9b",
	")\nexecute_process(COMMAND touch pwned)\nset(x ", "${ENV{HOME}} $<1:x> @x@ $ENV{HOME}", "a;b;c", "]==] [==[",
	"`touch pwned` $(touch " +
		"pwned) ; touch pwned & '", "' ; touch pwned ; '", "| a | b |\n|---|---|\n", "<script>alert(1)</script> <!-- -->",
	"[x](javascript:alert(1)) ![x](http://x/y) http://evil.example www.evil.example", "# heading\n\n    code\n```\n" +
		"~~~\n",
	"1. list", "- list", "${builtins.exec [\"x\"]} " +
		"''", "{{.Run}} {{define \"x\"}}", "%s%n%d", "\xff\xfe\xc3(", "\u202e\u2066evil\u2069",
	strings.Repeat("x", 5000), "", " ",
}

// hostileKernel has a text in each field of a run or a folder that is for people.
func hostileKernel(t *testing.T, text string) Kernel {
	k := axpy(t, kernels.FP16)
	problem := *k.Bundle.Problem
	problem.About, problem.Name = text, "axpy"
	bundle := *k.Bundle
	bundle.Problem = &problem
	k.Bundle, k.Run = &bundle, text
	k.Device.Name, k.Device.Driver, k.Device.Toolchain = text, text, text
	k.Workloads = slices.Clone(k.Workloads)
	for i := range k.Workloads {
		k.Workloads[i].Name = fmt.Sprint(text, i)
	}
	k.Candidate.Result.Times = []kernels.Timing{{Workload: text + "0", Median: 1, Lo: 1, Hi: 2, Cache: text, Tier: text,
		Tags: []string{text}}}
	k.Candidate.Origin = kernels.Origin{Operator: kernels.Arm(text, text), Note: text}
	k.Lineage = []kernels.Candidate{k.Candidate}
	k.Baselines = []kernels.BaselineResult{{Name: text, Times: k.Candidate.Result.Times}}
	proof := *k.Provenance
	proof.Device, proof.Protocol, proof.Version, proof.CacheMode = k.Device, text, text, text
	k.Provenance = &proof
	k.Trial.Parts = []kernels.Doubt{{Part: kernels.WholeTrial[0], Verdict: "passed", Detail: text}}
	k.Cubin = []byte("cubin")
	k.As = slices.DeleteFunc(Targets(), func(name string) bool { return name == "bundle" })
	return k
}

// TestHostileText: each tool reads the same tokens, but for the contents of strings, whatever the text.
func TestHostileText(t *testing.T) {
	for _, program := range []string{"g++", "python3", "cmake"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("not tested: no %s: what it reads is not compared", program)
		}
	}
	want := readAll(t, written(t, func(dir string) error { return Write(dir, hostileKernel(t, "text")) }))
	for i, text := range hostileTexts {
		dir := written(t, func(dir string) error { return Write(dir, hostileKernel(t, text)) })
		got := readAll(t, dir)
		for name := range want {
			if !reflect.DeepEqual(got[name], want[name]) {
				t.Errorf("%d %.40q: %s is read in another way: %s", i, text, name, firstOther(got[name], want[name]))
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d %.40q: %d files, expected %d", i, text, len(got), len(want))
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "*pwned*")); len(found) > 0 {
			t.Errorf("%d %.40q ran", i, text)
		}
	}
}

// TestHostilePortfolio is the same of a portfolio's own pages.
func TestHostilePortfolio(t *testing.T) {
	portfolio := func(text string) Portfolio {
		k := hostileKernel(t, text)
		k.As = nil
		p := Portfolio{Kernels: []Kernel{k, k}, As: linkedForms,
			Found: kernels.Portfolio{K: 2, Objective: kernels.Objective(text)}}
		for i, w := range k.Workloads {
			p.Found.Choices = append(p.Found.Choices, kernels.Choice{Workload: w.Name, Kernel: i % 2})
		}
		return p
	}
	want := readAll(t, written(t, func(dir string) error { return WritePortfolio(dir, portfolio("text")) }))
	for i, text := range hostileTexts {
		if i%3 > 0 { // each page of a portfolio is written by the writers of the others
			continue
		}
		got := readAll(t, written(t, func(dir string) error { return WritePortfolio(dir, portfolio(text)) }))
		for name := range want {
			if !reflect.DeepEqual(got[name], want[name]) {
				t.Errorf("%d %.40q: %s is read in another way: %s", i, text, name, firstOther(got[name], want[name]))
			}
		}
	}
}

// TestHostileNames: what has to be a name, an architecture or a number is refused or has no effect.
func TestHostileNames(t *testing.T) {
	for _, text := range []string{"a b", "x;y", "x)\ny", "1\n2", "a\"b", "a'b", "\u00e4", "x*/", "${x}", "a-b", ""} {
		for name, set := range map[string]func(*Kernel, string){
			"dim":       func(k *Kernel, s string) { k.Bundle.Problem.DimNames = []string{s} },
			"tensor":    func(k *Kernel, s string) { k.Bundle.Problem.Tensors[0].Name = s },
			"shape":     func(k *Kernel, s string) { k.Bundle.Problem.Tensors[0].Shape = []string{s} },
			"entry":     func(k *Kernel, s string) { k.Job.Plan.Spec.Launches[0].Entry = s },
			"reference": func(k *Kernel, s string) { k.Bundle.Problem.Reference.Entry = s },
			"gene":      func(k *Kernel, s string) { k.Job.Variant.Genes[s] = kernels.Int(1) },
			"value":     func(k *Kernel, s string) { k.Job.Variant.Genes["threads"] = kernels.String(s) },
			"dtype":     func(k *Kernel, s string) { k.Job.Acc = kernels.DType(s + ")") },
		} {
			k := fresh(t)
			set(&k, text)
			if files, err := k.files(); err == nil {
				t.Errorf("%s %q is not refused:\n%s", name, text, files["kernel_tuner.h"])
			}
		}
	}
	k := fresh(t)
	k.Device.Arch = "sm_90a) execute_process(x"
	if got := k.Build(); strings.Contains(string(got), "execute") || !strings.Contains(string(got), "-arch=native") {
		t.Error(got)
	}
	k.Bundle.Problem.Name = "1) evil\n"
	if files, err := k.files(); err != nil ||
		!strings.Contains(string(files["CMakeLists.txt"]), "project(_1__evil__bench LANGUAGES") {
		t.Errorf("%v\n%s", err, files["CMakeLists.txt"])
	}
}

// fresh is a kernel whose bundle is its own.
func fresh(t *testing.T) Kernel {
	k := axpy(t, kernels.FP16)
	k.As = []string{"header", "torch", "cupy", "ktuner"}
	return k
}

// TestShell: a shell takes the words as they are.
func TestShell(t *testing.T) {
	for _, text := range hostileTexts {
		out, err := exec.Command("sh", "-c", "printf '<%s>' "+string(shell("a", text, "b"))).Output()
		if want := "<a><" + line(text) + "><b>"; err != nil || string(out) != want {
			t.Errorf("%q: %v: %q, expected %q", text, err, out, want)
		}
	}
}

// FuzzWriters: no writer lets a text out of where it stands.
func FuzzWriters(f *testing.F) {
	for _, s := range hostileTexts {
		f.Add(s)
	}
	bad := map[string]*regexp.Regexp{
		"C++":      regexp.MustCompile(`\*|\\|\?`),
		"Python":   regexp.MustCompile(`"|\\`),
		"CMake":    regexp.MustCompile(`\n`),
		"TOML":     regexp.MustCompile(`\n`),
		"Nix":      regexp.MustCompile(`\n`),
		"Markdown": regexp.MustCompile("(^|[^\\\\])(\\\\\\\\)*[`<|\\[\\]*]"),
	}
	inside := map[string]*regexp.Regexp{
		"C++":    regexp.MustCompile(`^"([^"\\?]|\\[0-7]{3})*"$`),
		"Python": regexp.MustCompile(`^"([^"\\]|\\x[0-9a-f]{2}|\\U[0-9a-f]{8})*"$`),
		"CMake":  regexp.MustCompile(`^"([^"\\$@]|\\["\\$@])*"$`),
		"TOML":   regexp.MustCompile(`^"([^"\\]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*"$`),
		"Nix":    regexp.MustCompile(`^"([^"\\$]|\\["\\$])*"$`),
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range languages {
			text, err := l.emit(prose(s))
			if err != nil || bad[l.name].MatchString(text) {
				t.Errorf("%s: %q becomes %q, %v", l.name, s, text, err)
			}
			for _, r := range text {
				if !unicode.IsPrint(r) {
					t.Errorf("%s: %q becomes %q", l.name, s, text)
				}
			}
			if l.quote == nil {
				continue
			}
			if text, err = l.emit(literal(s)); err != nil || !inside[l.name].MatchString(text) || strings.Contains(text, "\n") {
				t.Errorf("%s: %q becomes %s, %v", l.name, s, text, err)
			}
			if text, err = l.emit(s); err == nil && !l.plain.MatchString(text) {
				t.Errorf("%s: %q is written as %q", l.name, s, text)
			}
		}
	})
}
