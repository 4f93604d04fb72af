package gpu

import (
	"fmt"

	"darwarp/kernels"
)

// Pack places the outputs of cases in a slot, one after the other in the order of indices: where each one's begin, and
// the size of all. Who writes a slot and who judges it both ask Pack; a case may occur several times.
func Pack(cases []Case, indices []int) (offsets []int, total int) {
	for _, i := range indices {
		offsets = append(offsets, total)
		total += cases[i].OutBytes()
	}
	return offsets, total
}

// Called lists the cases that calls has a call for, in order: those that a gate runs.
func Called(calls []kernels.Call) []int {
	var indices []int
	for i, c := range calls {
		if len(c.Launches) > 0 {
			indices = append(indices, i)
		}
	}
	return indices
}

// Places says where in the output memory a gate puts the outputs of the cases that it runs, by case.
func (p *Prepare) Places(g *Gate) (map[int]int, error) {
	ran := Called(g.Calls)
	if n := len(g.Calls); n > len(p.Cases) {
		return nil, fmt.Errorf("%d calls for %d cases", n, len(p.Cases))
	}
	offsets, total := Pack(p.Cases, ran)
	if total > p.SlotBytes || g.Slot < 0 || g.Slot >= p.Slots {
		return nil, fmt.Errorf("outputs of %d bytes do not fit slot %d of %d with %d bytes each", total, g.Slot, p.Slots, p.SlotBytes)
	}
	at := map[int]int{}
	for k, i := range ran {
		at[i] = g.Slot*p.SlotBytes + offsets[k]
	}
	return at, nil
}
