package device

import (
	"fmt"

	"darwarp/kernels"
)

// Pack places the outputs of cases in a slot, one after the other in the order of indices: where each one's begin, and
// the size of all. The writer of a slot and its judge both ask Pack; a case may occur several times.
func Pack(cases []Case, indices []int) (offsets []int, total int) {
	for _, i := range indices {
		offsets = append(offsets, total)
		total += cases[i].OutBytes()
	}
	return offsets, total
}

// PackInputs is Pack for inputs in the input memory.
func PackInputs(cases []Case, indices []int) (offsets []int, total int) {
	for _, i := range indices {
		offsets = append(offsets, total)
		total += cases[i].InBytes()
	}
	return offsets, total
}

// InBytes is the room that its inputs take, each rounded up to 256 bytes.
func (c *Case) InBytes() int {
	n := 0
	for _, b := range c.Buffers {
		if !b.Out {
			n += Align(b.Bytes())
		}
	}
	return n
}

// Inputs are the parts of memory where a case's inputs lie that begins at an offset, by buffer; nothing for outputs.
func (c *Case) Inputs(memory []byte, at int) ([][]byte, error) {
	if at+c.InBytes() > len(memory) {
		return nil, fmt.Errorf("%s: inputs of %d bytes at %d of %d", c.Name, c.InBytes(), at, len(memory))
	}
	parts, places := make([][]byte, len(c.Buffers)), c.InputsAt()
	for j, b := range c.Buffers {
		if !b.Out {
			parts[j] = memory[at+places[j]:][:b.Bytes()]
		}
	}
	return parts, nil
}

// InputsAt is where each input lies, by buffer, from the place where the case's inputs begin.
func (c *Case) InputsAt() []int {
	places := make([]int, len(c.Buffers))
	at := 0
	for j, b := range c.Buffers {
		if !b.Out {
			places[j] = at
			at += Align(b.Bytes())
		}
	}
	return places
}

// OutputAt is where output number out lies, from the place where the case's outputs begin.
func (c *Case) OutputAt(out int) (at int) {
	for _, b := range c.Outputs()[:out] {
		at += Align(b.Bytes())
	}
	return at
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
		return nil, fmt.Errorf("outputs of %d bytes do not fit slot %d of %d with %d bytes each", total, g.Slot, p.Slots,
			p.SlotBytes)
	}
	at := map[int]int{}
	for k, i := range ran {
		at[i] = g.Slot*p.SlotBytes + offsets[k]
	}
	return at, nil
}
