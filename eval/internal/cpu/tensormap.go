package cpu

import (
	"fmt"
	"slices"
	"unsafe"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// tensorMap is the C struct dw_tensor_map: a tensor and the boxes that are copied of it, outermost dimension first.
type tensorMap struct {
	name    *byte
	base    uintptr
	shape   [5]uint64
	box     [5]uint32
	rank    uint32
	element uint32 // bytes
	swizzle uint32 // bytes
}

// word is the argument that stands for a map. The caller keeps the map alive.
func (m *tensorMap) word() uint64 { return uint64(uintptr(unsafe.Pointer(m))) }

// describe gives a map of a launch its tensor, one of the arena's buffers.
func describe(m kernels.TensorMap, c *device.Case, a *arena) (*tensorMap, error) {
	i := slices.IndexFunc(c.Buffers, func(b kernels.Buffer) bool { return b.Name == m.Tensor })
	if i < 0 {
		return nil, fmt.Errorf("tensor map %s: no tensor %s", m.Name, m.Tensor)
	}
	b, text := c.Buffers[i], append([]byte(m.Name), 0)
	shape := m.Over(b.Shape)
	out := &tensorMap{name: &text[0], base: address(a.buffers[i]), rank: uint32(len(shape)),
		element: uint32(b.DType.Size()), swizzle: uint32(m.Swizzle)}
	if len(m.Box) != len(shape) || len(shape) > len(out.shape) {
		return nil, fmt.Errorf("tensor map %s: a box of %v for %s %v", m.Name, m.Box, m.Tensor, shape)
	}
	for j, extent := range shape {
		out.shape[j], out.box[j] = uint64(extent), uint32(m.Box[j])
	}
	return out, nil
}
