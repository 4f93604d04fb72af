package device

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestReadingCompares(t *testing.T) {
	var r Reading
	r.Compare(5, []uint64{5, 6}, 0)
	r.Compare(5, []uint64{5, 6}, 1)
	r.Compare(5, nil, 0) // nobody knows
	if r.Checked != 2 || r.Wrong != 1 {
		t.Errorf("%d of %d wrong", r.Wrong, r.Checked)
	}
}

// TestRenewals: inputs rotate from sample to sample, every arena has others than its neighbour, and outputs stay only
// where they are right for other inputs than the ones that come.
func TestRenewals(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	coin := func() bool { return Coin(rng) }
	for _, c := range []struct {
		name          string
		sets          int
		first, rotate bool
		keeps         bool // at times
	}{
		{"the first sample", 3, true, true, false},
		{"later", 3, false, true, true},
		{"one set", 1, false, true, false},
		{"cold", 3, false, false, false},
	} {
		kept, wild := 0, 0
		for turn := range 200 {
			list := Renewals(2, c.sets, turn, c.first, c.rotate, coin)
			for i, r := range list {
				want := -1
				if c.rotate {
					want = (i + turn) % c.sets
				}
				if r.Set != want {
					t.Fatalf("%s: turn %d, arena %d gets set %d, expected %d", c.name, turn, i, r.Set, want)
				}
				if r.Keep {
					kept++
				}
				if r.How == Wild {
					wild++
				}
			}
		}
		if (kept > 0) != c.keeps || c.keeps && (kept < 150 || kept > 250) || wild < 150 || wild > 250 {
			t.Errorf("%s: outputs stay in %d of 400, %d are wild", c.name, kept, wild)
		}
	}
}

// TestRenewalsOfBothSides: two samplers with the same coins get the same, however many samples were taken before.
func TestRenewalsOfBothSides(t *testing.T) {
	var sides [2][]Renewal
	for side := range sides {
		rng := rand.New(rand.NewPCG(9, 0))
		for turn := range 20 {
			for _, r := range Renewals(3, 4, 2*turn+side, turn == 0, true, func() bool { return Coin(rng) }) {
				r.Set = 0
				sides[side] = append(sides[side], r)
			}
		}
	}
	if !slices.Equal(sides[0], sides[1]) {
		t.Error("the sides of a duel find other refills")
	}
}
