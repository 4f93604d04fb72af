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
	I32:  {4, "int", 0, 0, 1<<31 - 1},
}

// Valid reports whether d is a type that darwarp knows.
func (d DType) Valid() bool { _, ok := dtypes[d]; return ok }

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

// ParseDType reads a type's name.
func ParseDType(s string) (DType, error) {
	if d := DType(s); d.Valid() {
		return d, nil
	}
	return "", fmt.Errorf("unknown dtype %q: expected fp16, bf16, fp32 or int32", s)
}
