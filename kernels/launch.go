package kernels

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels/expr"
)

// Launch is one kernel launch with every number known.
type Launch struct {
	Entry   string      `json:"entry"`
	Grid    [3]int      `json:"grid"`
	Block   [3]int      `json:"block"`
	Cluster [3]int      `json:"cluster"` // all 1: no cluster
	Smem    int         `json:"smem,omitempty"`
	Args    []Arg       `json:"args,omitempty"`
	Maps    []TensorMap `json:"tensor_maps,omitempty"` // what arguments of kind tensor_map name
	// Window names the tensors that the L2 cache is asked to keep for the launch: all from the first to the last in
	// memory. A device without such a cache takes no notice.
	Window []string `json:"l2_window,omitempty"`
}

// Arg is one kernel argument: the pointer of a tensor or scratch buffer, a tensor map by value, or a 32-bit integer.
type Arg struct {
	Kind string `json:"kind"` // tensor, scratch, tensor_map or i32
	Name string `json:"name,omitempty"`
	Int  int    `json:"int,omitempty"`
}

// Scratch is a temporary buffer with its size known.
type Scratch struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	Zero  bool   `json:"zero,omitempty"`
	Once  bool   `json:"once,omitempty"`
}

// Call is what one evaluation of the problem does on the device: its buffers and launches in order.
type Call struct {
	Scratch  []Scratch `json:"scratch,omitempty"`
	Launches []Launch  `json:"launches"`
	// What is done beforehand, once for the weights: launches, and the buffers that they fill and calls only read
	Prepare []Launch  `json:"prepare,omitempty"`
	Packed  []Scratch `json:"packed,omitempty"`
}

// maxBytes bounds one buffer: beyond it a size is an overflow, not a wish.
const maxBytes = 1 << 46

// Resolve gives every expression of the plan its number. An error is the candidate's fault.
func (p *Plan) Resolve(env expr.Env) (Call, error) {
	var c Call
	for i, e := range p.scratch {
		b, err := e.Int(env)
		if err == nil && (b < 0 || b > maxBytes) {
			err = fmt.Errorf("%s = %d bytes: expected 0 to %d", e.Text, b, maxBytes)
		}
		if err != nil {
			return c, fmt.Errorf("scratch %s: %w", p.Spec.Scratch[i].Name, err)
		}
		sc := Scratch{p.Spec.Scratch[i].Name, b, p.Spec.Scratch[i].Zero, p.Spec.Scratch[i].Once}
		if p.Spec.Scratch[i].Prepared {
			c.Packed = append(c.Packed, sc)
		} else {
			c.Scratch = append(c.Scratch, sc)
		}
	}
	for i, l := range p.launches {
		got, skip, err := l.resolve(p.Spec.Launches[i], env)
		if err != nil {
			return c, fmt.Errorf("launch %s: %w", p.Spec.Launches[i].Entry, err)
		}
		switch {
		case skip:
		case p.Spec.Launches[i].Prepare:
			c.Prepare = append(c.Prepare, got)
		default:
			c.Launches = append(c.Launches, got)
		}
	}
	if len(c.Launches) == 0 {
		return c, fmt.Errorf("no launch is active")
	}
	return c, p.settle(&c, env)
}

func (l launchExprs) resolve(spec LaunchSpec, env expr.Env) (out Launch, skip bool, err error) {
	if l.when != nil {
		on, err := l.when.Bool(env)
		if err != nil || !on {
			return out, true, err
		}
	}
	out.Entry = spec.Entry
	if out.Grid, err = three(l.grid, env); err != nil {
		return out, false, fmt.Errorf("grid: %w", err)
	}
	if out.Block, err = three(l.block, env); err != nil {
		return out, false, fmt.Errorf("block: %w", err)
	}
	if out.Cluster, err = three(l.cluster, env); err != nil {
		return out, false, fmt.Errorf("cluster: %w", err)
	}
	if l.smem != nil {
		if out.Smem, err = l.smem.Int(env); err != nil {
			return out, false, fmt.Errorf("smem: %w", err)
		}
	}
	for _, a := range l.args {
		arg, err := a.resolve(env)
		if err != nil {
			return out, false, err
		}
		out.Args = append(out.Args, arg)
	}
	for i, m := range l.maps {
		got, err := m.resolve(spec.TensorMaps[i], env)
		if err != nil {
			return out, false, err
		}
		out.Maps = append(out.Maps, got)
	}
	if out.Window, err = l.resolveWindow(spec.L2Window, env); err != nil {
		return out, false, fmt.Errorf("l2_window: %w", err)
	}
	dev, _ := env["device"].(Device)
	return out, false, out.check(dev)
}

