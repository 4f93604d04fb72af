package kernels

import (
	"fmt"
	"slices"

	"darwarp/kernels/expr"
)

// TensorMapSpec declares a tensor map: how the TMA unit copies boxes of a tensor between device and shared memory. Its
// name is an argument of the launch, passed by value (const __grid_constant__ darwarp::TensorMap). What lies outside of
// the tensor is read as zero and not written.
type TensorMapSpec struct {
	Name   string `toml:"name" json:"name"`
	Tensor string `toml:"tensor" json:"tensor"`
	// Shape is how the map sees the tensor, which lies without gaps: another one of as many elements. Empty: its own.
	Shape []string `toml:"shape,omitempty" json:"shape,omitempty"`
	// Elements that one copy moves, by dimension in the order of the shape
	Box     []string `toml:"box" json:"box"`
	Swizzle string   `toml:"swizzle,omitempty" json:"swizzle,omitempty"` // bytes: 0, 32, 64 or 128; empty means 0
}

// TensorMap is a tensor map with every number known. Its dtype is that of the problem's buffer of that name.
type TensorMap struct {
	Name    string `json:"name"`
	Tensor  string `json:"tensor"`
	Shape   []int  `json:"shape,omitempty"`   // empty: that of the buffer
	Box     []int  `json:"box"`               // elements, innermost dimension last
	Swizzle int    `json:"swizzle,omitempty"` // bytes: 0, 32, 64 or 128
}

// Over is the shape that the map sees of a buffer.
func (m TensorMap) Over(buffer []int) []int {
	if len(m.Shape) > 0 {
		return m.Shape
	}
	return buffer
}

// mapExprs are the expressions of a TensorMapSpec, and those of its tensor.
type mapExprs struct {
	box, shape []*expr.Expr
	seen       []*expr.Expr // the shape that it has in the map, none: its own
	swizzle    *expr.Expr   // null: 0
	dtype      DType        // empty: the problem's chosen one
}

// maxRank is the most dimensions that a tensor map has.
const maxRank = 5

// compile checks a declared map against the problem's tensors. taken are the names of buffers and of the launch's
// earlier maps.
func (m TensorMapSpec) compile(n *notes, key string, taken map[string]string, tensors []Tensor,
	scope expr.Scope) (out mapExprs) {
	if CheckIdentifier(m.Name) != nil || taken[m.Name] != "" || scope[m.Name] != nil {
		n.addf(key+".name", "%q is not usable: expected a new identifier", m.Name)
	}
	if m.Swizzle != "" {
		out.swizzle = intExpr(n, key+".swizzle", m.Swizzle, scope)
		n.add(key+".swizzle", constant(out.swizzle, checkSwizzle))
	}
	for i, text := range m.Box {
		at := fmt.Sprintf("%s.box[%d]", key, i)
		out.box = append(out.box, intExpr(n, at, text, scope))
		n.add(at, constant(out.box[i], checkExtent))
	}
	i := slices.IndexFunc(tensors, func(t Tensor) bool { return t.Name == m.Tensor })
	if i < 0 {
		n.addf(key+".tensor", "%q is not a tensor of the problem", m.Tensor)
		return out
	}
	t := tensors[i]
	m.checkRank(n, key, t)
	for i, text := range m.Shape {
		out.seen = append(out.seen, intExpr(n, fmt.Sprintf("%s.shape[%d]", key, i), text, scope))
	}
	inShape := scope.With(expr.Scope{"elem": 0, "dtype": ""})
	for i, text := range t.Shape {
		out.shape = append(out.shape, intExpr(n, fmt.Sprintf("%s.tensor: %s.shape[%d]", key, t.Name, i), text, inShape))
	}
	out.dtype = t.DType
	return out
}

// checkRank holds the box to the shape that the map sees.
func (m TensorMapSpec) checkRank(n *notes, key string, t Tensor) {
	shape, at := t.Shape, key+".tensor"
	if len(m.Shape) > 0 {
		shape, at = m.Shape, key+".shape"
	}
	switch rank := len(shape); {
	case rank > maxRank:
		n.addf(at, "%s has %d dimensions: a tensor map has at most %d", t.Name, rank, maxRank)
	case len(m.Box) != rank:
		n.addf(key+".box", "%d expressions: expected %d, one for each dimension of %s %v", len(m.Box), rank, t.Name, shape)
	}
}

