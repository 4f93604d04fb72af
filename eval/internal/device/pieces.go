package device

import (
	"unsafe"

	"darwarp/eval/internal/check"
)

// Piece is the places of an output from From to To.
type Piece struct{ From, To int }

// A proof looks at mostLooked numbers of an output, in pieces of pieceLength. It judges them on the host, some fifty
// times: all numbers of a layer norm of 16 x 4194304 took an H200's more than 44 s.
const (
	mostLooked  = 1 << 20
	pieceLength = 1 << 14
)

// Pieces are the places of an output of n numbers that a proof looks at: all, or pieces that are evenly apart, from the
// first to the last place. What is missing in a sum shows in all that follows from it.
func Pieces(n int) []Piece {
	if n <= mostLooked {
		return []Piece{{0, n}}
	}
	const count = mostLooked / pieceLength
	list := make([]Piece, count)
	for i := range list {
		from := i * ((n - pieceLength) / (count - 1))
		if i == count-1 {
			from = n - pieceLength
		}
		list[i] = Piece{from, from + pieceLength}
	}
	return list
}

// TruthsIn reads what a proof looks at of each output's value and scale, from where Truths places them.
func (c *Case) TruthsIn(read func(to []byte, at int) error) (out []check.Truth, err error) {
	places := c.Truths()
	for i, b := range c.Outputs() {
		n := min(b.Elems(), mostLooked)
		t, j := check.Truth{Value: make([]float64, n), Scale: make([]float32, n)}, 0
		for _, p := range Pieces(b.Elems()) {
			if p.From == p.To {
				continue
			}
			values := unsafe.Slice((*byte)(unsafe.Pointer(&t.Value[j])), 8*(p.To-p.From))
			scales := unsafe.Slice((*byte)(unsafe.Pointer(&t.Scale[j])), 4*(p.To-p.From))
			if err := read(values, places[i].Value+8*p.From); err != nil {
				return nil, err
			}
			if err := read(scales, places[i].Scale+4*p.From); err != nil {
				return nil, err
			}
			j += p.To - p.From
		}
		out = append(out, t)
	}
	return out, nil
}

// From reads from memory.
func From(raw []byte) func(to []byte, at int) error {
	return func(to []byte, at int) error {
		copy(to, raw[at:])
		return nil
	}
}
