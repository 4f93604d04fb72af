package kernels

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"darwarp/kernels/expr"
)

// Drawn says which numbers an input holds that is of no input class, from Low to High.
type Drawn struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	How  Draw    `json:"how,omitempty"`
	// Of numbers that are not whole: by how many powers of two less and more than that lines go where they are of many
	// classes, and whether numbers have either sign
	Down   int  `json:"down,omitempty"`
	Up     int  `json:"up,omitempty"`
	Signed bool `json:"signed,omitempty"`
	// Of whole numbers: one in so many is Also, which need not lie between Low and High, but for one of all that is none;
	// 0: none is
	Share int     `json:"share,omitempty"`
	Also  float64 `json:"also,omitempty"`
}

// alsoShare is how many numbers there are for one that is Tensor.Also.
const alsoShare = 8

// Draw is how the numbers of a range are drawn. Evenly: each whole number as often as any other; of types that have
// others as well, positive numbers by their logarithms, and powers of two alone in the class "exact".
type Draw string

// The ways to draw.
const (
	Evenly      Draw = ""
	Lengths     Draw = "lengths"     // often both ends of the range, and where tiles and pages end
	Offsets     Draw = "offsets"     // an increasing list: where sequences that lie one after the other begin, and the end
	Skewed      Draw = "skewed"      // offsets of lines of which a few have most of it, and some may have none
	Permutation Draw = "permutation" // of n elements each number from 0 to n - 1 once
	// What Evenly becomes where lines are of many classes: runs of equal and of rising numbers, both ends of the range,
	// and a number that comes more often than any other. No problem names it
	Clustered Draw = "clustered"
	// What Permutation becomes there: an order that most numbers keep, or turned round or shifted, but for a few
	NearlyInOrder Draw = "nearly in order"
	// What Evenly becomes where few lines are hard: one number, but for a few
	Agreed Draw = "agreed"
	// Numbers of either sign up to High, evenly by their logarithms, and a few up to -Low, of int32 inputs without a range
	Unbounded Draw = "unbounded"
)

var draws = []Draw{Evenly, Lengths, Offsets, Skewed, Permutation}

// Bound is an end of a range: a number, or an expression over dims.
type Bound string

// UnmarshalText takes numbers as well as strings.
func (b *Bound) UnmarshalText(text []byte) error {
	*b = Bound(text)
	return nil
}

// maxRange bounds the numbers of a range that are not whole: beyond it, and below its inverse, float32 is near its
// ends.
const maxRange = 1 << 24

// Drawn reports whether the numbers of a tensor are those of a range or a permutation, or follow from other tensors',
// whatever the input class.
func (t *Tensor) Drawn() bool {
	_, _, always := t.DType.drawn()
	return t.Role == "in" && (always || t.Range != nil || t.Draw != "" || t.Made)
}

// drawnExprs are the ends of a tensor's range: expressions where its numbers are whole.
type drawnExprs struct{ low, high *expr.Expr }

func (p *Problem) compileDrawn(n *notes, key string, t *Tensor, scope expr.Scope) (d drawnExprs) {
	switch {
	case !slices.Contains(draws, t.Draw):
		n.addf(key+".draw", "%q: expected lengths, offsets, skewed or permutation", t.Draw)
	case t.DType == I64 && t.Range == nil && t.Draw != Permutation:
		n.addf(key+".range", "missing: expected the least and the greatest number of an int64 tensor")
	case t.Also != nil && (t.Role != "in" || t.DType != I32 && t.DType != I64 || t.Range == nil || t.Draw != ""):
		n.addf(key+".also", "expected none: a number beside a range, without draw, is of inputs of int32 or int64")
	case t.Also != nil && int(int32(*t.Also)) != *t.Also:
		n.addf(key+".also", "%d: expected a number from -2^31 to 2^31 - 1", *t.Also)
	case (t.Reach != nil || t.Signed) && (t.DType.Whole() || len(t.Range) != 2):
		n.addf(key+".range", "expected two numbers that need not be whole: reach and signed say more about these")
	case t.Range == nil && t.Draw == "":
	case t.Role != "in":
		n.addf(key+".range", "only inputs are drawn from a range")
	case t.Draw != "" && !(t.DType == I32 || t.DType == I64):
		n.addf(key+".draw", "expected none: lengths, offsets and permutations are of int32 or int64")
	case t.Draw == Permutation && t.Range != nil:
		n.addf(key+".range", "expected none: a permutation has the numbers from 0 on")
	case t.Draw == Permutation:
	case len(t.Range) != 2:
		n.addf(key+".range", `expected the least and the greatest number, as in [0, 15] or ["1", "s"]`)
	case t.DType.Whole():
		d.low = p.intExpr(n, key+".range[0]", string(t.Range[0]), scope)
		d.high = p.intExpr(n, key+".range[1]", string(t.Range[1]), scope)
	default:
		n.add(key+".range", t.checkScales())
		n.add(key+".reach", t.checkReach())
	}
	return d
}

