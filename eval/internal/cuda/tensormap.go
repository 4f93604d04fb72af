package cuda

import (
	"fmt"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// TensorMap describes a tensor in GPU memory to the TMA unit (CUtensorMap, compute capability 9.0 and
// later). Pass it with Args.Bytes(m[:], TensorMapAlign) to a const __grid_constant__ parameter.
type TensorMap [128]byte

// TensorMapAlign is the alignment that TensorMap needs in memory.
const TensorMapAlign = 64

// TensorType is a CUtensorMapDataType.
type TensorType int32

// Element types of a tensor map.
const (
	TensorUint8    TensorType = 0 // also for 8-bit floats
	TensorUint16   TensorType = 1
	TensorUint32   TensorType = 2
	TensorInt32    TensorType = 3
	TensorFloat16  TensorType = 6
	TensorFloat32  TensorType = 7
	TensorBFloat16 TensorType = 9
)

// Swizzle is how a box is permuted in shared memory (CUtensorMapSwizzle), by the bytes of its row.
type Swizzle int32

// Swizzles.
const (
	SwizzleNone Swizzle = 0
	Swizzle32B  Swizzle = 1
	Swizzle64B  Swizzle = 2
	Swizzle128B Swizzle = 3
)

// L2Promotion is the least amount that a load fetches into L2 (CUtensorMapL2promotion).
type L2Promotion int32

// L2 promotions.
const (
	PromoteNone L2Promotion = 0
	Promote64B  L2Promotion = 1
	Promote128B L2Promotion = 2
	Promote256B L2Promotion = 3
)

// Tensor is a tensor and the box that one copy moves. Dimensions are innermost first.
type Tensor struct {
	Type    TensorType
	Base    Ptr      // a multiple of 16
	Dims    []uint64 // elements
	Strides []uint64 // bytes, of all dimensions but the innermost; multiples of 16
	Box     []uint32 // elements, at most 256 each
	Swizzle Swizzle
	Promote L2Promotion
}

// EncodeTiled makes the tensor map. Elements outside the tensor are read as zero.
func (d *Driver) EncodeTiled(t Tensor) (TensorMap, error) {
	p := d.p.TensorMapEncodeTiled
	if !p.Ok() {
		return TensorMap{}, fmt.Errorf("%s: %w", p.Name, dl.ErrNoSymbol)
	}
	rank := len(t.Dims)
	if rank < 1 || rank > 5 || len(t.Strides) != rank-1 || len(t.Box) != rank {
		return TensorMap{}, fmt.Errorf("tensor map: %d dimensions, %d strides, %d box sizes", rank,
			len(t.Strides), len(t.Box))
	}
	var dims, strides [5]uint64
	var box, steps [5]uint32
	copy(dims[:], t.Dims)
	copy(strides[:], t.Strides)
	copy(box[:], t.Box)
	for i := range steps {
		steps[i] = 1
	}
	room := new([192]byte) // the driver requires the alignment
	skip := -int(uintptr(unsafe.Pointer(room))) & (TensorMapAlign - 1)
	const interleaveNone, fillZero = 0, 0
	err := d.call(p, uintptr(unsafe.Pointer(&room[skip])), uintptr(t.Type), uintptr(rank), uintptr(t.Base),
		uintptr(unsafe.Pointer(&dims)), uintptr(unsafe.Pointer(&strides)), uintptr(unsafe.Pointer(&box)),
		uintptr(unsafe.Pointer(&steps)),
		interleaveNone, uintptr(t.Swizzle), uintptr(t.Promote), fillZero)
	return TensorMap(room[skip : skip+128]), err
}
