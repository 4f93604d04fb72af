package gpu

import (
	"fmt"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// dtypeCodes are the element types by the numbers that harness.cu knows them by.
var dtypeCodes = map[kernels.DType]int{kernels.FP16: 0, kernels.BF16: 1, kernels.FP32: 2, kernels.I32: 3}

// fill writes the inputs of a case into an arena, in stream order.
func (s *Session) fill(c *device.Case, a *arena, seed uint64) error {
	for i, b := range c.Buffers {
		if b.Out {
			continue
		}
		f, err := c.Fill(i)
		if err == nil {
			err = s.harness.run("dw_fill", grid(b.Elems()), ptr(a.at[i]), u64(b.Elems()), i32(dtypeCodes[b.DType]),
				i32(int(f.Classes)), i32(f.Tensor),
				u64(int(seed)), u64(f.Inner), u64(f.Len), i32(int(int32(f.Neutral))))
		}
		if err != nil {
			return fmt.Errorf("fill %s: %w", b.Name, err)
		}
	}
	return nil
}