// scales are the ends of a range whose numbers are not whole; 0 where one is no number.
func scales(ends []Bound) (low, high float64) {
	low, _ = strconv.ParseFloat(string(ends[0]), 64)
	high, _ = strconv.ParseFloat(string(ends[1]), 64)
	return low, high
}

// checkReach says what is wrong with how far a range reaches where lines are of many classes.
func (t *Tensor) checkReach() error {
	if t.Reach == nil {
		return nil
	}
	low, high := scales(t.Range)
	if len(t.Reach) == 2 {
		if least, most := scales(t.Reach); least >= 1./maxRange && least <= low && most >= high && most <= maxRange {
			return nil
		}
	}
	return fmt.Errorf("%v: expected two numbers from 2^-24 to 2^24 with the range [%g, %g] between them", t.Reach,
		low, high)
}

// checkScales says what is wrong with a range of numbers that are not whole. A power of two lies within it, for the
// class "exact".
func (t *Tensor) checkScales() error {
	low, high := scales(t.Range)
	switch {
	case !(low >= 1./maxRange && high <= maxRange && low < high):
		return fmt.Errorf("[%s, %s]: expected two numbers from 2^-24 to 2^24, the least first", t.Range[0],
			t.Range[1])
	case math.Exp2(math.Floor(math.Log2(high))) < low:
		return fmt.Errorf("[%g, %g]: expected a power of two between them", low, high)
	}
	return nil
}

// drawn are the numbers of a tensor with so many elements; nil: those of an input class.
func (d drawnExprs) drawn(t *Tensor, elems int, env expr.Env) (*Drawn, error) {
	low, high, always := t.DType.drawn()
	switch {
	case t.Role != "in":
		return nil, nil
	case t.Draw == Permutation:
		return wholeRange(0, elems-1, t)
	case d.low != nil && d.high != nil:
		from, err := d.low.Int(env)
		if err != nil {
			return nil, err
		}
		to, err := d.high.Int(env)
		if err != nil {
			return nil, err
		}
		return wholeRange(from, to, t)
	case t.Range != nil:
		return t.scaled(), nil
	case !always:
		return nil, nil
	}
	return &Drawn{Low: low, High: high}, nil
}

// scaled are numbers that are not whole.
func (t *Tensor) scaled() *Drawn {
	d := Drawn{Signed: t.Signed}
	d.Low, d.High = scales(t.Range)
	if t.Reach != nil {
		least, most := scales(t.Reach)
		d.Down, d.Up = int(math.Log2(d.Low/least)), int(math.Log2(most/d.High))
	}
	return &d
}

func wholeRange(low, high int, t *Tensor) (*Drawn, error) {
	least, most := -1<<31, 1<<31-1
	if from, to, always := t.DType.drawn(); always {
		least, most = int(from), int(to)
	}
	if low < least || high > most || low > high {
		return nil, fmt.Errorf("%d to %d: expected the least number first, both from %d to %d", low, high, least, most)
	}
	d := &Drawn{Low: float64(low), High: float64(high), How: t.Draw}
	if t.Also != nil {
		d.Share, d.Also = alsoShare, float64(*t.Also)
	}
	return d, nil
}
