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
	"darwarp/kernels"
	"darwarp/templates"
	"darwarp/templates/graph"
)

// TestTruths: what the reference kernel is held against has the inputs that the kernel read, for each class and size,
// NaN and infinities with them. As in torch, the logarithm of a sum of exponentials is inf where a number is, and NaN
// where one is. The numbers are 1 / x: where all x are zeros they are infinities.
func TestTruths(t *testing.T) {
	data, err := os.ReadFile("testdata/logsumexp.json")
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := g.Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(folder)
	if err != nil {
		t.Fatal(err)
	}
	var seen seenRows
	d := b.Problem.DTypes[0]
	cfg := eval.Config{Problem: b.Problem, Reference: b.ReferenceSource(d), Headers: templates.Include(), DType: d,
		Trust: eval.Trust{Sandbox: eval.SandboxBest, Foreign: true}}
	err = eval.Truths(context.Background(), cfg, func(truth eval.Truth) error {
		seen.check(t, &truth)
		return nil
	})
	var environment *env.Error
	if errors.As(err, &environment) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if seen.cases < 10 || seen.rows < 100 || seen.infinite < 2 || seen.nan < 1 {
		t.Errorf("%+v", seen)
	}
}

// seenRows counts rows that were compared, and those that are inf or NaN.
type seenRows struct{ cases, rows, infinite, nan int }

func (s *seenRows) check(t *testing.T, truth *eval.Truth) {
	t.Helper()
	s.cases++
	x, rows := truth.Inputs[0], truth.Values[0]
	if len(truth.Values) != 1 || len(truth.Inputs[1]) != 0 {
		t.Fatalf("%s: %d outputs, %d bytes of input for one", truth.Name, len(truth.Values), len(truth.Inputs[1]))
	}
	for i, got := range rows {
		want := held(logSum(x[i*len(x)/len(rows) : (i+1)*len(x)/len(rows)]))
		s.rows++
		if math.IsInf(want, 0) {
			s.infinite++
		}
		if math.IsNaN(want) {
			s.nan++
		}
		if !agree(got, want, float64(truth.Scales[0][i])) {
			t.Errorf("%s: row %d is %g, expected %g", truth.Name, i, got, want)
		}
	}
}

// logSum is the logarithm of the sum of the exponentials of 1 / x.
func logSum(x []byte) float64 {
	top, sum := -math.MaxFloat64, 0.0
	number := func(i int) float64 { return 1 / float64(math.Float32frombits(binary.LittleEndian.Uint32(x[i:]))) }
	for i := 0; i < len(x); i += 4 {
		if v := number(i); v > top && !math.IsInf(v, 0) {
			top = v
		}
	}
	for i := 0; i < len(x); i += 4 {
		sum += math.Exp(number(i) - top)
	}
	return top + math.Log(sum)
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

// TestOpenPlaces: where the reference leaves a place open, the module may give any; of numbers it may not.
func TestOpenPlaces(t *testing.T) {
	truth := &eval.Truth{Name: "case", Values: [][]float64{{math.NaN(), 3}}, Scales: [][]float32{{0, 3}},
		Buffers: []kernels.Buffer{{Name: "x"}, {Name: "y", DType: kernels.I32, Out: true}}}
	if err := compare(truth, [][]float64{{7, 3}}); err != nil {
		t.Error(err)
	}
	if compare(truth, [][]float64{{7, 4}}) == nil {
		t.Error("another place is taken")
	}
	if truth.Buffers[1].DType = kernels.FP32; compare(truth, [][]float64{{7, 3}}) == nil {
		t.Error("a number is taken for NaN")
	}
}
