package kernels

import "fmt"

// DType names an element type of a tensor.
type DType string

// The element types a problem may use.
const (
	FP16 DType = "fp16"
	BF16 DType = "bf16"
	FP32 DType = "fp32"
	I32  DType = "int32"
)

// The element types of indices and masks, which only inputs may have.
const (
	I64  DType = "int64" // drawn from a range, or a permutation: Drawn
	Mask DType = "bool"  // a byte, 0 or 1
)

// The element types of one byte, which only inputs may have, but for e4m3: as outputs its numbers are rounded to
// nearest and saturate.
const (
	E4M3 DType = "e4m3"  // no infinity; 0x7f and 0xff are its NaNs: OCP 8-bit Floating Point Specification
	E5M2 DType = "e5m2"  // the upper half of an fp16
	E8M0 DType = "e8m0"  // a power of two, 2^(code - 127); 0xff is NaN: OCP Microscaling Formats Specification
	I8   DType = "int8"  // always drawn from a range: Drawn
	U8   DType = "uint8" // the same; also two codes of four bits each
)

// FP22 is the type that Hopper's and Ada's tensor cores keep sums of eight-bit products in: the exponent of fp32 and 13
// bits behind the leading one, which is what is left where products and sum are aligned and cut off (DeepSeek-V3
// Technical Report, arXiv 2412.19437, 3.3.2: "around 14 bits"; SageAttention2, arXiv 2411.10958: 1, 8 and 13 bits). It
// is no type of a tensor.
const FP22 DType = "fp22"

// TF32 is what tensor cores take fp32 operands as: its exponent and 10 bits behind the leading one. It is no type of a
// tensor.
const TF32 DType = "tf32"

type dtypeInfo struct {
	size     int
	c        string
	roundoff float64 // unit roundoff u of round-to-nearest: half the distance from 1 to the next number
	smallest float64 // smallest positive normal number
	max      float64 // largest finite number
}

var dtypes = map[DType]dtypeInfo{
	FP16: {2, "__half", 0x1p-11, 0x1p-14, 65504},
	BF16: {2, "__nv_bfloat16", 0x1p-8, 0x1p-126, 0x1.fep127},
	FP32: {4, "float", 0x1p-24, 0x1p-126, 0x1.fffffep127},
	FP22: {0, "", 0x1p-13, 0x1p-126, 0x1.fffp127}, // cut off: by up to a whole unit in the last place
	TF32: {0, "", 0x1p-11, 0x1p-126, 0x1.ffcp127},
	I32:  {4, "int", 0, 0, 1<<31 - 1},
	I64:  {8, "long long", 0, 0, 1 << 53},
	Mask: {1, "bool", 0, 0, 1},
	E4M3: {1, "__nv_fp8_e4m3", 0x1p-4, 0x1p-6, 448},
	E5M2: {1, "__nv_fp8_e5m2", 0x1p-3, 0x1p-14, 57344},
	E8M0: {1, "unsigned char", 0x1p-1, 0x1p-127, 0x1p127}, // CUDA has a type for it from 12.8 on
	I8:   {1, "signed char", 0, 0, 127},
	U8:   {1, "unsigned char", 0, 0, 255},
}

// Valid reports whether d is a type that tensors may have.
func (d DType) Valid() bool { return dtypes[d].size > 0 }

// Size is the size of one element in bytes.
func (d DType) Size() int { return dtypes[d].size }

// CType is the CUDA C++ name of the type.
func (d DType) CType() string { return dtypes[d].c }

// Roundoff is the unit roundoff of the type (0 for integers): Higham, Accuracy and Stability of
// Numerical Algorithms, section 2.1.
func (d DType) Roundoff() float64 { return dtypes[d].roundoff }

// SmallestNormal is the smallest positive normal number of the type.
func (d DType) SmallestNormal() float64 { return dtypes[d].smallest }

// Max is the largest finite number of the type.
func (d DType) Max() float64 { return dtypes[d].max }

// Outputs reports whether tensors of the type may be written: of those of one byte only e4m3 has an error model, and
// int64 is for indices.
func (d DType) Outputs() bool { return d.Size() > 1 && d != I64 || d == E4M3 }

// Sums reports whether sums may be kept in the type.
func (d DType) Sums() bool { return d == FP22 || d.Outputs() && d.Size() > 1 }

// Whole reports whether the type has whole numbers only.
func (d DType) Whole() bool { return d.Valid() && d.Roundoff() == 0 }

// drawn is the range that inputs of a type without input classes are drawn from; always is false for the others.
func (d DType) drawn() (low, high float64, always bool) {
	switch d {
	case Mask:
		return 0, 1, true
	case I8:
		return -128, 127, true
	case U8:
		return 0, 255, true
	case E8M0:
		return 1. / 64, 1, true
	}
	return 0, 0, false
}

// ParseDType reads a type's name.
func ParseDType(s string) (DType, error) {
	if d := DType(s); d.Valid() {
		return d, nil
	}
	return "", fmt.Errorf("unknown dtype %q: expected "+
		"fp16, bf16, fp32, int32, int64, bool, e4m3, e5m2, e8m0, int8 or uint8", s)
}
