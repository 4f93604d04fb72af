package gpu

import (
	"fmt"
	"math"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// DTypeCodes are the element types by the numbers that harness.cu knows them by.
var DTypeCodes = map[kernels.DType]int{kernels.FP16: 0, kernels.BF16: 1, kernels.FP32: 2, kernels.I32: 3,
	kernels.E4M3: 4, kernels.E5M2: 5, kernels.E8M0: 6, kernels.I8: 7, kernels.U8: 8,
	kernels.I64: 9, kernels.Mask: 10}

// drawCodes are the ways to draw by the numbers that harness.cu knows them by.
var drawCodes = map[kernels.Draw]int{kernels.Evenly: 0, kernels.Lengths: 1, kernels.Permutation: 2,
	kernels.Offsets: 3, kernels.Skewed: 4, kernels.Clustered: 5, kernels.NearlyInOrder: 6,
	kernels.Agreed: 7, kernels.Unbounded: 8}

// signs are what harness.cu knows of either sign by.
var signs = map[bool]int{true: 1}

// fill writes the inputs of a case into an arena, in stream order.
func (s *Session) fill(c *device.Case, a *arena, seed uint64) error {
	return s.fillSome(c, a, seed, func(*kernels.Buffer) bool { return true })
}

// fillSome writes some of the inputs, and all that follow from others.
func (s *Session) fillSome(c *device.Case, a *arena, seed uint64, some func(*kernels.Buffer) bool) error {
	for i, b := range c.Buffers {
		if b.Out || b.Made || !some(&b) {
			continue
		}
		f, err := c.Fill(i)
		switch {
		case err != nil:
		case c.Draws(&b):
			err = s.draw(&b, c.Drawn(&b), a.at[i], f.Tensor, seed)
		default:
			err = s.harness.run("dw_fill", grid(b.Elems()), ptr(a.at[i]), u64(b.Elems()), i32(DTypeCodes[b.DType]),
				i32(int(f.Classes)), i32(f.Tensor),
				u64(int(seed)), u64(f.Inner), u64(f.Len), i32(int(int32(f.Neutral))),
				i32(int(int32(math.Float32bits(f.Low)))), i32(int(int32(math.Float32bits(f.High)))),
				i32(f.Down), i32(f.Up), i32(signs[f.Signed]))
		}
		if err != nil {
			return fmt.Errorf("fill %s: %w", b.Name, err)
		}
	}
	if err := s.follow(c, a.at); err != nil {
		return fmt.Errorf("make inputs of others: %w", err)
	}
	return nil
}

// loadMaker loads the program that makes inputs of others, if there is one.
func (s *Session) loadMaker(cubin []byte) (err error) {
	if len(cubin) > 0 {
		s.maker, err = s.drv.LoadModule(cubin)
	}
	return err
}

// follow queues the making of the inputs that follow from others. at are all of them, by buffer.
func (s *Session) follow(c *device.Case, at []cuda.Ptr) error {
	if c.Maker == nil {
		return nil
	}
	f, err := s.drv.Function(s.maker, c.Maker.Entry)
	if err != nil {
		return err
	}
	launch := &cuda.Launch{Func: f, Grid: dim(c.Maker.Grid), Block: dim(c.Maker.Block)}
	for _, made := range []bool{false, true} {
		for j, b := range c.Buffers {
			if !b.Out && b.Made == made {
				launch.Args.Ptr(at[j])
			}
		}
	}
	for _, x := range c.Maker.Args {
		launch.Args.Int32(int32(x.Int))
	}
	return s.drv.Start(launch, s.stream)
}

// draw writes whole numbers.
func (s *Session) draw(b *kernels.Buffer, d kernels.Drawn, at cuda.Ptr, tensor int, seed uint64) error {
	return s.harness.run("dw_draw", grid(b.Elems()), ptr(at), u64(b.Elems()), i32(DTypeCodes[b.DType]), i32(tensor),
		u64(int(seed)), u64(int(d.Low)), u64(int(d.High)), i32(drawCodes[d.How]), u64(d.Share), u64(int(d.Also)))
}
