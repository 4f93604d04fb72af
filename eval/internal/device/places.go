package device

import "math/bits"

// Mix is splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// keyOf is what the random numbers of an input depend on, by its number among the inputs.
func keyOf(seed uint64, tensor int) uint64 { return Mix(seed ^ Mix(uint64(tensor)+1)) }

// Sparse reports whether a line of the class lead, by its coins, has a single number that is not 0.
func Sparse(coins uint64) bool { return coins>>2 == 3 }

// Agreements is in how many ways indices agree: four, each with exceptions and without.
const Agreements = 8

// Agreement is the number of the way in which those of an input do, by its number among the inputs.
func Agreement(tensor int, seed uint64) int { return int(keyOf(seed, tensor) >> 40 & (Agreements - 1)) }

// Specials says which of inf and NaN an input of the class special has, where its lines are of no other class.
type Specials int

// An input has both in one case of two.
const (
	InfAndNaN Specials = iota
	NaNAlone
	InfAlone
)

// SpecialsOf are those of an input, by the key of its random numbers.
func SpecialsOf(key uint64) Specials { return Specials(max(int(key>>62)-1, 0)) }

// Specials are those of an input, by its number among them, of a case of the class special with this seed.
func (c *Case) Specials(seed uint64, input int) Specials { return SpecialsOf(keyOf(seed, input)) }

// FirstTurn is the number of the class, among those of a case with lines of many classes, that is the first in turn.
func FirstTurn(f Fill, seed uint64) int {
	classes, _ := f.Few()
	return int(Mix(keyOf(seed, f.Tensor)) % uint64(bits.OnesCount32(classes)))
}

// How much is at either end of a line, and how long the chunks are that lines are worked on in.
const (
	lastOfLine  = 32 // numbers: what is no whole vector for a warp
	firstOfLine = 8  // numbers before the first whole vector
	chunkPower  = 5  // of two: of the shortest chunk
)

// OddPlace is where the odd one of a line of so many numbers stands: at its end in one line of four, among its last 32
// or first 8 in another, where loops have their tails and their heads; in the others at the edge of a chunk, of 32
// numbers or any power of two beyond, or anywhere. h are random bits of the line, and coins four.
func OddPlace(h, coins, length uint64) uint64 {
	any, edge, before := h&0x3fffffff, h>>56&1 == 1, h>>57&1
	switch {
	case coins>>2 == 0:
		return length - 1
	case coins>>2 == 1 && edge && before == 1:
		return 0
	case coins>>2 == 1 && edge:
		return any % min(length, firstOfLine)
	case coins>>2 == 1:
		return length - 1 - any%min(length, lastOfLine)
	case edge && length > 2<<chunkPower:
		power := chunkPower + h>>48&0xff%uint64(bits.Len64(length-1)-chunkPower)
		return (1+any%((length-1)>>power))<<power - before
	}
	return length - 1 - any%length
}

// Outlier is where the number stands that stands out from a line, in a case of the class outlier alone, whether it
// is negative, and whether it is far from the others.
func Outlier(f Fill, seed, line uint64) (at int, negative, far bool) {
	h := Mix(keyOf(seed, f.Tensor) ^ Mix(line))
	coins := h >> 60
	return int(OddPlace(h, coins, uint64(f.Len))), coins == 3 || coins>>2 != 0 && coins&2 != 0,
		coins>>2 == 0 || coins&3 != 0
}

// linesOf is how many lines an input has.
func (c *Case) linesOf(i int, f Fill) int { return (c.Buffers[i].Elems() + f.Len - 1) / f.Len }

// plainClasses are how many of the classes of a mixed case, the first ones, are ordinary: a problem's own first one, or
// normal and uniform numbers.
func plainClasses(tensor int) int { return min(tensor, 1) + 1 }

// OnlyLine reports whether the first input is one line.
func (c *Case) OnlyLine() bool {
	for i, b := range c.Buffers {
		if !b.Out {
			f, err := c.Fill(i)
			return err == nil && b.Drawn == nil && c.linesOf(i, f) == 1
		}
	}
	return false
}

// Plain is how many of its inputs begin with an ordinary line, in a mixed case of this seed, and how many could.
func (c *Case) Plain(seed uint64) (plain, of int) {
	for i, b := range c.Buffers {
		if b.Out || b.Made || b.Drawn != nil {
			continue
		}
		if f, err := c.Fill(i); err == nil {
			of++
			if First(f, seed) < plainClasses(f.Tensor) {
				plain++
			}
		}
	}
	return plain, of
}

// Peaked says where in a line a number stands out to one side, in a case of the class outlier: in which of so many
// parts, and, numbered after these, what remains of its place by as many.
func (c *Case) Peaked(t Terms, seed uint64, parts int, negative bool) map[int]bool {
	f, err := c.Fill(t.Buffer)
	found := map[int]bool{}
	if err != nil {
		return found
	}
	for line := range c.linesOf(t.Buffer, f) {
		if at, below, far := Outlier(f, seed, uint64(line)); far && below == negative {
			found[at*parts/f.Len], found[parts+at%parts] = true, true
		}
	}
	return found
}