func (a argExpr) resolve(env expr.Env) (Arg, error) {
	arg := Arg{Kind: a.kind, Name: a.name}
	if a.value == nil {
		return arg, nil
	}
	var err error
	if arg.Int, err = a.value.Int(env); err != nil {
		return arg, err
	}
	if arg.Int > math.MaxInt32 || arg.Int < math.MinInt32 {
		return arg, fmt.Errorf("argument %s = %d does not fit an int", a.value.Text, arg.Int)
	}
	return arg, nil
}

func (l launchExprs) resolveWindow(spec *L2WindowSpec, env expr.Env) ([]string, error) {
	if spec == nil {
		return nil, nil
	}
	if l.window != nil {
		if on, err := l.window.Bool(env); err != nil || !on {
			return nil, err
		}
	}
	return spec.Tensors, nil
}

// check refuses what no device can launch (CUDA C++ Programming Guide, technical specifications),
// and what exceeds the limits of this one, where they are known.
func (l Launch) check(dev Device) error {
	threads := l.Block[0] * l.Block[1] * l.Block[2]
	most := 1024
	if dev.MaxThreads > 0 {
		most = min(most, dev.MaxThreads)
	}
	switch {
	case slices.Min(l.Block[:]) < 1 || l.Block[0] > 1024 || l.Block[1] > 1024 || l.Block[2] > 64 || threads > most:
		return fmt.Errorf("block of %v threads: expected 1 to %d, at most 64 in the third", l.Block, most)
	case slices.Min(l.Grid[:]) < 1 || l.Grid[0] > math.MaxInt32 || l.Grid[1] > 65535 || l.Grid[2] > 65535:
		return fmt.Errorf("grid of %v blocks: expected 1 to 2147483647 by 65535 by 65535", l.Grid)
	case l.Smem < 0 || l.Smem > math.MaxInt32 || dev.SmemPerBlock > 0 && l.Smem > dev.SmemPerBlock:
		return fmt.Errorf("%d bytes of shared memory: the device has %d a block", l.Smem, dev.SmemPerBlock)
	}
	return l.checkCluster(dev)
}

func (l Launch) checkCluster(dev Device) error {
	c := l.Cluster
	if slices.Min(c[:]) < 1 || slices.Max(c[:]) > 16 || c[0]*c[1]*c[2] > 16 {
		return fmt.Errorf("cluster of %v blocks: expected 1 to 16", c)
	}
	if c != [3]int{1, 1, 1} && dev.CC > 0 && dev.CC < 90 {
		return fmt.Errorf("cluster of %v blocks: the device has none (sm_90 and later)", c)
	}
	for i := range l.Grid {
		if l.Grid[i]%c[i] != 0 {
			return fmt.Errorf("grid %v is not a multiple of cluster %v", l.Grid, c)
		}
	}
	return nil
}

// Reads lists the names that the plan's expressions read, sorted. It is not to be changed.
func (p *Plan) Reads() []string { return p.reads }

func (p *Plan) findReads() []string {
	var names []string
	add := func(_ string, e *expr.Expr) {
		if e != nil {
			names = append(names, e.Names()...)
		}
	}
	for _, e := range p.scratch {
		add("", e)
	}
	for _, l := range p.launches {
		l.each(add)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Values writes what env gives to the names that the plan reads: with the source and the spec, what
// decides the launches. Two points with one source and different launches differ here.
func (p *Plan) Values(env expr.Env) string {
	var b strings.Builder
	for _, name := range p.reads {
		if v, ok := env[name]; ok && name != "device" {
			b.WriteString(name)
			b.WriteByte('=')
			if n, ok := v.(int); ok { // most are, and a search asks for thousands a second
				b.WriteString(strconv.Itoa(n))
			} else {
				fmt.Fprint(&b, v)
			}
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// three evaluates up to three extents; missing ones are 1.
func three(es []*expr.Expr, env expr.Env) ([3]int, error) {
	out := [3]int{1, 1, 1}
	v, err := ints(es, env)
	copy(out[:], v)
	return out, err
}
