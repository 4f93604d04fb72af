package inputs

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Floats fills memory with numbers of type t, of the classes or the range that f says: a port of dw_fill in the GPU's
// harness. An error says that there is none.
func Floats(dst []byte, t kernels.DType, f device.Fill, seed uint64) error {
	n := uint64(len(dst) / t.Size())
	number, err := numbersOf(t, f, n, seed)
	if err != nil {
		return err
	}
	for i := range n {
		Put(dst, int(i), t, number(i))
	}
	return nil
}

// numbersOf gives the numbers of a tensor of n elements, by index.
func numbersOf(t kernels.DType, f device.Fill, n, seed uint64) (func(i uint64) float32, error) {
	var classes []func(*element) float32
	bitsOf, few := f.Few()
	for left := bitsOf; left != 0; left &= left - 1 {
		classes = append(classes, samples[device.Classes[bits.TrailingZeros32(left)]])
	}
	if f.Ranged() {
		return rangedOf(f, mix(seed^mix(uint64(f.Tensor)+1))), nil
	}
	inner, length := uint64(f.Inner), uint64(f.Len)
	if len(classes) == 0 || inner*length == 0 {
		return nil, fmt.Errorf("%+v: no class, or no line", f)
	}
	e := element{dtype: t, tensor: f.Tensor, common: mix(^seed), key: mix(seed ^ mix(uint64(f.Tensor)+1)),
		every: len(classes) > 1, neutral: math.Float32frombits(f.Neutral), length: length, count: (n + length - 1) / length}
	turn := turnsOf(&e, few, uint64(len(classes)))
	if f.One() {
		turn.parts = 1
	}
	turn.combed = f.Combed()
	turn.striped = f.Stripes()
	turn.spaced = f.Tensor > 0 && len(classes) > 1 && !few && !turn.striped
	return func(i uint64) float32 {
		e.i, e.r = i, mix(e.key+i)
		e.line, e.at = i/(inner*length)*inner+i%inner, i/inner%length
		var class int
		if class, e.coins = turn.of(e.line); class < 0 {
			return normal(e.r)
		}
		return classes[class](&e)
	}, nil
}

// turns says of which class a line is.
type turns struct {
	key, classes, lines uint64
	parts               uint64 // of the lines; in each of them one line is hard. 0: all are
	striped             bool   // lines of a class stand together
	combed              bool   // one in eight lines is hard
	spaced              bool   // every other line is normal
}

// Few lines of many are hard: each class once, and up to mostEach times where they are no more than one line in
// linesToOne.
const (
	mostEach   = 4
	linesToOne = 1 << 10
)

func turnsOf(e *element, few bool, classes uint64) turns {
	t := turns{key: e.key, classes: classes, lines: e.count}
	if few {
		each := min(max(e.count/(linesToOne*classes), 1), mostEach)
		t.parts = min(each*classes, (e.count+1)/2)
	}
	return t
}

// of gives the number of a line's class, and four coins for its variants. Classes take turns, from line to line or, if
// few lines are hard, from part to part; the class of the other lines there is -1. So each class occurs, whatever was
// drawn, and the variants of a class take turns, too. Of other inputs than the first every other line is normal: where
// all of a short one were zeros, no output would tell.
func (t *turns) of(line uint64) (class int, coins uint64) {
	at := line + t.shift(line)
	switch {
	case t.striped:
		at = line * t.classes / t.lines
	case t.spaced:
		if at = line/2 + t.shift(line); (line+t.key>>32)&1 == 1 {
			return -1, 0
		}
	case t.combed:
		var hard bool
		if at, hard = t.comb(line); !hard {
			return -1, 0
		}
	case t.parts > 0:
		if at = line * t.parts / t.lines; line != t.hard(at) {
			return -1, 0
		}
	}
	coins = mix(t.key^mix(line)) >> 60
	if t.classes > 1 && !t.striped {
		coins = (at/t.classes + mix(t.key)) & 15
	}
	return int((at + mix(t.key)%t.classes) % t.classes), coins
}

// blockOfLines is how many lines take turns evenly.
const blockOfLines = 64

// shift is how far the turns of a line's block are from those of the first: lines that stand a power of two apart, as
// those of two halves or of two planes, are not always of the same class.
func (t *turns) shift(line uint64) uint64 {
	block := line / blockOfLines
	if block == 0 {
		return 0
	}
	return mix(^t.key^block) & 0xff
}

// comb reports whether a line is one of eight that is hard: each eighth one, or an eighth of all. before tells how many
// of these came before it.
func (t *turns) comb(line uint64) (before uint64, hard bool) {
	slot := mix(^t.key) >> 60
	if eighth := slot & 7; slot >= 8 {
		return line, line*8/t.lines == eighth
	}
	return line / 8, line%8 == slot
}

// hard is the line of a part that is hard.
func (t *turns) hard(part uint64) uint64 {
	begin, end := (part*t.lines+t.parts-1)/t.parts, ((part+1)*t.lines+t.parts-1)/t.parts
	return begin + mix(^t.key^mix(part))%(end-begin)
}

// Put writes a number as element i of a tensor, rounded to its type.
func Put(dst []byte, i int, t kernels.DType, v float32) {
	switch t {
	case kernels.FP16:
		binary.LittleEndian.PutUint16(dst[2*i:], check.FP16Bits(float64(v)))
	case kernels.BF16:
		binary.LittleEndian.PutUint16(dst[2*i:], check.BF16Bits(float64(v)))
	case kernels.FP32:
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
	case kernels.I32:
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(int32(v)))
	case kernels.I64:
		binary.LittleEndian.PutUint64(dst[8*i:], uint64(int64(v)))
	default:
		dst[i] = check.ByteBits(t, v)
	}
}

// rangedOf gives the numbers of a tensor that has no classes, evenly by their logarithms; powers of two where outputs
// are compared bit for bit.
func rangedOf(f device.Fill, key uint64) func(i uint64) float32 {
	first, last := powers(f.Low, f.High)
	low, high := math.Log2(float64(f.Low)), math.Log2(float64(f.High))
	inner, length := uint64(f.Inner), uint64(f.Len)
	return func(i uint64) float32 {
		r := mix(key + i)
		v := min(max(float32(math.Exp2(low+float64(unit(uint32(r)))*(high-low))), f.Low), f.High)
		if f.Exact {
			v = float32(math.Ldexp(1, first+int(uint32(r>>32)%uint32(last-first+1))))
		}
		v = float32(math.Ldexp(float64(v), reached(f, i/(inner*length)*inner+i%inner, key)))
		if f.Signed && mix(^key+i)&1 == 1 {
			return -v
		}
		return v
	}
}

// reached is by how many powers of two the numbers of a line are more or less than its range, one line of two not at
// all.
func reached(f device.Fill, line, key uint64) int {
	r := mix(key ^ mix(line+1))
	if r>>63 == 1 {
		return 0
	}
	return int(r>>32%uint64(f.Down+f.Up+1)) - f.Down
}

// powers are the exponents of the least and the largest power of two of a range of normal positive numbers.
func powers(low, high float32) (first, last int) {
	return int((math.Float32bits(low)+0x7fffff)>>23) - 127, int(math.Float32bits(high)>>23) - 127
}
