package cpu

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// room is how much address space on either side of an arena stays without memory.
const room = 64 << 20

// arena is the buffers of one call in one mapping outside of Go's heap, with a guard zone before,
// between and after them. A zone begins at the very byte where a buffer ends. Protected, while no request
// uses it, it cannot be read or written.
type arena struct {
	mapped  []byte // with the room on both sides
	mem     []byte
	buffers [][]byte
	zones   [][]byte
	key     uint64 // of the guard pattern
	holds   int    // the case whose inputs it holds; -1: none
}

// newArena maps buffers of the given sizes and writes the guards.
func newArena(sizes []int, key uint64) (*arena, error) {
	offsets, total := device.Layout(sizes)
	total = (total + unix.Getpagesize() - 1) &^ (unix.Getpagesize() - 1)
	mapped, err := unix.Mmap(-1, 0, total+2*room, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("%d bytes: %w", total, err)
	}
	mem := mapped[room : room+total : room+total]
	a := &arena{mapped: mapped, mem: mem, key: key, holds: -1}
	if err := a.unprotect(); err != nil {
		return nil, errors.Join(err, a.free())
	}
	end := 0
	for i, n := range sizes {
		at := offsets[i]
		a.zones = append(a.zones, mem[end:at])
		a.buffers = append(a.buffers, mem[at:at+n:at+n])
		end = at + n
	}
	a.zones = append(a.zones, mem[end:])
	a.setGuards()
	return a, nil
}

// unprotect lets a request use the arena.
func (a *arena) unprotect() error {
	if a == nil {
		return nil
	}
	return unix.Mprotect(a.mem, unix.PROT_READ|unix.PROT_WRITE)
}

// protect makes every access to the arena a fault.
func (a *arena) protect() error {
	if a == nil {
		return nil
	}
	return unix.Mprotect(a.mem, unix.PROT_NONE)
}

func (a *arena) free() error {
	if a == nil {
		return nil
	}
	return unix.Munmap(a.mapped)
}

func (a *arena) setGuards() {
	for i, z := range a.zones {
		guard(z, a.key+uint64(i))
	}
}

// damage is the number of changed bytes in the guard zones.
func (a *arena) damage() int {
	n := 0
	for i, z := range a.zones {
		n += guardDamage(z, a.key+uint64(i))
	}
	return n
}

// strayed says where the first changed byte of the guard zones is, by the buffer that is nearest: empty if none is.
func (a *arena) strayed(name func(buffer int) string) string {
	for i, z := range a.zones {
		pattern := make([]byte, len(z))
		guard(pattern, a.key+uint64(i))
		at := 0
		for at < len(z) && z[at] == pattern[at] {
			at++
		}
		switch {
		case at == len(z):
		case i == 0 || i < len(a.buffers) && len(z)-at < at:
			return fmt.Sprintf("%d bytes before %s", len(z)-at, name(i))
		default:
			return fmt.Sprintf("%d bytes past the end of %s", at, name(i-1))
		}
	}
	return ""
}

// address is where a buffer lies; it never moves.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func fill(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// left counts the bytes that are not zero in the scratch buffers that a call must leave cleared, and names the first.
func (a *arena) left(list []kernels.Scratch) (n int, name string) {
	for j, sc := range list {
		if !sc.Once {
			continue
		}
		here := sc.Bytes - bytes.Count(a.buffers[j], []byte{0})
		if n == 0 && here > 0 {
			name = sc.Name
		}
		n += here
	}
	return n, name
}
