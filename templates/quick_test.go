package templates

import (
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels"
)

// plainly is a bundle whose templates have no quick form.
func plainly(b *Bundle) *Bundle {
	p := *b
	p.quick = nil
	return &p
}

// TestQuickSources: the quick forms of the built-in templates give what text/template does, for any values of genes.
func TestQuickSources(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	forms, all := 0, 0
	for _, name := range Builtins() {
		b, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range b.Families {
			if all++; b.quick[f.Name] != nil {
				forms++
			}
			for range 8 {
				g := kernels.Genome{}
				for i := range f.Genes {
					values := f.Genes[i].All()
					g[f.Genes[i].Name] = values[rng.IntN(len(values))]
				}
				sameBothWays(t, b, f, g)
			}
		}
	}
	if forms < all/2 { // attention's call templates with other data
		t.Errorf("%d of %d families have a quick form", forms, all)
	}
}

// sameBothWays renders with quick forms and without.
func sameBothWays(t *testing.T, b *Bundle, f *kernels.Family, g kernels.Genome) {
	t.Helper()
	dtype := b.Problem.DTypes[0]
	env, err := f.Env(g, devices(t)[1], dtype)
	if err != nil { // a let divides by zero, as where nothing is legal
		return
	}
	got, failed := b.Render(f, env, dtype)
	want, err := plainly(b).Render(f, env, dtype)
	if got != want || (err == nil) != (failed == nil) || err != nil && err.Error() != failed.Error() {
		t.Fatalf("%s, %s: %v\n%s\nexpected %v\n%s", f.Name, g.Key(), failed, got, err, want)
	}
}

// fragments are what templates may be made of. threads is 256, vector 1, tile 256; nosuch is none.
var fragments = []string{
	"text", "\n", "{{.threads}}", "{{.T}}", "{{.nosuch}}", "{{.}}", `{{"word"}}`, "{{7}}", "{{true}}", "{{1.5}}",
	"{{'a'}}", "{{0x10}}", "{{if .threads}}yes{{else}}no{{end}}", "{{if .finish}}yes{{else}}no{{end}}",
	"{{if .nosuch}}yes{{end}}", "{{if nil}}x{{end}}",
	"{{if eq .threads 256}}yes{{else if eq .threads 128}}half{{else}}no{{end}}",
	`{{if eq .threads "256"}}yes{{end}}`, "{{if eq .threads 1 2 256}}yes{{else}}no{{end}}",
	`{{if eq .threads 256 "256"}}yes{{end}}`, "{{if eq .threads 1.0}}x{{end}}",
	`{{if eq .dtype "fp16"}}half{{end}}`, `{{if ne .dtype "bf16"}}other{{end}}`,
	"{{if ne .threads .tile}}x{{else}}y{{end}}", "{{if lt .vector 2}}a{{end}}", "{{if le .vector 1}}b{{end}}",
	"{{if gt .vector 1}}c{{else}}d{{end}}", "{{if ge .vector 1}}e{{end}}", "{{if lt true false}}x{{end}}",
	`{{if lt .dtype "g"}}f{{end}}`, "{{if eq true false}}x{{else}}z{{end}}", "{{if eq true true}}w{{end}}",
	"{{if and .vector (eq .threads 256)}}g{{end}}", "{{if or (gt .vector 1) (eq .dtype .nosuch)}}x{{end}}",
	"{{not .finish}}", "{{if or (eq .vector 1) (eq .dtype .nosuch)}}h{{end}}", "{{and .vector .threads}}",
	"{{or .finish .dtype}}", "{{and .finish 3}}", "{{not 0}}", "{{upper .dtype}}", "{{upper .threads}}",
	`{{not ""}}`, "{{eq 1}}", "{{ne 1 2 3}}", "{{lt .launched 1}}", "{{eq .finish .finish}}", "{{.launched}}",
	`{{define "part"}}[{{.vector}}]{{end}}{{template "part" .}}`, `{{template "fuse" .}}`,
	`{{define "l"}}{{len .}}{{end}}{{template "l" .}}`, "{{range 3}}{{.}}{{end}}", "{{with .threads}}{{.}}{{end}}",
	"{{$x := 3}}{{$x}}", "{{$.threads}}", "{{mul .threads 2}}", "{{.threads | printf \"%d\"}}",
	"{{if $x := .vector}}{{$x}}{{end}}", "{{.T.U}}", "{{break}}", "{{- /* a comment */ -}}",
}

// TestQuick: whatever a template is made of, alone and beside others, its quick form gives text and mistakes of
// text/template.
func TestQuick(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	forms, mistakes := 0, 0
	for i := range 3 * len(fragments) {
		text := fragments[i%len(fragments)]
		if i >= len(fragments) {
			text += " " + fragments[rng.IntN(len(fragments))] + fragments[rng.IntN(len(fragments))]
		}
		b, err := FromFiles(changed(t, "fuse.cu.tmpl", "", text))
		if err != nil { // it does not parse
			continue
		}
		f := b.Families[0]
		if b.quick[f.Name] != nil {
			forms++
		}
		if _, err := b.Job(f, f.Defaults(), devices(t)[1], b.Problem.DTypes[0]); err != nil {
			mistakes++
		}
		sameBothWays(t, b, f, f.Defaults())
	}
	if forms < 30 || mistakes < 10 {
		t.Errorf("%d quick forms, %d mistakes: too few to tell", forms, mistakes)
	}
}

// TestQuickIsUsed: what has a quick form is rendered by it.
func TestQuickIsUsed(t *testing.T) {
	b, err := FromFiles(changed(t, "fuse.cu.tmpl", "", "{{.threads}}"))
	if err != nil {
		t.Fatal(err)
	}
	b.quick["fuse"] = func(s *sheet) bool { return s.print("quick") }
	job, err := b.Job(b.Families[0], b.Families[0].Defaults(), devices(t)[0], kernels.FP16)
	if err != nil || strings.TrimSpace(job.Source) != "quick" {
		t.Errorf("%q, %v", job.Source, err)
	}
}
