package device

import "math/bits"

// longLine is how many numbers a line has that a warp reads at once.
const longLine = 32

// sampledLine is how many numbers a line has that is told by one in 64 of them.
const sampledLine = 512

// Beginning is what the first line of an input is, or the last one; or one of its lines, of zeros but for one number.
type Beginning struct {
	Tensor, Class int
	Long          bool
	Last          bool
	Sparse        bool
	Variant       int // of a last line that is special: 0 NaN, 1 inf, 2 -inf
}

// Times is in how many cases of a session it is looked for. What is sparse tells less often: the other inputs have
// zeros, too, and NaN.
func (b Beginning) Times() int {
	if b.Sparse {
		return 4
	}
	return 1
}

// First is the number of the class, among those of a mixed case, that the first line of an input is of; -1: normal.
func First(f Fill, seed uint64) int {
	key, count := keyOf(seed, f.Tensor), uint64(bits.OnesCount32(f.Classes))
	if f.Tensor > 0 && count > 1 && key>>32&1 == 1 {
		return -1
	}
	return int(Mix(key) % count)
}

// Last is the number of the class that the last of so many lines is of, and its coins.
func Last(f Fill, seed uint64, lines int) (class int, coins uint64) {
	key, count, line := keyOf(seed, f.Tensor), uint64(bits.OnesCount32(f.Classes)), uint64(lines-1)
	turns := line
	if f.Tensor > 0 && count > 1 {
		if (line+key>>32)&1 == 1 {
			return -1, 0
		}
		turns = line / 2
	}
	if line/64 > 0 {
		turns += Mix(^key^line/64) & 0xff
	}
	return int((turns + Mix(key)%count) % count), (turns/count + Mix(key)) & 15
}

// last is what the last line of an input is.
func last(f Fill, seed uint64, lines int) Beginning {
	class, coins := Last(f, seed, lines)
	b := Beginning{Tensor: f.Tensor, Class: class, Last: true}
	if class >= 0 && f.class(class) == "special" && coins&1 == 0 {
		b.Variant = 1 + int(coins>>1&1)
	}
	return b
}

// class is that of a number among those of a mixed case.
func (f Fill) class(number int) string {
	for i, name := range Classes {
		if f.Classes>>i&1 == 0 {
			continue
		}
		if number--; number < 0 {
			return name
		}
	}
	return ""
}

// sparse reports whether a long line of so many is of zeros but for one number, as some of the class lead are.
func sparse(f Fill, seed uint64, lines int) bool {
	for line := range min(lines, linesLooked) {
		class, coins := Last(f, seed, line+1)
		if f.Len > sampledLine && class >= 0 && f.class(class) == "lead" && Sparse(coins) {
			return true
		}
	}
	return false
}

// linesLooked is among how many lines one is looked for.
const linesLooked = 64

// Begun names what the first and the last lines of its inputs are, as far as their numbers are of many classes and the
// line is not the only one. A first line of a few numbers is another thing than a long one.
func (c *Case) Begun(seed uint64) (list []Beginning) {
	for i, b := range c.Buffers {
		if b.Out || b.Made || b.Drawn != nil {
			continue
		}
		if f, err := c.Fill(i); err == nil && c.linesOf(i, f) > 1 {
			list = append(list, Beginning{Tensor: f.Tensor, Class: First(f, seed), Long: f.Len >= longLine},
				last(f, seed, c.linesOf(i, f)))
			if f.Tensor > 0 && sparse(f, seed, c.linesOf(i, f)) {
				list = append(list, Beginning{Tensor: f.Tensor, Sparse: true})
			}
		}
	}
	return list
}
