package session

import (
	"iter"
	"math/rand/v2"

	"darwarp/kernels"
)

// Point is one point of a space.
type Point struct {
	Family *kernels.Family
	Genes  kernels.Genome
	Bar    *kernels.Bar // what a run is given up by; nil: nothing is known
}

// Verdict is what came of a point. err is our own fault.
type Verdict struct {
	Point Point
	C     kernels.Candidate
	Err   error
}

// RandomPoints draws without repeating, from all spaces in turn.
func (s *Session) RandomPoints(seed uint64) iter.Seq[Point] {
	rng := rand.New(rand.NewPCG(seed, 0))
	orders := make([][]int, len(s.Spaces))
	for i, x := range s.Spaces {
		orders[i] = rng.Perm(x.Len())
	}
	return func(yield func(Point) bool) {
		for k, more := 0, true; more; k++ {
			more = false
			for i, x := range s.Spaces {
				if k >= len(orders[i]) {
					continue
				}
				if more = true; !yield(Point{Family: x.Family, Genes: x.Genome(x.At(orders[i][k]))}) {
					return
				}
			}
		}
	}
}

// FirstPoints are the first n; all where n is 0.
func FirstPoints(points iter.Seq[Point], n int) iter.Seq[Point] {
	if n == 0 {
		return points
	}
	return func(yield func(Point) bool) {
		left := n
		for p := range points {
			if left--; !yield(p) || left == 0 {
				return
			}
		}
	}
}
