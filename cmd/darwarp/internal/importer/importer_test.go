package importer

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/eval/module"
	"darwarp/kernels"
)

// byHand is a folder of relu, with something in place of something else in its files.
func byHand(old, text string) Convert {
	return func([]byte) (map[string][]byte, error) {
		all := map[string][]byte{}
		paths, err := filepath.Glob("testdata/folder/*")
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			all[filepath.Base(path)] = []byte(strings.ReplaceAll(string(data), old, text))
		}
		return all, err
	}
}

func request(t *testing.T, name string, convert Convert) Request {
	t.Helper()
	d, err := kernels.ArchDevice("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	return Request{Question: question(t, name), Dir: filepath.Join(t.TempDir(), name), Scale: 1, Convert: convert,
		Sandbox: eval.SandboxBest, Devices: []kernels.Device{d}, Say: func(string) {}}
}

// TestRun: a folder is written if its reference kernel is the module, and nothing is where it is not.
func TestRun(t *testing.T) {
	r := withTorch(t)
	for _, tt := range []struct{ name, module, old, text, want string }{
		{name: "the same", module: "relu"},
		{name: "swallows NaN", module: "relu", old: "v > 0 ? v : v < 0 ? 0 : v", text: "v > 0 ? v : 0",
			want: "is not the module"},
		{name: "another module", module: "softmax", want: "is not the module"},
		{name: "more inputs", module: "mse", want: "1 inputs, the graph has 2 and 2"},
		{name: "mistakes", module: "relu", old: "[reference]", text: "[references]", want: "mistakes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(t, tt.module, byHand(tt.old, tt.text))
			made, err := run(context.Background(), r, req)
			var environment *env.Error
			if errors.As(err, &environment) {
				t.Skipf("SKIPPED: %v", err)
			}
			left, _ := os.ReadDir(filepath.Dir(req.Dir))
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, expected %q", err, tt.want)
				}
				if len(left) != 0 {
					t.Errorf("%d files are left", len(left))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if made.Cases < 10 || len(left) != 1 || len(made.Files) != 6 {
				t.Errorf("%d cases, %d folders, files %v", made.Cases, len(left), made.Files)
			}
			for _, name := range made.Files {
				if _, err := os.Stat(filepath.Join(req.Dir, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestScaled: a part is searched, the whole is a workload, and the truth is that of the part's sizes.
func TestScaled(t *testing.T) {
	r := withTorch(t)
	req := request(t, "relu", byHand("", ""))
	req.Scale = 0.3
	made, err := run(context.Background(), r, req)
	var environment *env.Error
	if errors.As(err, &environment) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(req.Dir, problemFile))
	if err != nil {
		t.Fatal(err)
	}
	if want := "name = \"whole\"\ndims = { batch_size = 32, dim = 96 }\n"; !strings.HasSuffix(string(text), want) {
		t.Errorf("problem.toml ends otherwise than in %s", want)
	}
	if made.Whole != "whole" {
		t.Errorf("the whole is %q", made.Whole)
	}
	if note := strings.Join(made.Notes, "\n"); note != "searched at batch_size = 8; the workload whole has 32" {
		t.Errorf("note %q", note)
	}
}

func TestScaledSize(t *testing.T) {
	for _, tt := range []struct {
		size  int
		by    float64
		want  int
		shape string
	}{
		{size: 4096, by: 0.1, want: 384, shape: `["n", 3]`},
		{size: 100, by: 0.1, want: 8, shape: `["n"]`},
		{size: 7, by: 0.5, want: 3, shape: `["n"]`},
		{size: 3, by: 0.1, want: 1, shape: `["n"]`},
		{size: 64, by: 0.5, shape: `["n * 2"]`},
		{size: 64, by: 0.5, shape: `[]`},
	} {
		o, err := parse([]byte(`{"dims": [{"name": "n", "value": ` + strconv.Itoa(tt.size) + `}], "tensors": [` +
			`{"name": "w", "kind": "parameter", "shape": ["n"]}, {"name": "x", "kind": "input", "shape": ` + tt.shape + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := o.scaled(tt.by)
		if got != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("%d by %g with %s: %d, %v, expected %d", tt.size, tt.by, tt.shape, got, err, tt.want)
		}
	}
}

// TestParse: what a hostile process may send in place of a graph.
func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"dims": [], "tensors": []}`, ""},
		{`[]`, "no object"},
		{`{} {}`, "more than one"},
		{`{`, "EOF"},
		{`{"a": "\u001b[2J"}`, "printable"},
		{`{"\u202e": 1}`, "printable"},
		{`{"a": "` + strings.Repeat("a", 300) + `"}`, "at most 256 bytes"},
		{`{"a": 1e999}`, "out of range"},
		{`{"a": ` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`, "too large"},
		{`{"a": [` + strings.Repeat("0,", 1<<17) + `0]}`, "too large"},
		{`{"dims": [{"name": "a b", "value": 1}]}`, "a b"},
		{`{"dims": [{"name": "a", "value": 0}]}`, "expected 1"},
		{`{"dims": [{"name": "a", "value": 1}, {"name": "a", "value": 2}]}`, "twice"},
		{`{"dims": [{"name": "a", "value": 1}], "tensors": [{"name": "a", "kind": "input"}]}`, "twice"},
		{`{"tensors": [{"name": "a", "kind": "../b"}]}`, "tensor a"},
		{`{"tensors": [{"name": "a\"; system(\"x", "kind": "input"}]}`, "system"},
	} {
		_, err := parse([]byte(tt.text))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80s: got %v, expected %q", tt.text, err, tt.want)
		}
	}
}

// FuzzParse: what is admitted has names that are identifiers, and nothing that acts on a terminal.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"dims": [{"name": "a", "value": 1}], "tensors": [{"name": "x", "kind": "input", "shape": ["a", 3]}]}`))
	f.Add([]byte(`{"a": "\u001b", "b": [1e999, {"c": null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := parse(data)
		if err != nil {
			return
		}
		for _, d := range o.Dims {
			if kernels.CheckIdentifier(d.Name) != nil || d.Value < 1 {
				t.Errorf("dim %q = %d", d.Name, d.Value)
			}
		}
		for _, x := range o.Tensors {
			if kernels.CheckIdentifier(x.Name) != nil {
				t.Errorf("tensor %q", x.Name)
			}
		}
		if _, value, err := o.scaled(0.1); err == nil && value < 1 {
			t.Errorf("scaled to %d", value)
		}
	})
}

// TestCompare: an element that differs, is missing, or is not a number where the truth has one, is found.
func TestCompare(t *testing.T) {
	inf, nan := 1/zero, zero/zero
	for _, tt := range []struct {
		name      string
		got, want []float64
		scale     float32
		ok        bool
	}{
		{"equal", []float64{1, 0}, []float64{1, 0}, 1, true},
		{"rounded", []float64{1 + 1e-8}, []float64{1}, 0, true},
		{"cancelled", []float64{1e-9}, []float64{0}, 1, true},
		{"not that far", []float64{1e-6}, []float64{0}, 1, false},
		{"too small to have all its bits", []float64{4e-323}, []float64{0}, 0, true},
		{"small, with all its bits", []float64{1e-300}, []float64{0}, 0, false},
		{"off by one in a million", []float64{1 + 1e-6}, []float64{1}, 1, false},
		{"fewer", []float64{1}, []float64{1, 1}, 1, false},
		{"NaN in both", []float64{nan}, []float64{nan}, 1, true},
		{"NaN in the module", []float64{nan}, []float64{1}, 1, false},
		{"NaN in the kernel", []float64{1}, []float64{nan}, 1, false},
		{"inf in both", []float64{inf}, []float64{inf}, 1, true},
		{"inf and a scale that is inf", []float64{inf}, []float64{1}, float32(inf), false},
		{"too large for a float", []float64{1e39}, []float64{inf}, 1, true},
		{"just too large for a float", []float64{-3.41e38}, []float64{-math.MaxFloat32}, 1, true},
		{"too large in the module alone", []float64{1e39}, []float64{1}, 1, false},
		{"infinities of two signs", []float64{-inf}, []float64{inf}, 1, false},
	} {
		scales := make([]float32, len(tt.want))
		for i := range scales {
			scales[i] = tt.scale
		}
		truth := &eval.Truth{Name: tt.name, Values: [][]float64{tt.want}, Scales: [][]float32{scales}}
		if err := compare(truth, [][]float64{tt.got}); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	var refused *module.Refused
	if err := compare(&eval.Truth{}, [][]float64{{1}}); err == nil || errors.As(err, &refused) {
		t.Errorf("an output too many: %v", err)
	}
}

var zero float64
