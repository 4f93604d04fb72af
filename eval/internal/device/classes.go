package device

import (
	"fmt"
	"math"
	"slices"

	"darwarp/kernels"
)

// Classes are the input classes by the numbers that harness.cu knows them by.
var Classes = []string{"normal", "uniform", "cancel", "onehot", "wide", "exact", "denormal", "large", "offset",
	"extreme",
	"constant", "zeros", "lead", "tiny", "huge", "needles", "special", "shift", "outlier"}

// hardFrom is the number of the first class that is hard for what it does to one tensor: the others are normal then.
var hardFrom = slices.Index(Classes, "extreme")

// Mixed is the class of a case whose inputs have lines of many classes: those of Case.Mix.
const Mixed = "mixed"

// MostNeedles is how many terms of a line count in the class needles.
const MostNeedles = 64

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
	Classes    uint32 // a bit for each; where there are several, lines take turns
	Tensor     int    // its number among the inputs
	Inner, Len int    // a line has Len elements, Inner apart
	Neutral    uint32
}

// chunk is the length of a line of an array that is not summed: its hard numbers stand side by side.
const chunk = 64

// Fill is that of input buffer number i. Lines run along the terms of the sum, else along the last axis.
func (c *Case) Fill(i int) (Fill, error) {
	b, f := c.Buffers[i], Fill{Inner: 1, Tensor: -1}
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
	} else if len(b.Shape) == 1 {
		f.Len = min(f.Len, chunk)
	}
	classes := []string{c.Class}
	if c.Class == Mixed {
		classes = c.Mix[f.Tensor]
	}
	for _, class := range classes {
		bit, err := code(class, f.Tensor == c.Hard || c.Class == Mixed, summed)
		if err != nil {
			return f, err
		}
		f.Classes |= bit
	}
	if f.Classes == 0 {
		f.Classes = 1 // normal
	}
	return f, nil
}

// code is the bit of a class for one tensor. Needles lie among the terms, leading zeros everywhere, and what else is
// hard in the hard tensor alone: where that has lines about numbers of their own, the others are of one sign, so that
// products are, too.
func code(class string, hard, summed bool) (uint32, error) {
	n := slices.Index(Classes, class)
	switch {
	case n < 0:
		return 0, fmt.Errorf("unknown input class %q", class)
	case n < hardFrom || class == "lead":
	case class == kernels.Needles && summed, class != kernels.Needles && hard:
	case class == "shift":
		n = slices.Index(Classes, "uniform")
	default:
		n = 0
	}
	return 1 << n, nil
}
