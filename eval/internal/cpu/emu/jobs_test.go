package emu

import (
	"fmt"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
	"darwarp/templates/graph"
)

// jobAt is a legal point of a family: the defaults but for some genes.
func jobAt(t testing.TB, b *templates.Bundle, f *kernels.Family, dev kernels.Device, d kernels.DType,
	genes map[string]any) kernels.Job {
	t.Helper()
	g := f.Defaults()
	for name, v := range genes {
		g[name] = kernels.ParseValue(fmt.Sprint(v))
	}
	if err := f.Check(g, dev, d); err != nil {
		t.Fatal(err)
	}
	job, err := b.Job(f, g, dev, d)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// bundleOf is the problem folder that an import makes of a graph.
func bundleOf(t testing.TB, text []byte) *templates.Bundle {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	files, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// buildWith is a job's program with a mistake in it: one text, that is there once, for another. Without a text there is
// no mistake.
func buildWith(t *testing.T, job *kernels.Job, text, mistake string) *program {
	t.Helper()
	if text != "" && strings.Count(job.Source, text) != 1 {
		t.Fatalf("%q is %d times in\n%s", text, strings.Count(job.Source, text), job.Source)
	}
	return build(t, strings.Replace(job.Source, text, mistake, 1), true)
}

// faultIn runs a program on products and gives what is wrong with one of them: a fault, or what judge says of the
// outputs.
func faultIn(t *testing.T, prog *program, job *kernels.Job, products []*product,
	judge func(*product) string) (found string) {
	t.Helper()
	for _, p := range products {
		p.spoil()
		if r := p.run(t, prog, job); r.Kind != "" {
			found = fmt.Sprintf("%d x %d x %d: %+v", p.m, p.n, p.k, r)
		} else if wrong := judge(p); wrong != "" {
			found = wrong
		}
	}
	return found
}
