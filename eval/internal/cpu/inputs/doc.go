// Package inputs makes the inputs of cases on the processor, as the GPU's harness makes them: classes of floats with
// hard lines among them, ranges, and drawn whole numbers. Every number is a function of (seed, tensor, index) alone, so
// the process that runs candidates and the one that computes the truth make the same inputs.
package inputs

import (
	"fmt"

	"darwarp/eval/internal/device"
)

// Fill writes a case's buffer i, which is an input that does not follow from others, into memory of its size. An error
// names a class that is not known.
func Fill(dst []byte, c *device.Case, i int) error {
	b := &c.Buffers[i]
	f, err := c.Fill(i)
	switch {
	case err != nil:
	case c.Draws(b):
		d := c.Drawn(b)
		Drawn(dst, b.DType, &d, f.Tensor, c.Seed)
	default:
		err = Floats(dst, b.DType, f, c.Seed)
	}
	if err != nil {
		return fmt.Errorf("fill %s: %w", b.Name, err)
	}
	return nil
}
