package importer

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/templates"
	"darwarp/templates/graph"
)

// TestTruths: what the reference kernel is held against has the inputs that the kernel read: for each class and size,
// relu of them, NaN and infinities with it.
func TestTruths(t *testing.T) {
	b, err := templates.Load(os.DirFS("testdata/folder"))
	if err != nil {
		t.Fatal(err)
	}
	d := b.Problem.DTypes[0]
	classes, special, elements := 0, 0, 0
	err = eval.Truths(context.Background(), eval.Config{Problem: b.Problem, Reference: b.ReferenceSource(d),
		Headers: templates.Include(), DType: d, Sandbox: eval.SandboxBest, Foreign: true}, func(truth eval.Truth) error {
		classes++
		x := truth.Inputs[0]
		if len(truth.Values) != 1 || len(x) != 4*len(truth.Values[0]) || len(truth.Inputs[1]) != 0 {
			t.Fatalf("%s: %d outputs, %d bytes of input", truth.Name, len(truth.Values), len(x))
		}
		for i, got := range truth.Values[0] {
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(x[4*i:])))
			if math.IsNaN(v) || math.IsInf(v, 0) {
				special++
			}
			if want := max(v, 0); !agree(got, want, 0) {
				t.Errorf("%s: number %d is %g, expected %g", truth.Name, i, got, want)
			}
			elements++
		}
		return nil
	})
	var environment *env.Error
	if errors.As(err, &environment) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if classes < 10 || special < 2 || elements < 10*17*65 {
		t.Errorf("%d cases with %d elements, %d of them no finite numbers", classes, elements, special)
	}
}

// TestGoldenGraphs: what torch exported once is admitted here, and read by who makes the folders.
func TestGoldenGraphs(t *testing.T) {
	all, err := filepath.Glob("testdata/*.json")
	if err != nil || len(all) < 30 {
		t.Fatalf("%d graphs: %v", len(all), err)
	}
	for _, path := range all {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o, err := parse(data)
		if err != nil || len(o.Dims) == 0 || len(o.Tensors) == 0 {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := graph.Parse(data); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
