package checking

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"darwarp/kernels"
	"darwarp/templates"
)

// fake answers each source by a part of it.
type fake struct {
	name    string
	answers map[string]string // what a source contains -> failure
	lacks   string            // what it does not support
	broken  error
	seen    int
}

func (f *fake) Name() string { return f.name }

func (f *fake) Compile(_ context.Context, arch, source string) (string, bool, error) {
	f.seen++
	if !strings.HasPrefix(arch, "sm_") {
		return "", false, errors.New("arch " + arch)
	}
	for part, failure := range f.answers {
		if strings.Contains(source, part) {
			return failure, false, f.broken
		}
	}
	return "no", f.lacks != "" && strings.Contains(source, f.lacks), f.broken
}

func units(t *testing.T) []templates.Unit {
	t.Helper()
	dev, err := kernels.ArchDevice("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	files, err := templates.Scaffold("mine")
	if err != nil {
		t.Fatal(err)
	}
	dir := fstest.MapFS{}
	for name, data := range files {
		dir[name] = &fstest.MapFile{Data: data}
	}
	all := templates.Check(dir, []kernels.Device{dev}).Units
	if len(all) != 2 {
		t.Fatalf("%d units", len(all))
	}
	return all
}

func TestCompile(t *testing.T) {
	all := units(t)
	const ref, fuse = "void reference(", "fuse(const"
	for _, c := range []struct {
		name     string
		compiler fake
		mistakes string
		compiled int
		notes    string
	}{
		{"none", fake{}, "", 0,
			"nothing was compiled: there is no NVRTC and no C++ compiler here (darwarp doctor says more)"},
		{"right", fake{name: "x", answers: map[string]string{ref: "", fuse: ""}}, "", 2, ""},
		{"NVRTC", fake{name: "x", answers: map[string]string{
			ref:  "candidate.cu(9): error: expected a \";\"\n      if\n      ^\ncandidate.cu(9): error: expected a \";\"",
			fuse: "candidate.cu(6): error #20-D: identifier \"n\" is undefined\n\ncandidate.cu(8): error: that"}},
			"reference.cu:7: expected a \";\"|fuse.cu.tmpl:7: identifier \"n\" is undefined|fuse.cu.tmpl:9: that", 0, ""},
		{"g++", fake{name: "x", answers: map[string]string{ref: "",
			fuse: "candidate.cu: In function 'void f()':\ncandidate.cu:6:3: error: expected ';'\n   5 | x\n" +
				"candidate.cu:5:3: note: so"}},
			"fuse.cu.tmpl:7: expected ';'", 1, ""},
		{"no place", fake{name: "x", answers: map[string]string{ref: "", fuse: "too much shared memory\nmore"}},
			"fuse.cu.tmpl: too much shared memory", 1, ""},
		{"not supported", fake{name: "x", lacks: fuse, answers: map[string]string{ref: ""}}, "", 1,
			"fuse.cu.tmpl was not compiled: x cannot: no"},
		{"broken", fake{name: "x", broken: errors.New("NVRTC is ill\nvery")}, "", 0, "not compiled: NVRTC is ill"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Compile(context.Background(), &c.compiler, all)
			got := strings.ReplaceAll(r.Mistakes.Error(), "\n", "|")
			if got != c.mistakes || r.Compiled != c.compiled || strings.Join(r.Notes, "|") != c.notes {
				t.Errorf("mistakes %s\nwant     %s\ncompiled %d, notes %q", got, c.mistakes, r.Compiled, r.Notes)
			}
			if c.compiler.broken != nil && c.compiler.seen != 1 {
				t.Errorf("a broken compiler was asked %d times", c.compiler.seen)
			}
		})
	}
}
