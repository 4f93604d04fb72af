package device

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"darwarp/kernels"
)

// Classes are the input classes by the numbers that harness.cu knows them by.
var Classes = []string{"normal", "uniform", "cancel", "onehot", "wide", "exact", "denormal", "large", "offset",
	"extreme",
	"constant", "zeros", "lead", "tiny", "huge", "needles", "special", "shift", "outlier",
	"single", "ordered", kernels.Alike}

// hardFrom is the number of the first class that is hard for what it does to one tensor: the others are normal then.
var hardFrom = slices.Index(Classes, "extreme")

// Mixed is the class of a case whose inputs have lines of many classes: those of Case.Mix.
const Mixed = "mixed"

// Rare is the class of a case whose inputs are ordinary but for a few lines of the classes of Case.Mix: a kernel that
// looks at some of the lines to choose its way does not see them.
const Rare = "rare"

// Striped is the class of a case in which lines of one class stand together, in as many stripes as there are classes of
// Case.Mix: whole tiles are of each of them. Where a truth takes long it is in place of a case for each class.
const Striped = "striped"

// Lone is the class of a case in which a single line of one input is hard, of one of the classes of Case.Mix: who looks
// at most of the lines, and takes the others for ordinary, does not see it.
const Lone = "lone"

// Comb is the class of a case in which one in eight lines of one input is hard, and all else ordinary: lines that many
// apart, or an eighth of all that stand together. Who looks at seven of eight lines, and takes the others for ordinary,
// sees none of them in one of its Slots.
const Comb = "comb"

// Slots is how many ways there are to choose the hard lines of a comb.
const Slots = 16

// Slot is the number of the way in which those of an input are chosen.
func Slot(f Fill, seed uint64) int { return int(Mix(^keyOf(seed, f.Tensor)) >> 60) }

// ByLine reports whether the inputs of a class have lines of many classes.
func ByLine(class string) bool {
	return class == Mixed || class == Rare || class == Striped || class == Lone || class == Comb
}

// rareBit marks the classes of few lines in Fill.Classes; the others are normal. stripedBit marks those of stripes,
// loneBit those of a single line, and combBit those of one in eight.
const (
	rareBit    = 1 << 31
	stripedBit = 1 << 30
	loneBit    = 1 << 29
	combBit    = 1 << 28
)

// MostNeedles is how many terms of a line count in the class needles.
const MostNeedles = 64

// AmongTerms reports whether a class places few numbers among neutral terms.
func AmongTerms(class string) bool { return class == kernels.Needles || class == kernels.Single }

// Terms says along which axis of which buffer the terms of a sum lie.
type Terms struct {
	Buffer  int    `json:"buffer"`
	Axis    int    `json:"axis"`
	Neutral uint32 `json:"neutral,omitempty"` // bits of the float32 that adds nothing
	Outs    []int  `json:"outs,omitempty"`    // by output: the axis that goes with it, -1 where there is none
}

// TermsOf are those of a problem.
func TermsOf(p *kernels.Problem) []Terms {
	var out []Terms
	for _, t := range p.Check.Terms {
		tensor, axis, neutral := t.Place()
		one := Terms{Buffer: tensor, Axis: axis, Neutral: math.Float32bits(float32(neutral))}
		for _, x := range p.Tensors {
			if x.Role == "out" {
				one.Outs = append(one.Outs, x.Along(t.Dim))
			}
		}
		out = append(out, one)
	}
	return out
}

// Fill says how the harness makes an input.
type Fill struct {
	Classes    uint32 // a bit for each; where there are several, lines take turns, or as rareBit and stripedBit say
	Tensor     int    // its number among the inputs
	Inner, Len int    // a line has Len elements, Inner apart
	Neutral    uint32
	// Low and High, where they differ, are the range that numbers which are not whole are drawn from, whatever the
	// class; Exact says that they are to be powers of two
	Low, High float32
	Exact     bool
	// Down and Up are by how many powers of two less and more lines of a range go; Signed says that its numbers have
	// either sign
	Down, Up int
	Signed   bool
}

// Ranged reports whether numbers are drawn from a range.
func (f Fill) Ranged() bool { return f.Low < f.High }

