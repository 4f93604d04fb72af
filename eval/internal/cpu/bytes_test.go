package cpu

import (
	"encoding/binary"
	"math"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// sameBytes: both round to the types of one byte in the same way, whatever the number.
func sameBytes(t *testing.T, p *program) {
	const n = 1 << 16
	theirs := memory(t, n)
	for d, code := range gpu.DTypeCodes {
		for _, low := range []uint32{0, 1, 0x8000, 0xffff} {
			if d.Size() > 1 {
				continue
			}
			p.call(t, "test_bytes", theirs, n, uint64(code), uint64(low))
			for i, got := range theirs[:n] {
				v := math.Float32frombits(uint32(i)<<16 | low)
				if d.Whole() && v != v { // is never drawn
					continue
				}
				if want := check.ByteBits(d, v); got != want {
					t.Fatalf("%s: %g is %#02x there, %#02x here", d, v, got, want)
				}
			}
		}
	}
}

// sameAsCUDA: the emulated conversions of cuda_fp8.h round as inputs do, but for what has no number there, and the
// library widens every code to its number.
func sameAsCUDA(t *testing.T, p *program) {
	const n = 1 << 16
	theirs, wide := memory(t, n), memory(t, 4*256)
	for _, d := range []kernels.DType{kernels.E4M3, kernels.E5M2} {
		code := uint64(gpu.DTypeCodes[d])
		last := check.ByteBits(d, float32(d.Max()))
		beyond := [2]uint8{check.ByteBits(d, float32(math.Inf(1))), last} // without saturation, and with it
		limit := d.Max() + (d.Max()-check.ByteValue(d, last-1))/2
		for _, low := range []uint32{0, 1, 0x8000, 0xffff} {
			for saturate := range uint64(2) {
				p.call(t, "test_cuda", theirs, n, code, uint64(low), saturate)
				for i, got := range theirs[:n] {
					v := math.Float32frombits(uint32(i)<<16 | low)
					want, size := check.ByteBits(d, v), math.Abs(float64(v))
					if size > limit || size == limit && last&1 == 1 { // a tie goes to the even one of two neighbours
						want = want&0x80 | beyond[saturate]
					}
					if got != want {
						t.Fatalf("%s, saturation %d: %g is %#02x there, expected %#02x", d, saturate, v, got, want)
					}
				}
			}
		}
		p.call(t, "test_widen", wide, code)
		for i := range 256 {
			got, want := math.Float32frombits(binary.LittleEndian.Uint32(wide[4*i:])), check.ByteValue(d, uint8(i))
			if float64(got) != want && (got == got || want == want) {
				t.Errorf("%s %#02x is %g there, expected %g", d, i, got, want)
			}
		}
	}
}

// fourBits: the library's numbers of all codes and zero points, in both types.
func fourBits(t *testing.T, p *program) {
	out := memory(t, 4*8*256)
	for _, word := range []uint64{0x76543210, 0xfedcba98} {
		for bf16 := range uint64(2) {
			p.call(t, "test_int4", out, word, bf16)
			for i := range 8 * 16 {
				got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
				if want := -0.75 * float32(int(word>>(4*(i%8))&15)-i/8); got != want {
					t.Errorf("code %d of %#x less %d is %g, expected %g", i%8, word, i/8, got, want)
				}
			}
		}
	}
}

// fourBitFloats: the numbers of all codes at every place of a word, in both types, with every scale that the library
// says it has.
func fourBitFloats(t *testing.T, p *program) {
	out := memory(t, 4*8*256)
	for _, word := range []uint64{0x76543210, 0xfedcba98, 0x89abcdef, 0x01234567} {
		for bf16 := range uint64(2) {
			p.call(t, "test_e2m1", out, word, bf16)
			for i := range 8 * 25 {
				got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
				want := check.E2M1(uint8(word>>(4*(i%8)))&15) * math.Ldexp(1, i/8-17)
				if math.Float64bits(float64(got)) != math.Float64bits(want) {
					t.Errorf("code %d of %#x by 2^%d is %g, expected %g", i%8, word, i/8-17, got, want)
				}
			}
		}
	}
}
