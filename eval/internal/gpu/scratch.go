package gpu

import (
	"fmt"
	"math/bits"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// The blocks for scratch are powers of two, so that candidates and cases that need about as much share one; large
// ones are multiples of largeScratch.
const (
	leastScratch = 2 << 20
	largeScratch = 1 << 30
)

// scratchKey names a block for scratch: of who was loaded first or second for a duel, for one of the arenas that a
// contender runs on, and of so many bytes.
type scratchKey struct {
	place, set, bytes int
	packed            bool // it is kept between calls
}

// seat is where a contender's scratch goes. The sides of a duel change places in its second half: each then has the
// blocks that the other had, and what it costs where a block lies cancels. So they are large enough for either.
type seat struct {
	place           int // 1: the second to be loaded for a duel
	scratch, packed int // bytes that blocks have at least
}

// seatOf is that of who is loaded first, 0, or second for a duel. Very large blocks are not made larger for the other
// side: there may be no memory for it.
func seatOf(place int, req *device.Duel) seat {
	at := seat{place: place}
	for _, c := range []device.Contender{req.A, req.B} {
		for _, call := range c.Calls {
			_, scratch := device.Layout(device.ScratchSizes(call))
			_, packed := device.Layout(device.ScratchSizes(kernels.Call{Scratch: call.Packed}))
			at.scratch, at.packed = max(at.scratch, min(scratch, largeScratch)), max(at.packed, min(packed, largeScratch))
		}
	}
	return at
}

// key is that of a block of so many bytes at least.
func (at seat) key(set int, packed bool) scratchKey {
	k := scratchKey{place: at.place, set: set, bytes: at.scratch, packed: packed}
	if packed {
		k.bytes = at.packed
	}
	return k
}

func scratchBytes(n int) int {
	if n > largeScratch {
		return (n + largeScratch - 1) / largeScratch * largeScratch
	}
	return 1 << bits.Len(uint(max(n, leastScratch)-1))
}

// dropScratch gives the blocks of so many bytes and more back that a duel has had for each of its sets but the first.
func (s *Session) dropScratch(bytes int) error {
	for key, a := range s.scratch {
		if key.set == 0 || key.bytes < bytes {
			continue
		}
		delete(s.scratch, key)
		if !a.gone() {
			if err := s.mem.release(a.block); err != nil {
				return err
			}
		}
	}
	return nil
}

// placeScratch lays a call's scratch buffers out in a block, with guards between them. They hold nothing that is known:
// refillScratch sees to that.
func (s *Session) placeScratch(at seat, set int, call kernels.Call, name string) (*arena, error) {
	if len(call.Scratch) == 0 {
		return nil, nil
	}
	return s.place(at.key(set, false), call.Scratch, name)
}

// place lays buffers out in a block of their own, which has as many bytes as the key says or as they need.
func (s *Session) place(key scratchKey, list []kernels.Scratch, name string) (*arena, error) {
	sizes := device.ScratchSizes(kernels.Call{Scratch: list})
	_, total := device.Layout(sizes)
	key.bytes = scratchBytes(max(total, key.bytes))
	old := s.scratch[key]
	var b *block
	if old != nil && !old.gone() {
		b = old.block
	} else {
		var err error
		if b, err = s.mem.take(key.bytes, true); err != nil {
			return nil, fmt.Errorf("%w: %d bytes: %w", errScratch, total, err)
		}
		old = nil
	}
	a := newArena(b, name, sizes, func(int) bool { return true })
	s.scratch[key] = a
	s.unprotect(a)
	if old != nil && !old.unprotected {
		return a, nil // all of it is painted
	}
	return a, s.writeGuards(a.zones...)
}
