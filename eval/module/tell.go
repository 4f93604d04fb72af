package module

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"darwarp/kernels"
)

// tellDeadline is for one case of the truth: the module runs some twenty times.
const tellDeadline = 10 * time.Minute

// Bounds of one case, in bytes: what goes in and comes out is in the process's memory several times over. A part goes
// in a frame.
const (
	mostGiven = 1 << 30
	part      = 32 << 20
)

// Told is what a module gives on the inputs of a case.
type Told struct {
	Values [][]float64 // of each output, in fp64
	Scales [][]float32 // what an error relative to the roundoff of a type is relative to: see python/sensitivity.py
	Terms  int         // numbers that an output depends on, at most
}

// Fits is the shapes of the outputs of the module that was read last, at sizes by the names of its dims; an *Unfit says
// why forward does not take them.
func (r *Reader) Fits(ctx context.Context, dims map[string]int) (shapes [][]int, err error) {
	var got reply
	if err := r.call(ctx, "fits", map[string]any{"dims": dims}, nil, &got, computeDeadline); err != nil {
		return nil, err
	}
	if got.Unfit != "" {
		return nil, &Unfit{kernels.CleanLine(got.Unfit, longestReason)}
	}
	return got.Shapes, nil
}

// Tell runs the module that was read last on given numbers: those of all buffers, in their order. It gives values and
// scales of outputs of so many elements each.
func (r *Reader) Tell(ctx context.Context, dims map[string]int, buffers []Buffer, numbers [][]byte, elems []int) (
	told Told, err error) {
	given := slices.Concat(numbers...)
	if len(given) > mostGiven {
		return told, refused(fmt.Sprintf("its inputs take %d MiB, at most %d are given to it", len(given)>>20, mostGiven>>20))
	}
	for at := 0; at == 0 || at < len(given); at += part {
		req := map[string]int{"at": at, "total": len(given)}
		if err := r.call(ctx, "put", req, given[at:min(at+part, len(given))], &reply{}, computeDeadline); err != nil {
			return told, err
		}
	}
	var got reply
	req := map[string]any{"dims": dims, "buffers": buffers}
	if err := r.call(ctx, "tell", req, nil, &got, tellDeadline); err != nil {
		return told, err
	}
	if len(got.Shapes) != len(elems) {
		return told, refused(fmt.Sprintf("it gives %d outputs, the problem has %d", len(got.Shapes), len(elems)))
	}
	told.Terms = max(1, min(got.Terms, math.MaxInt32))
	for k, n := range elems {
		if size(got.Shapes[k]) != n {
			return told, refused(fmt.Sprintf("output %d has shape %v, the problem has %d numbers", k+1, got.Shapes[k], n))
		}
	}
	return told, r.takeAll(ctx, &told, elems)
}

// size is how many numbers a shape has, -1: it is none.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > math.MaxInt32 || n > mostGiven {
			return -1
		}
		n *= d
	}
	return n
}

// takeAll reads values and scales, output by output.
func (r *Reader) takeAll(ctx context.Context, told *Told, elems []int) error {
	at := 0
	for _, n := range elems {
		values, err := r.take(ctx, at, 8*n)
		if err != nil {
			return err
		}
		scales, err := r.take(ctx, at+8*n, 4*n)
		if err != nil {
			return err
		}
		at += 12 * n
		v, s := make([]float64, n), make([]float32, n)
		for i := range n {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(values[8*i:]))
			s[i] = math.Float32frombits(binary.LittleEndian.Uint32(scales[4*i:]))
			if s[i] < 0 {
				return refused("its process sends scales that are none")
			}
		}
		told.Values, told.Scales = append(told.Values, v), append(told.Scales, s)
	}
	return nil
}

// take reads so many bytes of what was told.
func (r *Reader) take(ctx context.Context, at, bytes int) (all []byte, err error) {
	for len(all) < bytes {
		var got reply
		n := min(part, bytes-len(all))
		req := map[string]int{"at": at + len(all), "bytes": n}
		if err := r.call(ctx, "take", req, nil, &got, computeDeadline); err != nil {
			return nil, err
		}
		if len(got.Bytes) != n {
			return nil, refused("its process sends fewer numbers than it has told of")
		}
		all = append(all, got.Bytes...)
	}
	return all, nil
}
