package llm

import (
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"darwarp/kernels"
	"darwarp/kernels/expr"
	"darwarp/kernels/kernelstest"
)

func TestConfigs(t *testing.T) {
	p := shipped(t)
	b := sample(t)
	for _, test := range []struct {
		config, operator string
		has, hasNot      []string
	}{
		{"free", "init", []string{"# Task", "# Hardware", "rule: tile <= 256", "void scale"},
			[]string{"times as fast", "1234 ns", "1.120 times as fast", "registers,", "block 64 -> 128", "dram 50"}},
		{"insight", "init", []string{"void scale", "1.120 times as fast", "block 64 -> 128", "dram 50"},
			[]string{"1234 ns", "registers,"}},
		{"full", "explain", []string{"24 registers", "1.120 times as fast", "of the kernel to change buy", "block 64 -> 128",
			"dram 50"}, nil},
		{"full", "crossover", []string{"1.50 times as fast", "1234 ns", "1.120 times as fast", "24 registers",
			"# Other kernels",
			"struct Vec"}, nil},
	} {
		c, err := FindConfig(test.config)
		if err != nil {
			t.Fatal(err)
		}
		messages, err := p.Messages(test.operator, c.told(b))
		if err != nil {
			t.Fatal(err)
		}
		text := messages[0].Text + messages[1].Text
		for _, s := range test.has {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the prompt has no %q", test.config, s)
			}
		}
		for _, s := range test.hasNot {
			if strings.Contains(text, s) {
				t.Errorf("%s: the prompt has %q", test.config, s)
			}
		}
	}
	b.GenesOnly = true
	messages, err := p.Messages("init", b)
	if err != nil || strings.Contains(messages[0].Text, "## kernel") || !strings.Contains(messages[0].Text, "## genes") {
		t.Errorf("for a recording: %v\n%s", err, messages[0].Text)
	}
	if _, err := FindConfig("all"); err == nil {
		t.Error("an unknown configuration is found")
	}
}

// TestFixedSizes: a model is told where a kernel has to be right.
func TestFixedSizes(t *testing.T) {
	text := strings.Replace(kernelstest.Scale, `dims = ["n"]`, "dims = [\"n\"]\nfixed = [\"n\"]", 1)
	n := kernelstest.Problem(t, text).Workloads[0].Dims["n"]
	for want, fix := range map[string]kernels.Fixed{"right at every size.": nil,
		fmt.Sprintf("right at every size with n == %d.", n): {"n": {n}}} {
		b := sample(t)
		b.Problem = kernelstest.Problem(t, text)
		if err := b.Problem.Fix(fix); err != nil {
			t.Fatal(err)
		}
		if shown, err := shipped(t).render("task", b); err != nil || !strings.Contains(shown, want) {
			t.Errorf("%q is missing, %v:\n%s", want, err, shown)
		}
	}
}

// TestFormat holds the examples that models are shown against the parser.
func TestFormat(t *testing.T) {
	text, err := shipped(t).render("format", sample(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"genes", "edit", "kernel", "template"} {
		at := strings.Index(text, "## "+form+"\n")
		end := strings.Index(text[at:], "\nForm:")
		if end < 0 {
			end = len(text) - at
		}
		r, err := Parse(text[at : at+end])
		if err != nil {
			t.Errorf("form %s: %v", form, err)
			continue
		}
		if form == "template" {
			if _, err := kernels.ParseFamily("f.toml", "f", []byte(r.Family), sample(t).Problem); err != nil {
				t.Errorf("the example's family: %v", err)
			}
		}
	}
}

// TestMapPlan holds the example of a tensor map to its rules, and shows it where the device has such maps alone.
func TestMapPlan(t *testing.T) {
	for _, shape := range []string{`["n"]`, `["2", "n"]`, `["2", "3", "4", "n"]`} {
		p := kernelstest.Problem(t, strings.ReplaceAll(kernelstest.Scale, `shape = ["n"]`, "shape = "+shape))
		b := sample(t)
		b.Problem = p
		text, err := b.MapPlan()
		if err != nil {
			t.Fatal(err)
		}
		spec, err := readPlan(text)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		plan, err := kernels.CompilePlan("plan", *spec, p, expr.Scope{"n": 0, "elem": 0, "device": kernels.Device{}})
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		c, err := plan.Resolve(expr.Env{"n": 64, "elem": 4, "device": b.Device})
		if err != nil || len(c.Launches[0].Maps) != 1 {
			t.Errorf("%+v, %v: %s", c, err, text)
		}
		if shown, err := shipped(t).render("format", b); err != nil || !strings.Contains(shown, text) ||
			!strings.Contains(shown, "wgmma.cuh") {
			t.Errorf("the prompt has no %s: %v", text, err)
		}
		b.Device.CC = 89
		if shown, err := shipped(t).render("format", b); err != nil || strings.Contains(shown, "tensor_map") ||
			strings.Contains(shown, "wgmma") {
			t.Errorf("tensor maps for a device without: %v", err)
		}
	}
}

func TestReadPrompts(t *testing.T) {
	write := func(name, text string) fs.FS { return fstest.MapFS{name: {Data: []byte(text)}} }
	p, err := ReadPrompts(write("mutate.tmpl", "Do it. {{.Base.Label}}"), sample(t))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := p.Messages("mutate", sample(t)); err != nil || m[1].Text != "Do it. plain block=64\n" {
		t.Errorf("%+v, %v", m, err)
	}
	for name, text := range map[string]string{"unknown.tmpl": "x", "init.tmpl": "{{.Nothing}}", "task.tmpl": "{{if}}",
		"system.tmpl": strings.Repeat("x", maxPrompt+1)} {
		if _, err := ReadPrompts(write(name, text), sample(t)); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSuffix(name, ".tmpl")) {
			t.Errorf("%s with %q: %v", name, text, err)
		}
	}
}

// TestGain: what is told of a gene's change is a factor, as everywhere else, and nothing where there is no telling.
func TestGain(t *testing.T) {
	for ratio, want := range map[float64]string{
		1.12: "1.120 times as fast", 0.5: "0.500 times as fast", 1.004: "no difference", 0.996: "no difference",
		0: "it failed", -1: "it failed", math.Inf(1): "it failed",
	} {
		if got := Gain(ratio); got != want {
			t.Errorf("%g: %q, expected %q", ratio, got, want)
		}
	}
	if got := Gain(math.NaN()); got != "it failed" {
		t.Errorf("not a number: %q", got)
	}
}