// Few reports whether only a few lines are of the classes, and which these are.
func (f Fill) Few() (classes uint32, few bool) {
	return f.Classes &^ (rareBit | stripedBit | loneBit | combBit), f.Classes&(rareBit|loneBit|combBit) != 0
}

// Combed reports whether one in eight lines is of the classes.
func (f Fill) Combed() bool { return f.Classes&combBit != 0 }

// One reports whether a single line is of one of the classes.
func (f Fill) One() bool { return f.Classes&loneBit != 0 }

// Stripes reports whether lines of a class stand together.
func (f Fill) Stripes() bool { return f.Classes&stripedBit != 0 }

// chunk is the most numbers in a line of an array that is not summed: its hard numbers stand side by side.
const chunk = 64

// chunkOf is the length of the lines of n numbers: so short that each class occurs, and one where few are hard.
func chunkOf(n, classes int, class string) int {
	if class == Rare || class == Lone || class == Comb {
		return 1
	}
	return 1 << (bits.Len(uint(min(chunk, max(n/classes, 1)))) - 1)
}

// Fill is that of input buffer number i. Lines run along the terms of the sum, else along the last axis.
func (c *Case) Fill(i int) (Fill, error) {
	b, f := c.Buffers[i], Fill{Inner: 1, Tensor: -1, Exact: c.Class == "exact"}
	if b.Drawn != nil {
		f.drawn(b.Drawn, c.Class)
	}
	for _, other := range c.Buffers[:i+1] {
		if !other.Out {
			f.Tensor++
		}
	}
	f.Len = b.Shape[len(b.Shape)-1]
	summed := len(c.Terms) > 0 && c.Terms[0].Buffer == i
	if summed {
		f.Neutral, f.Len = c.Terms[0].Neutral, b.Shape[c.Terms[0].Axis]
		for _, n := range b.Shape[c.Terms[0].Axis+1:] {
			f.Inner *= n
		}
	}
	classes := c.classesOf(f.Tensor)
	if !summed && len(b.Shape) == 1 {
		f.Len = chunkOf(f.Len, max(len(classes), 1), c.Class)
	}
	for _, class := range classes {
		bit, err := code(class, f.Tensor == c.Hard || len(c.Beside) > 0 || ByLine(c.Class), summed)
		if err != nil {
			return f, err
		}
		f.Classes |= bit
	}
	if f.Classes == 0 {
		f.Classes = 1 // normal
	}
	switch c.Class {
	case Rare:
		f.Classes |= rareBit
	case Striped:
		f.Classes |= stripedBit
	case Lone:
		f.Classes |= loneBit
	case Comb:
		f.Classes |= combBit
	}
	return f, nil
}

// drawn takes over a range. Its lines go beyond it where all are of many classes: among few hard ones the others are
// ordinary.
func (f *Fill) drawn(d *kernels.Drawn, class string) {
	f.Low, f.High, f.Signed = float32(d.Low), float32(d.High), d.Signed
	if class == Mixed || class == Striped {
		f.Down, f.Up = d.Down, d.Up
	}
}

// classesOf are those of the lines of an input, by its number.
func (c *Case) classesOf(input int) []string {
	switch {
	case (c.Class == Lone || c.Class == Comb) && input != c.Hard:
		return []string{"normal"}
	case ByLine(c.Class):
		return c.Mix[input]
	case input != c.Hard && len(c.Beside) > 0:
		return c.Beside
	case input == c.Hard && c.Apart:
		return []string{"normal", c.Class}
	}
	return []string{c.Class}
}

// code is the bit of a class for one tensor. Needles and single terms lie among the terms, leading zeros everywhere, as
// do lines that are alike, and what else is hard in the hard tensor alone: where that has lines about numbers of their
// own, the others are of one sign, so that products are, too.
func code(class string, hard, summed bool) (uint32, error) {
	n := slices.Index(Classes, class)
	switch {
	case n < 0:
		return 0, fmt.Errorf("unknown input class %q", class)
	case n < hardFrom || class == "lead" || class == kernels.Alike:
	case AmongTerms(class) && summed, !AmongTerms(class) && hard:
	case class == "shift":
		n = slices.Index(Classes, "uniform")
	default:
		n = 0
	}
	return 1 << n, nil
}
