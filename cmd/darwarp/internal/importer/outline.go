package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"darwarp/eval/module"
	"darwarp/kernels"
)

// outline is what the importer itself reads of a graph: its sizes, and its tensors.
type outline struct {
	Dims []struct {
		Name  string `json:"name"`
		Value int    `json:"value"`
	} `json:"dims"`
	Tensors []tensor `json:"tensors"`
}

type tensor struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Shape []any  `json:"shape"`
}

// Bounds of a graph: it comes from a process that a stranger's file runs in.
const (
	maxDims    = 64
	maxTensors = 256
	maxDepth   = 12
	maxValues  = 1 << 16
	longest    = 256 // bytes of a text in it
)

// parse admits a graph: text that is fit to be shown and stored, figures, and a few levels of them. Names are
// identifiers. Who makes the folder checks the rest.
func parse(data []byte) (*outline, error) {
	if err := admitValues(data); err != nil {
		return nil, err
	}
	o := &outline{}
	if err := json.Unmarshal(data, o); err != nil {
		return nil, err
	}
	if len(o.Dims) > maxDims || len(o.Tensors) > maxTensors {
		return nil, fmt.Errorf("%d dims and %d tensors: expected at most %d and %d", len(o.Dims), len(o.Tensors), maxDims,
			maxTensors)
	}
	taken := map[string]bool{}
	for _, d := range o.Dims {
		if err := admitName(taken, d.Name); err != nil {
			return nil, err
		}
		if d.Value < 1 || d.Value > math.MaxInt32 {
			return nil, fmt.Errorf("dim %s is %d: expected 1 to %d", d.Name, d.Value, math.MaxInt32)
		}
	}
	for _, t := range o.Tensors {
		if err := admitName(taken, t.Name); err != nil {
			return nil, err
		}
		if t.Kind != "input" && t.Kind != "parameter" && t.Kind != "buffer" {
			return nil, fmt.Errorf("tensor %s is %q", t.Name, t.Kind)
		}
	}
	return o, nil
}

func admitName(taken map[string]bool, name string) error {
	if err := kernels.CheckIdentifier(name); err != nil {
		return err
	}
	if len(name) > kernels.MaxName || taken[name] {
		return fmt.Errorf("the name %.40s is too long, or taken twice", name)
	}
	taken[name] = true
	return nil
}

// admitValues walks all values of a JSON object.
func admitValues(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	depth, ended := 0, false
	for n := 0; ; n++ {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) && ended {
			return nil
		}
		if err != nil {
			return err
		}
		if delim, ok := t.(json.Delim); ok {
			if n == 0 && delim != '{' {
				return errors.New("no object")
			}
			depth += nesting(delim)
		}
		if ended || n > maxValues || depth > maxDepth {
			return errors.New("more than one object, or one that is too large")
		}
		if err := admitToken(t); err != nil {
			return err
		}
		ended = depth == 0
	}
}

func nesting(d json.Delim) int {
	if d == '{' || d == '[' {
		return 1
	}
	return -1
}

func admitToken(t json.Token) error {
	switch v := t.(type) {
	case string:
		return kernels.CheckLine(v, longest)
	case json.Number:
		if _, err := v.Float64(); err != nil {
			return fmt.Errorf("%s is out of range", kernels.CleanLine(v.String(), kernels.MaxName))
		}
	}
	return nil
}

// sizes are the dims with their values.
func (o *outline) sizes() map[string]int {
	m := map[string]int{}
	for _, d := range o.Dims {
		m[d.Name] = d.Value
	}
	return m
}

// scaled is the size that a scale is applied to, the length of the first axis of the first input, with its new value: a
// multiple of the powers of two that the old one is a multiple of, up to 64.
func (o *outline) scaled(by float64) (name string, value int, err error) {
	sizes := o.sizes()
	for _, t := range o.Tensors {
		if t.Kind != "input" || len(t.Shape) == 0 {
			continue
		}
		name, _ = t.Shape[0].(string)
		old := sizes[name]
		if old == 0 {
			return "", 0, &module.Refused{Why: fmt.Sprintf("--scale: the first axis of %s is no size of its own", t.Name)}
		}
		step := 1
		for step < 64 && old%(2*step) == 0 && float64(2*step) <= by*float64(old) {
			step *= 2
		}
		return name, max(step, int(by*float64(old))/step*step), nil
	}
	return "", 0, &module.Refused{Why: "--scale: no input has an axis"}
}