// constant checks a number that no point changes where it is written.
func constant(e *expr.Expr, check func(int) error) error {
	if e == nil || len(e.Names()) > 0 {
		return nil
	}
	v, err := e.Int(nil)
	if err != nil {
		return err
	}
	return check(v)
}

func checkExtent(elements int) error {
	if elements < 1 || elements > 256 {
		return fmt.Errorf("%d elements: expected 1 to 256", elements)
	}
	return nil
}

func checkSwizzle(bytes int) error {
	if !slices.Contains([]int{0, 32, 64, 128}, bytes) {
		return fmt.Errorf("swizzle of %d bytes: expected 0, 32, 64 or 128", bytes)
	}
	return nil
}

// resolve gives the map its numbers, and refuses what the device cannot encode.
func (m mapExprs) resolve(spec TensorMapSpec, env expr.Env) (TensorMap, error) {
	out := TensorMap{Name: spec.Name, Tensor: spec.Tensor}
	fail := func(err error) (TensorMap, error) { return out, fmt.Errorf("tensor map %s: %w", spec.Name, err) }
	var err error
	if out.Box, err = ints(m.box, env); err != nil {
		return fail(fmt.Errorf("box: %w", err))
	}
	if m.swizzle != nil {
		if out.Swizzle, err = m.swizzle.Int(env); err != nil {
			return fail(fmt.Errorf("swizzle: %w", err))
		}
	}
	shape, err := ints(m.shape, env)
	if err != nil {
		return fail(fmt.Errorf("shape of %s: %w", spec.Tensor, err))
	}
	elem := m.dtype.Size()
	if m.dtype == "" {
		elem, _ = env["elem"].(int)
	}
	if dev, _ := env["device"].(Device); dev.CC > 0 && dev.CC < 90 {
		return fail(fmt.Errorf("the device has none: expected sm_90 or later, by the family's arch or a constraint on " +
			"device.cc"))
	}
	if len(m.seen) > 0 {
		if out.Shape, err = ints(m.seen, env); err != nil {
			return fail(fmt.Errorf("shape: %w", err))
		}
		if len(out.Shape) != len(out.Box) || !sameElements(out.Shape, shape) {
			return fail(fmt.Errorf("shape %v: expected one of as many elements as %s %v", out.Shape, spec.Tensor, shape))
		}
		shape = out.Shape
	}
	if err := out.check(shape, elem); err != nil {
		return fail(err)
	}
	return out, nil
}

// check holds a map over a tensor of the given shape and bytes an element to the rules of cuTensorMapEncodeTiled (CUDA
// Driver API, "Tensor Map Object Management").
func (m TensorMap) check(shape []int, elem int) error {
	inner := len(shape) - 1
	row, box := shape[inner]*elem, m.Box[inner]*elem
	if err := checkSwizzle(m.Swizzle); err != nil {
		return err
	}
	switch {
	case slices.Min(m.Box) < 1 || slices.Max(m.Box) > 256:
		return fmt.Errorf("box of %v elements: expected 1 to 256 along each dimension", m.Box)
	case box%16 != 0:
		return fmt.Errorf("box of %v elements has rows of %d bytes: expected a multiple of 16", m.Box, box)
	case m.Swizzle > 0 && box > m.Swizzle:
		return fmt.Errorf("box of %v elements has rows of %d bytes: expected at most the %d of its swizzle", m.Box, box,
			m.Swizzle)
	case inner > 0 && row%16 != 0:
		return fmt.Errorf("%s %v has rows of %d bytes: expected a multiple of 16", m.Tensor, shape, row)
	case slices.Max(shape) > 1<<32:
		return fmt.Errorf("%s %v: expected at most 2^32 along each dimension", m.Tensor, shape)
	}
	return nil
}

// sameElements reports whether two shapes have as many elements, of 1 or more along each dimension of the first.
func sameElements(a, b []int) bool {
	elements := func(shape []int) float64 {
		out := 1.
		for _, extent := range shape {
			out *= float64(extent)
		}
		return out
	}
	return slices.Min(a) > 0 && elements(a) == elements(b)
}

func ints(es []*expr.Expr, env expr.Env) ([]int, error) {
	out := make([]int, len(es))
	for i, e := range es {
		v, err := e.Int(env)
		if err != nil {
			return out, err
		}
		out[i] = v
	}
	return out, nil
}
