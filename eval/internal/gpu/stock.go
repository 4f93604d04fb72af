package gpu

import (
	"fmt"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// A steady hot sample finds other inputs than the one before, at the same addresses. To make them again takes longer
// than most kernels, so what is needed again and again is kept in stock, in arenas of inputs alone, and copied. Like
// all arenas these are looked at when a request ends: a kernel that spoils them is found out, and they are made as new
// before anybody else's inputs are copied from there.

// keepInStock has the inputs of a case at hand. Where memory is short they are made each time: a cold run of the same
// request has to have room beside them, for what a request uses is never given back before its end.
func (s *Session) keepInStock(i int) error {
	a := s.stock[i]
	if a.isThere() {
		a.used = s.mem.request
		return s.hold(a, i)
	}
	c := &s.prep.Cases[i]
	sizes := inputSizes(c.Buffers)
	_, total := device.Layout(sizes)
	if !s.mem.spares(total + c.ColdBytes(s.dev.L2Bytes)) {
		return nil
	}
	b, err := s.mem.take(total, true)
	if outOfMemory(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s, in stock: %w", c.Name, err)
	}
	a = newArena(b, c.Name, sizes, func(int) bool { return false })
	s.stock[i] = a
	if err := s.writeGuards(a.zones...); err != nil {
		return err
	}
	return s.hold(a, i)
}

// isThere reports whether an arena was made, and not given back.
func (a *arena) isThere() bool { return a != nil && !a.gone() }

// inputSizes are the sizes of buffers, of outputs 0.
func inputSizes(bufs []kernels.Buffer) []int {
	sizes := device.Sizes(bufs)
	for i, b := range bufs {
		if b.Out {
			sizes[i] = 0
		}
	}
	return sizes
}

// bring has an arena hold the inputs of a case for the present request, from stock where it has them.
func (s *Session) bring(a *arena, i int) error {
	from := s.stock[i]
	if a.holds == i || !from.isThere() || from.holds != i || from.wiped {
		return s.hold(a, i)
	}
	a.holds, a.wiped = -1, false
	for j, b := range s.prep.Cases[i].Buffers {
		if !b.Out && b.Bytes() > 0 {
			if err := s.drv.DtoDAsync(a.at[j], from.at[j], uint64(b.Bytes()), s.stream); err != nil {
				return err
			}
		}
	}
	a.holds, a.name = i, s.prep.Cases[i].Name
	return nil
}
