package module

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"darwarp/kernels"
)

// MaxSource is how long a file may be, in bytes.
const MaxSource = 1 << 20

// Bounds of what is read: more than a module of a few layers needs.
const (
	maxGraph   = 1 << 20
	maxNotes   = 16
	longestOne = 200
	maxPaths   = 256
)

// Read reads a module. A *Refused says why it is not taken.
func (r *Reader) Read(ctx context.Context, q Question) (*Answer, error) {
	if len(q.Source) > MaxSource {
		return nil, refused(fmt.Sprintf("the file has %d bytes, at most %d are read", len(q.Source), MaxSource))
	}
	var got reply
	if err := r.call(ctx, "read", q, nil, &got, readDeadline); err != nil {
		return nil, err
	}
	return admit(&got)
}

// admit checks what was answered, as far as this package knows it: the graph is admitted by who reads it.
func admit(got *reply) (*Answer, error) {
	var text bytes.Buffer
	if len(got.Graph) > maxGraph || json.Indent(&text, got.Graph, "", "  ") != nil || text.Len() == 0 ||
		text.Bytes()[0] != '{' {
		return nil, refused("its process sends no graph")
	}
	if len(got.Notes) > maxNotes || len(got.Torch) > maxPaths {
		return nil, refused("its process sends too much")
	}
	a := &Answer{Graph: append(text.Bytes(), '\n'), Paths: got.Torch}
	for _, n := range got.Notes {
		a.Notes = append(a.Notes, kernels.CleanLine(n, longestOne))
	}
	return a, nil
}

// Compute runs the module that was read last, at sizes by the names of its dims, on given numbers: those of all
// buffers, one after the other. It returns the outputs in fp64, or an *Unfit where forward does not take such sizes.
func (r *Reader) Compute(ctx context.Context, dims map[string]int, buffers []Buffer, numbers []byte) (
	outputs [][]float64, err error) {
	var got reply
	req := map[string]any{"dims": dims, "buffers": buffers}
	if err := r.call(ctx, "compute", req, numbers, &got, computeDeadline); err != nil {
		return nil, err
	}
	if got.Unfit != "" {
		return nil, &Unfit{kernels.CleanLine(got.Unfit, longestReason)}
	}
	for _, shape := range got.Shapes {
		n := 1
		for _, d := range shape {
			if d < 0 || d > math.MaxInt32 || n*d > len(got.Bytes)/8 {
				return nil, refused("its process sends shapes that are none")
			}
			n *= d
		}
		out := make([]float64, n)
		for i := range out {
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(got.Bytes[8*i:]))
		}
		outputs, got.Bytes = append(outputs, out), got.Bytes[8*n:]
	}
	return outputs, nil
}

// Unfit says in a line why a module does not run at some sizes, as a batch norm does not on a batch of one.
type Unfit struct{ Why string }

func (u *Unfit) Error() string { return u.Why }
