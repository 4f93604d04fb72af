package cuda

import (
	"math"
	"unsafe"
)

// Args are a kernel's arguments in order: for each the address of its value, as the driver wants
// them. Every value has memory of its own on the heap, so that addresses stay as arguments are
// added. The zero Args are none. The driver copies the values at each start.
type Args struct {
	values []unsafe.Pointer
	rooms  []int // bytes that each value's memory has, also of those that Reset forgot
}

// Reset forgets the arguments. Their memory is for those that are added next, in the same places.
func (a *Args) Reset() { a.values = a.values[:0] }

// Len is the number of arguments.
func (a *Args) Len() int { return len(a.values) }

// Ptr adds a pointer to GPU memory.
func (a *Args) Ptr(p Ptr) { a.add64(uint64(p)) }

// Int64 adds a 64-bit integer.
func (a *Args) Int64(v int64) { a.add64(uint64(v)) }

// Int32 adds an int or unsigned.
func (a *Args) Int32(v int32) { a.add64(uint64(uint32(v))) }

// Float32 adds a float.
func (a *Args) Float32(v float32) { a.add64(uint64(math.Float32bits(v))) }

// Bytes adds a struct that is passed by value, such as a TensorMap, copied to an address that is a
// multiple of align.
func (a *Args) Bytes(v []byte, align int) {
	p := a.kept(len(v))
	if uintptr(p)&uintptr(align-1) != 0 || p == nil {
		room := make([]byte, len(v)+align)
		skip := -int(uintptr(unsafe.Pointer(&room[0]))) & (align - 1)
		p = unsafe.Pointer(&room[skip])
	}
	copy(unsafe.Slice((*byte)(p), len(v)), v)
	a.add(p, len(v))
}

// SetPtr replaces the i-th argument, which Ptr added.
func (a *Args) SetPtr(i int, p Ptr) { *(*Ptr)(a.values[i]) = p }

// add64 serves the smaller types too: on the little-endian machines that CUDA runs on, the driver
// finds their bytes first.
func (a *Args) add64(v uint64) {
	p := a.kept(8)
	if p == nil || uintptr(p)&7 != 0 {
		p = unsafe.Pointer(new(uint64))
	}
	*(*uint64)(p) = v
	a.add(p, 8)
}

// kept is the memory of a forgotten argument in the next place, if it has n bytes; else nil.
func (a *Args) kept(n int) unsafe.Pointer {
	if at := len(a.values); at < len(a.rooms) && a.rooms[at] >= n {
		return a.values[:at+1][at]
	}
	return nil
}

// add adds a value with so many bytes of memory.
func (a *Args) add(p unsafe.Pointer, n int) {
	at := len(a.values)
	a.values = append(a.values, p)
	if at == len(a.rooms) {
		a.rooms = append(a.rooms, n)
	}
	a.rooms[at] = n
}

// params is the void** for a launch. The caller keeps a alive.
func (a *Args) params() uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(a.values)))
}
