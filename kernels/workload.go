package kernels

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels/expr"
)

// Env gives an expression of the problem its dims, elem (the bytes of one element) and dtype.
func (p *Problem) Env(dims Dims, t DType) expr.Env {
	env := expr.Env{"elem": t.Size(), "dtype": string(t)}
	for n, v := range dims {
		env[n] = v
	}
	return env
}

// MatrixPeak is how fast the units of a GPU multiply the inputs of the problem in t at most: so many times as fast as
// numbers of a type. Those of eight bits are multiplied twice as fast as those of 16, and those of fp32 that may be
// rounded to tf32 half as fast (NVIDIA H100 Tensor Core GPU Architecture, 2022); other numbers of fp32 have no matrix
// units. Codes that stand for other numbers are no such inputs.
func (p *Problem) MatrixPeak(t DType) (measured DType, times float64) {
	has := func(types ...DType) bool {
		return slices.ContainsFunc(p.Tensors, func(x Tensor) bool {
			return x.Role == "in" && slices.Contains(types, x.DType)
		})
	}
	short := t
	if t == FP32 {
		short = FP16
	}
	switch {
	case has(E4M3, E5M2, I8):
		return short, 2
	case has(FP16, BF16):
		return short, 1
	case p.Check.Operands == TF32:
		return short, 0.5
	}
	return t, 1
}

// Work is the arithmetic of one call in operations, and the least device-memory traffic in bytes.
func (p *Problem) Work(dims Dims, t DType) (flops, bytes float64, err error) {
	env := p.Env(dims, t)
	f, err := p.exprs.flops.Int(env)
	if err != nil {
		return 0, 0, fmt.Errorf("flops: %w", err)
	}
	b, err := p.exprs.bytes.Int(env)
	if err != nil {
		return 0, 0, fmt.Errorf("bytes: %w", err)
	}
	if f < 0 || b < 1 {
		return 0, 0, fmt.Errorf("%d operations and %d bytes at %s: expected at least 0 and 1", f, b, dims)
	}
	return float64(f), float64(b), nil
}

// Reduction is the number of terms summed per output element.
func (p *Problem) Reduction(dims Dims, t DType) (int, error) {
	k, err := p.exprs.reduction.Int(p.Env(dims, t))
	if err == nil && k < 1 {
		err = fmt.Errorf("check.reduction: %s gives %d at %s: expected at least 1", p.exprs.reduction.Text, k, dims)
	}
	return k, err
}

// Buffer is one tensor at one size.
type Buffer struct {
	Name  string `json:"name"`
	Out   bool   `json:"out,omitempty"`
	DType DType  `json:"dtype"`
	Shape []int  `json:"shape"`
	Drawn *Drawn `json:"drawn,omitempty"` // an input's numbers; nil: those of an input class
	Made  bool   `json:"made,omitempty"`  // an input whose numbers follow from those of others
	// An input that launches with `prepare` may read
	Weights bool `json:"weights,omitempty"`
}

// Elems is the number of elements.
func (b Buffer) Elems() int {
	n := 1
	for _, s := range b.Shape {
		n *= s
	}
	return n
}

// Bytes is the size in bytes.
func (b Buffer) Bytes() int { return b.Elems() * b.DType.Size() }

// Buffers resolves the tensors at one size, in declaration order.
func (p *Problem) Buffers(dims Dims, t DType) ([]Buffer, error) {
	env := p.Env(dims, t)
	out := make([]Buffer, len(p.Tensors))
	for i, x := range p.Tensors {
		b := Buffer{Name: x.Name, Out: x.Role == "out", DType: x.DType, Made: x.Made, Weights: x.Weights}
		if b.DType == "" {
			b.DType = t
		}
		elems := 1.0
		for j, e := range p.exprs.shapes[i] {
			v, err := e.Int(env)
			if elems *= float64(v); err == nil && (v < 1 || elems > maxBytes) {
				err = fmt.Errorf("%s is %d at %s: expected at least 1, and a tensor below %d elements", e.Text, v, dims, maxBytes)
			}
			if err != nil {
				return nil, fmt.Errorf("tensor %s shape[%d]: %w", x.Name, j, err)
			}
			b.Shape = append(b.Shape, v)
		}
		var err error
		if b.Drawn, err = p.exprs.drawn[i].drawn(&x, b.Elems(), env); err != nil {
			return nil, fmt.Errorf("tensor %s range: %w", x.Name, err)
		}
		out[i] = b
	}
	return out, nil
}

// ReferenceLaunch resolves the launch of the reference kernel at one size. A module has none.
func (p *Problem) ReferenceLaunch(dims Dims, t DType) (Launch, error) {
	if p.Reference.IsModule() {
		return Launch{}, nil
	}
	return p.ourLaunch("reference", p.Reference.Entry, p.exprs.grid, p.exprs.block, p.Env(dims, t), dims)
}

