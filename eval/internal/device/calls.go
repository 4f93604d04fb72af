package device

import (
	"fmt"

	"darwarp/eval/internal/tight"
	"darwarp/kernels"
)

// Calls go beside a request's JSON, like machine code: as JSON those of a gate took a worker some milliseconds to read.
// Those that are equal, as of cases of one size, are read once, and have their slices in common.
type packedCalls struct {
	Distinct []kernels.Call
	Which    []int // of Distinct, by call
}

// packCalls is calls as bytes; none is none.
func packCalls(calls []kernels.Call) []byte {
	if len(calls) == 0 {
		return nil
	}
	var p packedCalls
	seen := map[string]int{}
	var one []byte
	for _, c := range calls {
		one = tight.Append(one[:0], c)
		at, known := seen[string(one)]
		if !known {
			at = len(p.Distinct)
			seen[string(one)] = at
			p.Distinct = append(p.Distinct, c)
		}
		p.Which = append(p.Which, at)
	}
	return tight.Append(nil, p)
}

func unpackCalls(b []byte) ([]kernels.Call, error) {
	if len(b) == 0 {
		return nil, nil
	}
	p, err := tight.Read[packedCalls](b)
	if err != nil {
		return nil, err
	}
	calls := make([]kernels.Call, len(p.Which))
	for i, at := range p.Which {
		if at < 0 || at >= len(p.Distinct) {
			return nil, fmt.Errorf("call %d of %d", at, len(p.Distinct))
		}
		calls[i] = p.Distinct[at]
	}
	return calls, nil
}
