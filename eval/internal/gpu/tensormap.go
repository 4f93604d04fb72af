package gpu

import (
	"fmt"
	"slices"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

var (
	tensorTypes = map[kernels.DType]cuda.TensorType{
		kernels.FP16: cuda.TensorFloat16, kernels.BF16: cuda.TensorBFloat16,
		kernels.FP32: cuda.TensorFloat32, kernels.I32: cuda.TensorInt32,
		kernels.E4M3: cuda.TensorUint8, kernels.E5M2: cuda.TensorUint8, kernels.E8M0: cuda.TensorUint8,
		kernels.I8: cuda.TensorUint8, kernels.U8: cuda.TensorUint8}
	swizzles = map[int]cuda.Swizzle{0: cuda.SwizzleNone, 32: cuda.Swizzle32B, 64: cuda.Swizzle64B, 128: cuda.Swizzle128B}
)

// tensorMaps encodes a launch's maps over the buffers of one arena: a map holds its tensor's address.
func (s *Session) tensorMaps(l kernels.Launch, c *device.Case, a *arena) (map[string]cuda.TensorMap, error) {
	if len(l.Maps) == 0 {
		return nil, nil
	}
	out := map[string]cuda.TensorMap{}
	for _, m := range l.Maps {
		i := slices.IndexFunc(c.Buffers, func(b kernels.Buffer) bool { return b.Name == m.Tensor })
		if i < 0 {
			return nil, fmt.Errorf("tensor map %s: no tensor %s", m.Name, m.Tensor)
		}
		t, err := tensorOf(m, c.Buffers[i], a.at[i])
		if err == nil {
			out[m.Name], err = s.drv.EncodeTiled(t)
		}
		if err != nil {
			return nil, mapError(l, m, c.Buffers[i], err)
		}
	}
	return out, nil
}

func mapError(l kernels.Launch, m kernels.TensorMap, b kernels.Buffer, err error) error {
	return fmt.Errorf("kernel %s, tensor map %s over %s %v: %w", l.Entry, m.Name, b.Name, m.Over(b.Shape), err)
}

// tensorOf is what the driver is told of a map over a buffer, which is dense: dimensions innermost first.
func tensorOf(m kernels.TensorMap, b kernels.Buffer, at cuda.Ptr) (cuda.Tensor, error) {
	kind, known := tensorTypes[b.DType]
	swizzle, possible := swizzles[m.Swizzle]
	shape := m.Over(b.Shape)
	if !known || !possible || len(m.Box) != len(shape) {
		return cuda.Tensor{}, fmt.Errorf("box %v, swizzle %d, %s: no such map", m.Box, m.Swizzle, b.DType)
	}
	t := cuda.Tensor{Type: kind, Base: at, Swizzle: swizzle, Promote: cuda.Promote128B}
	stride := uint64(b.DType.Size())
	for i, extent := range slices.Backward(shape) {
		t.Dims = append(t.Dims, uint64(extent))
		t.Box = append(t.Box, uint32(m.Box[i]))
		if stride *= uint64(extent); i > 0 {
			t.Strides = append(t.Strides, stride)
		}
	}
	return t, nil
}
