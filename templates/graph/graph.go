// Package graph turns a graph of PyTorch operators into a problem folder: problem.toml, a plain reference.cu with value
// and scale, and families that are written once as templates (families/) and filled in with the graph's expressions.
// docs/manual/generic.md says what is taken.
package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"darwarp/kernels"
)

// Graph is a module of PyTorch as a list of operators, in the order of execution.
type Graph struct {
	Format   int    `json:"format"` // 1
	Name     string `json:"name"`
	Torch    string `json:"torch"`    // version that wrote it
	Training bool   `json:"training"` // the module was not in eval mode
	// Products of fp32 tensors may round their operands to tf32, as torch.backends.cuda.matmul.allow_tf32 says
	TF32    bool     `json:"tf32,omitempty"`
	Dims    []Dim    `json:"dims"`
	Tensors []Tensor `json:"tensors"`
	Nodes   []Node   `json:"nodes"`
	Outputs []string `json:"outputs"`
	// Arguments of the module that are no tensors, with their values, which are those of the nodes
	Numbers []kernels.Constant `json:"numbers,omitempty"`

	sizes  map[string]int
	staged bool // it is a stage of another one
}

// Dim is a named size with the value that is scored.
type Dim struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

// Tensor is an argument of the module, or one of its parameters or buffers.
type Tensor struct {
	Name         string   `json:"name"`
	Kind         string   `json:"kind"` // input, parameter or buffer
	DType        string   `json:"dtype"`
	Shape        []Extent `json:"shape"`
	Strides      []Extent `json:"strides,omitempty"` // where it is not contiguous
	Distribution string   `json:"distribution,omitempty"`
	Range        []Extent `json:"range,omitempty"` // of whole numbers: the least and the greatest, where they are known
}

// Node is one operator: its name is that of ATen without the prefix.
type Node struct {
	Name   string         `json:"name"`
	Op     string         `json:"op"`
	Args   []Arg          `json:"args"`
	Kwargs map[string]Arg `json:"kwargs,omitempty"`
	DType  string         `json:"dtype"`
	Shape  []Extent       `json:"shape"`
}

// Arg is exactly one of a reference, a plain value, an expression of dims, and a list.
type Arg struct {
	Ref   string
	Dim   string
	Value any // float64, bool, string or nil
	List  []Arg
	kind  byte // r, d, v, l
}

// Extent is the length of an axis: a dim's name, an expression of dims, or a number as text.
type Extent string

// UnmarshalJSON takes a string or an integer.
func (e *Extent) UnmarshalJSON(data []byte) error {
	var n int
	if err := json.Unmarshal(data, &n); err == nil {
		*e = Extent(fmt.Sprint(n))
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return errors.New("a length is a dim, an expression of dims, or an integer")
	}
	*e = Extent(s)
	return nil
}

// UnmarshalJSON takes an object with one of ref, value, dim and list.
func (a *Arg) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || len(fields) != 1 {
		return errors.New("an argument is an object with one of ref, value, dim and list")
	}
	for key, v := range fields {
		switch key {
		case "ref":
			a.kind = 'r'
			return json.Unmarshal(v, &a.Ref)
		case "dim":
			a.kind = 'd'
			var e Extent
			err := json.Unmarshal(v, &e)
			a.Dim = string(e)
			return err
		case "value":
			a.kind = 'v'
			return a.plain(v)
		case "list":
			a.kind = 'l'
			return json.Unmarshal(v, &a.List)
		}
	}
	return errors.New("an argument is an object with one of ref, value, dim and list")
}

// plain reads a number, a bool, a string or null; infinities come as strings.
func (a *Arg) plain(data []byte) error {
	if err := json.Unmarshal(data, &a.Value); err != nil {
		return err
	}
	switch v := a.Value.(type) {
	case map[string]any, []any:
		return errors.New("a value is a number, a bool, a string or null")
	case string:
		switch v {
		case "inf", "Infinity":
			a.Value = math.Inf(1)
		case "-inf", "-Infinity":
			a.Value = math.Inf(-1)
		}
	}
	return nil
}

// Bounds of what is read: a graph is a module's, not a network's.
const (
	maxBytes = 4 << 20
	maxNodes = 2000
	maxRank  = 8
)

// Parse reads a graph and checks its names: the error, in one line, names what is wrong.
func Parse(data []byte) (*Graph, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("graph: %d bytes: expected at most %d", len(data), maxBytes)
	}
	g := &Graph{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(g); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("graph: more than one JSON object")
	}
	if g.Format != 1 {
		return nil, fmt.Errorf("graph: format %d: expected 1", g.Format)
	}
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return g, nil
}

func (g *Graph) check() error {
	if err := kernels.CheckLabel(g.Name); err != nil || len(g.Name) > kernels.MaxName {
		return fmt.Errorf("%q is not a name for a problem", cut(g.Name))
	}
	if len(g.Nodes) > maxNodes || len(g.Tensors) > maxNodes || len(g.Dims) > 64 {
		return fmt.Errorf("too large: expected at most %d nodes and tensors, and 64 dims", maxNodes)
	}
	g.sizes = map[string]int{}
	taken := map[string]bool{}
	for _, d := range g.Dims {
		if err := fresh(taken, d.Name, "dim"); err != nil {
			return err
		}
		if d.Value < 1 || d.Value > math.MaxInt32 {
			return fmt.Errorf("dim %s is %d: expected 1 to %d", d.Name, d.Value, math.MaxInt32)
		}
		g.sizes[d.Name] = d.Value
	}
	for _, t := range g.Tensors {
		if err := fresh(taken, t.Name, "tensor"); err != nil {
			return err
		}
		if err := errors.Join(g.checkShape(t.Name, t.Shape), g.checkRange(t)); err != nil {
			return err
		}
	}
	for _, n := range g.Nodes {
		if err := g.checkNode(taken, &n); err != nil {
			return err
		}
	}
	return g.checkOutputs(taken)
}

func (g *Graph) checkNode(taken map[string]bool, n *Node) error {
	args := slices.Clone(n.Args)
	for name, a := range n.Kwargs {
		if kernels.CheckIdentifier(name) != nil {
			return fmt.Errorf("node %s: %q is no name of an argument", cut(n.Name), cut(name))
		}
		args = append(args, a)
	}
	for _, ref := range refs(args) {
		if !taken[ref] || g.sizes[ref] != 0 {
			return fmt.Errorf("node %s reads %q, which is no tensor or node before it", cut(n.Name), cut(ref))
		}
	}
	if err := fresh(taken, n.Name, "node"); err != nil {
		return err
	}
	if kernels.CheckIdentifier(n.Op) != nil || len(n.Op) > kernels.MaxName {
		return fmt.Errorf("node %s: %q is not the name of an operator", n.Name, cut(n.Op))
	}
	return g.checkShape(n.Name, n.Shape)
}

func (g *Graph) checkOutputs(taken map[string]bool) error {
	if len(g.Outputs) == 0 {
		return errors.New("no outputs")
	}
	for _, o := range g.Outputs {
		if !taken[o] || g.sizes[o] != 0 {
			return fmt.Errorf("output %q is no node", cut(o))
		}
	}
	return nil
}

func (g *Graph) checkShape(name string, shape []Extent) error {
	if len(shape) > maxRank {
		return fmt.Errorf("%s has %d axes: expected at most %d", name, len(shape), maxRank)
	}
	for _, e := range shape {
		if v, err := g.size(string(e)); err != nil || v < 0 {
			return fmt.Errorf("%s: %q is no length in terms of the dims", name, cut(string(e)))
		}
	}
	return nil
}
