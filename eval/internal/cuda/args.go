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
}

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
	room := make([]byte, len(v)+align)
	skip := -int(uintptr(unsafe.Pointer(&room[0]))) & (align - 1)
	copy(room[skip:], v)
	a.values = append(a.values, unsafe.Pointer(&room[skip]))
}

// SetPtr replaces the i-th argument, which Ptr added.
func (a *Args) SetPtr(i int, p Ptr) { *(*Ptr)(a.values[i]) = p }

// add64 serves the smaller types too: on the little-endian machines that CUDA runs on, the driver
// finds their bytes first.
func (a *Args) add64(v uint64) {
	a.values = append(a.values, unsafe.Pointer(&v))
}

// params is the void** for a launch. The caller keeps a alive.
func (a *Args) params() uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(a.values)))
}
