package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// recordedSpace has so many points of so many genes, each with five values, or somewhat fewer.
func recordedSpace(genes, points int, rng *rand.Rand) *Space {
	s := &Space{radix: make([]uint64, genes)}
	place := uint64(1)
	for i := genes - 1; i >= 0; i-- {
		s.radix[i] = place
		place *= 5
	}
	for range points {
		s.codes = append(s.codes, rng.Uint64N(place))
	}
	slices.Sort(s.codes)
	s.codes = slices.Compact(s.codes)
	for i := range s.codes {
		s.packed = append(s.packed, pack(s.At(i))...)
	}
	return s
}

// BenchmarkNearestRecorded: a change of two genes in a recording of gemm's size.
func BenchmarkNearestRecorded(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 0))
	s := recordedSpace(24, 7066, rng)
	for b.Loop() {
		p := s.At(rng.IntN(len(s.codes)))
		p[rng.IntN(24)], p[rng.IntN(24)] = 4, 0
		s.nearestRecorded(p, rng)
	}
}

// TestNearestRecorded holds the packed search against a plain one.
func TestNearestRecorded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, genes := range []int{0, 1, 7, 8, 9, 17} {
		s := recordedSpace(genes, 300, rng)
		for range 50 {
			p := make(Point, genes)
			for g := range p {
				p[g] = uint8(rng.IntN(5))
			}
			rate := func(i int) int {
				far := 0
				for g, v := range s.At(i) {
					if v != p[g] {
						far += 1000 + apart(v, p[g])
					}
				}
				return far
			}
			least := rate(0)
			for i := range s.codes {
				least = min(least, rate(i))
			}
			if got := rate(s.nearestRecorded(p, rng)); got != least {
				t.Fatalf("%d genes, %v: distance %d, the nearest has %d", genes, p, got, least)
			}
		}
	}
}
