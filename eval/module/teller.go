package module

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/sandbox"
	"darwarp/kernels"
)

// Teller tells the truth of a problem whose reference is a module. It is the Teller of an eval.Config.
type Teller struct {
	problem *kernels.Problem
	graph   outline
	paths   map[string]string

	mu     sync.Mutex // of what follows: it is one process
	reader *Reader
	known  map[string]string // why not, by size
}

// outline is what a teller wants of a graph.
type outline struct {
	Dims []struct {
		Name string `json:"name"`
	} `json:"dims"`
	Tensors []struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"tensors"`
}

// NewTeller starts a process that runs the module of a problem, whose file has this text, on a GPU or (NoGPU) the
// processor. A *Missing says what is not here, a *Refused why the module is not taken.
func NewTeller(ctx context.Context, p *kernels.Problem, source string, mode sandbox.Mode, gpu int) (
	t *Teller, err error) {
	if t, err = newTeller(ctx, p, source, mode, gpu); err != nil && gpu != NoGPU && ctx.Err() == nil {
		return newTeller(ctx, p, source, mode, NoGPU) // a fence with a driver in it stops other things
	}
	return t, err
}

func newTeller(ctx context.Context, p *kernels.Problem, source string, mode sandbox.Mode, gpu int) (
	t *Teller, err error) {
	r, err := Start(ctx, mode, gpu)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	read, err := r.Read(ctx, Question{Source: source, Name: p.Name, Class: p.Reference.Class, Eval: p.Reference.Eval,
		Precision: p.Reference.Precision})
	if err != nil {
		return nil, err
	}
	return TellerOf(p, r, read)
}

// TellerOf is a teller of a problem for the module that a reader has read last. It closes the reader.
func TellerOf(p *kernels.Problem, r *Reader, read *Answer) (*Teller, error) {
	t := &Teller{problem: p, reader: r, paths: read.Paths, known: map[string]string{}}
	if err := json.Unmarshal(read.Graph, &t.graph); err != nil {
		return nil, refused("its process sends a graph that is none: " + err.Error())
	}
	inputs := 0
	for _, x := range p.Tensors {
		if x.Role == "in" {
			inputs++
		}
	}
	if len(t.graph.Dims) != len(p.DimNames) || len(t.graph.Tensors) != inputs {
		return nil, refused(fmt.Sprintf("%s has %d sizes and %d inputs, problem.toml has %d and %d", p.Reference.File,
			len(t.graph.Dims), len(t.graph.Tensors), len(p.DimNames), inputs))
	}
	return t, nil
}

// Close ends the process.
func (t *Teller) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reader.Close()
}

// dims are sizes by the module's own names: its dims are those of the problem in the same order.
func (t *Teller) dims(of kernels.Dims) map[string]int {
	dims := map[string]int{}
	for i, d := range t.graph.Dims {
		dims[d.Name] = of[t.problem.DimNames[i]]
	}
	return dims
}

// Fits says why the module gives nothing at some sizes, or other shapes than the problem says.
func (t *Teller) Fits(ctx context.Context, dims kernels.Dims) (why string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := fmt.Sprint(dims)
	if why, ok := t.known[key]; ok {
		return why, nil
	}
	why, err = t.fits(ctx, dims)
	if err == nil {
		t.known[key] = why
	}
	return why, err
}

func (t *Teller) fits(ctx context.Context, dims kernels.Dims) (why string, err error) {
	buffers, err := t.problem.Buffers(dims, t.problem.DTypes[0])
	if err != nil {
		return err.Error(), nil
	}
	shapes, err := t.reader.Fits(ctx, t.dims(dims))
	var unfit *Unfit
	if errors.As(err, &unfit) {
		return unfit.Why, nil
	}
	if err != nil {
		return "", err
	}
	buffers = slices.DeleteFunc(buffers, func(b kernels.Buffer) bool { return !b.Out })
	if len(shapes) != len(buffers) {
		return fmt.Sprintf("it has %d outputs, the problem %d", len(shapes), len(buffers)), nil
	}
	for k, b := range buffers {
		if size(shapes[k]) != b.Elems() {
			return fmt.Sprintf("%s has shape %v, the problem says %v", b.Name, shapes[k], b.Shape), nil
		}
	}
	return "", nil
}

// Tell runs the module on the inputs of a case.
func (t *Teller) Tell(ctx context.Context, c *rig.Truth) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var buffers []Buffer
	var numbers [][]byte
	var elems []int
	for j, b := range c.Buffers {
		if b.Out {
			elems = append(elems, b.Elems())
			continue
		}
		x := t.graph.Tensors[len(buffers)]
		buffers = append(buffers, Buffer{Torch: t.paths[x.Name], Kind: x.Kind, DType: string(b.DType), Shape: b.Shape})
		numbers = append(numbers, c.Inputs[j])
	}
	told, err := t.reader.Tell(ctx, t.dims(c.Dims), buffers, numbers, elems)
	c.Values, c.Scales, c.Terms = told.Values, told.Scales, told.Terms
	return err
}
