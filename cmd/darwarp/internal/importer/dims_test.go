package importer

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"darwarp/templates/graph"
)

// TestPrecision: parameters and inputs have the precision that is asked for, and classes stay whole numbers.
func TestPrecision(t *testing.T) {
	r := withTorch(t)
	for _, tt := range []struct {
		module, precision string
		line              string   // of the file, before all others
		want              []string // of tensors
		tf32              bool
	}{
		{"relu_norm", "", "", []string{"fp32", "fp32", "fp32"}, false},
		{"relu_norm", "bf16", "", []string{"bf16", "bf16", "bf16"}, false},
		{"cross_entropy", "fp16", "", []string{"fp16", "int64"}, false},
		{"linear_relu", "tf32", "", []string{"fp32", "fp32", "fp32"}, true},
		{"linear_relu", "", "import torch; torch.backends.cuda.matmul.allow_tf32 = True\n",
			[]string{"fp32", "fp32", "fp32"}, true},
		{"linear_relu", "fp32", "import torch; torch.set_float32_matmul_precision('high')\n",
			[]string{"fp32", "fp32", "fp32"}, false},
		{"linear_relu", "", "", []string{"fp32", "fp32", "fp32"}, false},
	} {
		q := question(t, tt.module)
		q.Precision, q.Source = tt.precision, tt.line+q.Source
		read, err := readOnce(context.Background(), r, q)
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.Parse(read.Graph)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tensor := range g.Tensors {
			got = append(got, string(tensor.DType))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s in %s: %v, expected %v", tt.module, tt.precision, got, tt.want)
		}
		if g.TF32 != tt.tf32 {
			t.Errorf("%s in %s %s: tf32 is %v", tt.module, tt.precision, tt.line, g.TF32)
		}
	}
}

// TestAsked: what a user says beside the file: sizes, evaluation, a class.
func TestAsked(t *testing.T) {
	r := withTorch(t)
	for _, tt := range []struct {
		module, class string
		dims, want    map[string]int
		eval          bool
		refused       string
	}{
		{module: "relu", dims: map[string]int{"dim": 7}, want: map[string]int{"batch_size": 32, "dim": 7}},
		{module: "literal_sizes", dims: map[string]int{"d1": 9}, want: map[string]int{"d0": 24, "d1": 9}},
		{module: "relu", dims: map[string]int{"width": 7}, refused: "no size width: it has batch_size, dim"},
		{module: "groupnorm", dims: map[string]int{"features": 33}, refused: "it cannot be exported"},
		{module: "groupnorm", dims: map[string]int{"num_groups": 4, "side": 3},
			want: map[string]int{"batch_size": 4, "features": 32, "side": 3}},
		{module: "sum_axis", dims: map[string]int{"reduce_dim": 2},
			want: map[string]int{"batch_size": 8, "dim1": 40, "dim2": 33}},
		{module: "relu", dims: map[string]int{"batch_size": 1 << 31}, refused: "at most"},
		{module: "relu", dims: map[string]int{"batch_size": 1<<31 - 1, "dim": 1<<31 - 1}, refused: "overflowed"},
		{module: "relu", dims: map[string]int{"batch_size": 1<<31 - 1, "dim": 1 << 20},
			want: map[string]int{"batch_size": 1<<31 - 1, "dim": 1 << 20}},
		{module: "refused_dropout", eval: true, want: map[string]int{"batch_size": 16, "features": 24}},
		{module: "refused_two_classes", class: "Second", want: map[string]int{"d0": 4}},
		{module: "refused_two_classes", class: "Third", refused: "no module Third: choose one of First, Second"},
	} {
		q := question(t, tt.module)
		q.Dims, q.Eval, q.Class = tt.dims, tt.eval, tt.class
		read, err := readOnce(context.Background(), r, q)
		if tt.refused != "" {
			if err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s with %v: got %v, expected %q", tt.module, tt.dims, err, tt.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s with %v: %v", tt.module, tt.dims, err)
		} else if got := read.sizes(); !maps.Equal(got, tt.want) {
			t.Errorf("%s with %v: sizes %v, expected %v", tt.module, tt.dims, got, tt.want)
		}
	}
}
