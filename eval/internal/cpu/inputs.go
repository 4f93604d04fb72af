package cpu

import (
	"encoding/binary"
	"fmt"
	"math"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// mix is splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps 32 random bits to (0, 1).
func unit(bits uint32) float32 { return (float32(bits) + 0.5) * 0x1p-32 }

// normal is the Box-Muller transform of 64 random bits.
func normal(r uint64) float32 {
	radius := math.Sqrt(-2 * math.Log(float64(unit(uint32(r)))))
	return float32(radius * math.Cos(2*math.Pi*float64(unit(uint32(r>>32)))))
}

func signed(r uint64, v float32) float32 {
	if r>>40&1 == 1 {
		return -v
	}
	return v
}

// samples are the input classes of the GPU's harness: the same distributions from the same bits.
var samples = map[string]func(tensor int, i, r uint64) float32{
	"normal":  func(_ int, _, r uint64) float32 { return normal(r) },
	"uniform": func(_ int, _, r uint64) float32 { return unit(uint32(r)) },
	// Terms near 1 in magnitude whose sum nearly cancels: the first tensor alternates in sign.
	"cancel": func(tensor int, i, r uint64) float32 {
		v := 1 + unit(uint32(r))*0x1p-6
		if tensor == 0 && i&1 == 1 {
			return -v
		}
		return v
	},
	// The first tensor picks few elements of the others: a wrong index gives a wrong number.
	"onehot": func(tensor int, _, r uint64) float32 {
		if tensor > 0 {
			return normal(mix(r))
		}
		if r&15 == 0 {
			return 1
		}
		return 0
	},
	// Magnitudes from 2^-5 to 2^5, so that a sum of a few thousand products still fits fp16.
	"wide": func(_ int, _, r uint64) float32 {
		return signed(r, float32(math.Exp2(float64(unit(uint32(r))*10-5))))
	},
	// -1, 0, 1: every partial sum is an integer that fp32 holds exactly, in any order.
	"exact":    func(_ int, _, r uint64) float32 { return float32(int(r%3) - 1) },
	"denormal": func(_ int, _, r uint64) float32 { return signed(r, unit(uint32(r))*0x1p-14) },
	// Magnitudes from 2^5 to 2^10: exponentials overflow fp32, and sums of squares overflow fp16.
	"large": func(_ int, _, r uint64) float32 {
		return signed(r, float32(math.Exp2(float64(unit(uint32(r))*5+5))))
	},
	// The first tensor far from 0 by its own measure: a variance as a difference of two means loses its digits.
	"offset": func(tensor int, _, r uint64) float32 {
		if tensor == 0 {
			return normal(r) + 256
		}
		return normal(r)
	},
}

// fillInput writes tensor number `tensor` of a case, a function of (seed, tensor, index) alone: the
// process that runs candidates and the one that computes the truth make the same inputs.
func fillInput(dst []byte, t kernels.DType, class string, tensor int, seed uint64) error {
	sample := samples[class]
	if sample == nil {
		return fmt.Errorf("unknown input class %q", class)
	}
	key := mix(seed ^ mix(uint64(tensor)+1))
	for i := range len(dst) / t.Size() {
		v := sample(tensor, uint64(i), mix(key+uint64(i)))
		switch t {
		case kernels.FP16:
			binary.LittleEndian.PutUint16(dst[2*i:], check.FP16Bits(float64(v)))
		case kernels.BF16:
			binary.LittleEndian.PutUint16(dst[2*i:], check.BF16Bits(float64(v)))
		case kernels.FP32:
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
		default:
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(int32(v)))
		}
	}
	return nil
}

// fillInputs writes all inputs of a case into an arena.
func fillInputs(c *gpu.Case, a *arena) error {
	tensor := 0
	for i, b := range c.Buffers {
		if b.Out {
			continue
		}
		if err := fillInput(a.buffers[i], b.DType, c.Class, tensor, c.Seed); err != nil {
			return fmt.Errorf("fill %s: %w", b.Name, err)
		}
		tensor++
	}
	return nil
}

// takeInputs copies inputs that another device has made, and that begin at an offset of the input memory, into an arena.
func takeInputs(c *gpu.Case, a *arena, memory []byte, at int) error {
	parts, err := c.Inputs(memory, at)
	for i, p := range parts {
		copy(a.buffers[i], p)
	}
	return err
}

// The two poisons: all ones is NaN in every float type, 0x7b is a large finite number in each.
const (
	poisonNaN    = 0xff
	poisonFinite = 0x7b
)

// poison fills the outputs of an arena.
func poison(c *gpu.Case, a *arena, v byte) {
	for i, b := range c.Buffers {
		if b.Out {
			fill(a.buffers[i], v)
		}
	}
}

// guard fills a zone with the pattern of the GPU's harness: byte i is byte i%8 of mix(key + i/8).
func guard(zone []byte, key uint64) {
	i := 0
	for ; i+8 <= len(zone); i += 8 {
		binary.LittleEndian.PutUint64(zone[i:], mix(key+uint64(i>>3)))
	}
	for ; i < len(zone); i++ {
		zone[i] = byte(mix(key+uint64(i>>3)) >> (8 * (i & 7)))
	}
}

// guardDamage counts the bytes of a zone that differ from the pattern.
func guardDamage(zone []byte, key uint64) (bad int) {
	for i := 0; i < len(zone); i += 8 {
		want := mix(key + uint64(i>>3))
		if i+8 <= len(zone) && binary.LittleEndian.Uint64(zone[i:]) == want {
			continue
		}
		for j := i; j < min(i+8, len(zone)); j++ {
			if zone[j] != byte(want>>(8*(j&7))) {
				bad++
			}
		}
	}
	return bad
}

// hash is the GPU harness' hash of a buffer: it depends on every byte and its place. salt tells
// buffers apart that share a sum.
func hash(b []byte, salt uint64) (sum uint64) {
	words := len(b) / 8
	for i := range words {
		sum += mix(binary.LittleEndian.Uint64(b[8*i:]) ^ mix(salt+uint64(i)))
	}
	for i, v := range b[8*words:] {
		sum += mix(uint64(v) ^ mix(salt+^uint64(i)))
	}
	return sum
}

// hashOutputs is the hash of all outputs of an arena.
func hashOutputs(c *gpu.Case, a *arena) (sum uint64) {
	for i, b := range c.Buffers {
		if b.Out {
			sum += hash(a.buffers[i], uint64(i)<<48)
		}
	}
	return sum
}
