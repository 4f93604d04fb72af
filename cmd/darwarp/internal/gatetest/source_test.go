package gatetest

import (
	"maps"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/source"
)

// TestSources: every kernel of the test is device code alone, so that the gate judges it and not the reading before.
func TestSources(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Problems() {
		b, err := Bundle(name)
		if err != nil {
			t.Fatal(err)
		}
		dtype := b.Problem.DTypes[0]
		if why := source.Check(b.ReferenceSource(dtype)); why != "" {
			t.Errorf("%s: the reference: %s", name, why)
		}
		for _, f := range b.Families {
			for i := range f.Genes {
				for _, v := range f.Genes[i].All() {
					g := maps.Clone(f.Defaults())
					g[f.Genes[i].Name] = v
					if job, err := b.Job(f, g, dev, dtype); err == nil && source.Check(job.Source) != "" {
						t.Errorf("%s: %s: %s", name, g.Key(), source.Check(job.Source))
					}
				}
			}
		}
	}
}
