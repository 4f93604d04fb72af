package templates

import (
	"maps"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/source"
)

// TestDeviceCode: the built-in problems are of device code alone.
func TestDeviceCode(t *testing.T) {
	checked := map[string]bool{} // many points have one source, on all devices
	for _, name := range Builtins() {
		b, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, dtype := range b.Problem.DTypes {
			if why := source.Check(b.ReferenceSource(dtype)); why != "" {
				t.Errorf("%s: the reference: %s", name, why)
			}
			for _, arch := range []string{"sm_80", "sm_90a"} {
				for _, f := range b.Families {
					deviceCode(t, b, f, arch, dtype, checked)
				}
			}
		}
	}
}

// deviceCode renders the default point, and those that differ from it in one gene, and checks sources that are new.
func deviceCode(t *testing.T, b *Bundle, f *kernels.Family, arch string, dtype kernels.DType, checked map[string]bool) {
	t.Helper()
	dev, err := kernels.ArchDevice(arch)
	if err != nil {
		t.Fatal(err)
	}
	points := []kernels.Genome{f.Defaults()}
	for i := range f.Genes {
		for _, v := range f.Genes[i].All() {
			g := maps.Clone(f.Defaults())
			g[f.Genes[i].Name] = v
			points = append(points, g)
		}
	}
	for _, g := range points {
		if !f.Runs(dev) || f.Check(g, dev, dtype) != nil {
			continue
		}
		job, err := b.Job(f, g, dev, dtype)
		if err != nil {
			t.Fatal(err)
		}
		if checked[job.Source] {
			continue
		}
		checked[job.Source] = true
		if why := source.Check(job.Source); why != "" {
			t.Fatalf("%s, %s, %s: %s\n%s", b.Problem.Name, f.Name, arch, why, job.Source)
		}
	}
}
