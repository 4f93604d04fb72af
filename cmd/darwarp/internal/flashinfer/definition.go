// Package flashinfer makes problem folders of definitions of FlashInfer-Bench: of matrix products and RMS norms, which
// become the built-in problems with the definition's types and sizes.
package flashinfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// definition is a file of definitions/OP_TYPE.
type definition struct {
	Name      string          `json:"name"`
	OpType    string          `json:"op_type"`
	Axes      map[string]axis `json:"axes"`
	Inputs    tensors         `json:"inputs"`
	Outputs   tensors         `json:"outputs"`
	Reference string          `json:"reference"`
}

type axis struct {
	Type  string `json:"type"` // const or var
	Value int    `json:"value"`
}

// tensor is an input or output, in the order of the file: kernels are called by it.
type tensor struct {
	Name  string   `json:"-"`
	Shape []string `json:"shape"`
	DType string   `json:"dtype"`
}

type tensors []tensor

// UnmarshalJSON reads an object and keeps its order.
func (ts *tensors) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("tensors: expected an object by name")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		t := tensor{Name: fmt.Sprint(name)}
		if err := d.Decode(&t); err != nil {
			return fmt.Errorf("tensor %s: %w", t.Name, err)
		}
		*ts = append(*ts, t)
	}
	return nil
}

// dtypes are the element types that have a name here.
var dtypes = map[string]kernels.DType{"float16": kernels.FP16, "bfloat16": kernels.BF16, "float32": kernels.FP32}

func parse(data []byte) (d definition, err error) {
	if err := report.UnmarshalJSON(data, &d); err != nil {
		return d, fmt.Errorf("it is no definition: %w", err)
	}
	if kernels.CheckLabel(d.Name) != nil {
		return d, fmt.Errorf("its name %q is not one of a problem: expected letters, digits, '-', '_' and '.'", d.Name)
	}
	for name, a := range d.Axes {
		if a.Type != "var" && (a.Type != "const" || a.Value < 1) {
			return d, fmt.Errorf("axis %s: expected type var, or const with a value of at least 1", name)
		}
	}
	for _, t := range slices.Concat(d.Inputs, d.Outputs) {
		for _, a := range t.Shape {
			if _, ok := d.Axes[a]; !ok {
				return d, fmt.Errorf("tensor %s: there is no axis %q", t.Name, a)
			}
		}
	}
	return d, nil
}

// dtype is the one type of all tensors.
func (d definition) dtype(allowed []kernels.DType) (kernels.DType, error) {
	all := slices.Concat(d.Inputs, d.Outputs)
	got := dtypes[all[0].DType]
	for _, t := range all {
		if dtypes[t.DType] != got || !slices.Contains(allowed, got) {
			return "", fmt.Errorf("%s has the type %s: expected one type for all tensors, of %v", t.Name, t.DType, allowed)
		}
	}
	return got, nil
}

// dims matches the shapes of inputs and outputs, in order, with those of a problem, and names the axis of each dim.
func (d definition) dims(p *kernels.Problem) (axes map[string]string, err error) {
	var in, out [][]string
	for _, t := range p.Tensors {
		if t.Role == "out" {
			out = append(out, t.Shape)
		} else {
			in = append(in, t.Shape)
		}
	}
	axes = map[string]string{}
	for _, side := range []struct {
		name string
		got  tensors
		want [][]string
	}{{"inputs", d.Inputs, in}, {"outputs", d.Outputs, out}} {
		if !sameShapes(side.got, side.want, axes) {
			return nil, fmt.Errorf("its %s are not those of %s: expected %s", side.name, p.Name, shapesText(side.want))
		}
	}
	return axes, nil
}

func sameShapes(got tensors, want [][]string, axes map[string]string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, t := range got {
		if len(t.Shape) != len(want[i]) {
			return false
		}
		for j, dim := range want[i] {
			if axes[dim] == "" {
				axes[dim] = t.Shape[j]
			}
			if axes[dim] != t.Shape[j] {
				return false
			}
		}
	}
	return true
}

func shapesText(shapes [][]string) string {
	var all []string
	for _, s := range shapes {
		all = append(all, "["+strings.Join(s, ", ")+"]")
	}
	return strings.Join(all, " and ")
}