// ourLaunch resolves the launch of a kernel of the reference's file, declared at a key of the problem's.
func (p *Problem) ourLaunch(key, entry string, grid, block []*expr.Expr, env expr.Env, dims Dims) (Launch, error) {
	var err error
	l := Launch{Entry: entry, Cluster: [3]int{1, 1, 1}}
	if l.Grid, err = three(grid, env); err != nil {
		return l, fmt.Errorf("%s.grid: %w", key, err)
	}
	if l.Block, err = three(block, env); err != nil {
		return l, fmt.Errorf("%s.block: %w", key, err)
	}
	if err := l.check(Device{}); err != nil {
		return l, fmt.Errorf("%s at %s: %w", key, dims, err)
	}
	return l, nil
}

// DefaultWorkloads are those a search takes when it names none.
func (p *Problem) DefaultWorkloads() []Workload {
	var out []Workload
	for _, w := range p.Workloads {
		if w.Default {
			out = append(out, w)
		}
	}
	return out
}

// SmallWorkloads are those that a search takes on a device that emulates, when it names none: those
// that are declared small, else the one with the least arithmetic.
func (p *Problem) SmallWorkloads() []Workload {
	var out []Workload
	least := math.Inf(1)
	for _, w := range p.Workloads {
		if w.Small {
			out = append(out, w)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, w := range p.Workloads {
		if flops, _, err := p.Work(w.Dims, p.DTypes[0]); err == nil && flops < least {
			least, out = flops, []Workload{w}
		}
	}
	return out
}

// FindWorkload reads one workload as a user names it: a declared name, "m=512,n=512,k=64", or "all"
// and "default" for sets.
func (p *Problem) FindWorkload(s string) ([]Workload, error) {
	switch s {
	case "all":
		return p.Workloads, nil
	case "default":
		return p.DefaultWorkloads(), nil
	}
	for _, w := range p.Workloads {
		if w.Name == s {
			return []Workload{w}, nil
		}
	}
	if !strings.Contains(s, "=") {
		return nil, fmt.Errorf("unknown workload %q: expected %s, or sizes as in %s", s,
			strings.Join(p.workloadNames(), ", "), p.Workloads[0].Dims)
	}
	d, err := p.parseDims(s)
	if err != nil {
		return nil, err
	}
	return []Workload{{Name: d.String(), Dims: d, Weight: 1}}, nil
}

func (p *Problem) workloadNames() []string {
	var out []string
	for _, w := range p.Workloads {
		out = append(out, w.Name)
	}
	return out
}

func (p *Problem) parseDims(s string) (Dims, error) {
	d := Dims{}
	for _, part := range strings.Split(s, ",") {
		name, text, ok := strings.Cut(strings.TrimSpace(part), "=")
		v, err := strconv.Atoi(text)
		switch {
		case !ok || err != nil:
			return nil, fmt.Errorf("workload %q: cannot read %q: expected NAME=SIZE", s, part)
		case !slices.Contains(p.DimNames, name):
			return nil, fmt.Errorf("workload %q: unknown dimension %q: expected %s", s, name, strings.Join(p.DimNames, ", "))
		case v < 0 || v > 1<<31-1:
			return nil, fmt.Errorf("workload %q: %s=%d: expected 0 to 2147483647", s, name, v)
		}
		if _, twice := d[name]; twice {
			return nil, fmt.Errorf("workload %q: %s occurs twice", s, name)
		}
		d[name] = v
	}
	for _, name := range p.DimNames {
		if _, ok := d[name]; !ok {
			return nil, fmt.Errorf("workload %q: dimension %s is missing", s, name)
		}
	}
	return d, nil
}

// PickDType chooses the dtype that a user asked for, or the default for "".
func (p *Problem) PickDType(s string) (DType, error) {
	if s == "" {
		return p.DTypes[0], nil
	}
	d := DType(s)
	if !slices.Contains(p.DTypes, d) {
		names := make([]string, len(p.DTypes))
		for i, t := range p.DTypes {
			names[i] = string(t)
		}
		return "", fmt.Errorf("problem %s has no dtype %q: expected %s", p.Name, s, strings.Join(names, ", "))
	}
	return d, nil
}

// ExactTest reports whether small-integer inputs must give bit-exact outputs.
func (p *Problem) ExactTest() bool { return p.Check.Exact == nil || *p.Check.Exact }

// Fits refuses workloads and a dtype that are not the problem's: their dims are its own, and at each of them its
// expressions have values.
func (p *Problem) Fits(workloads []Workload, t DType) error {
	if _, err := p.PickDType(string(t)); err != nil {
		return err
	}
	for _, w := range workloads {
		key := fmt.Sprintf("workload %s", w.Name)
		n := &notes{}
		if p.checkDims(n, key, w.Dims); len(n.list) == 0 {
			p.checkSize(n, key, w.Dims)
		}
		for _, m := range n.list {
			return fmt.Errorf("%s: %w", m.Key, m.Err)
		}
	}
	return nil
}
