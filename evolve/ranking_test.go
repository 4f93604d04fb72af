package evolve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate"
)

// TestOrdered: an order that one after the other was added to is that of all that was seen, of equals the first before
// the others, duplicates and failures included, also after some have died, have fallen, or have other scores.
func TestOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	var r ranking
	check := func(what string) {
		t.Helper()
		want := slices.Clone(r.seen)
		slices.SortStableFunc(want, byScore)
		if got := r.ordered(); !slices.Equal(got, want) {
			t.Fatalf("%s, %d seen: the order is another", what, len(r.seen))
		}
	}
	none := map[kernels.ID]bool{}
	for i := range 300 {
		o := &mutate.Individual{ID: kernels.ID{byte(i), byte(i >> 8)}, Score: float64(1 + rng.IntN(60))}
		if i%5 == 2 {
			o.Score = math.Inf(1)
		}
		r.add(o, i%7 == 0)
		check("added")
		switch i {
		case 100:
			r.removeDead(map[kernels.ID]bool{r.best[3].ID: true, r.seen[2].ID: true})
			check("removed")
		case 150:
			r.fail(map[kernels.ID]bool{r.best[0].ID: true})
			check("failed")
		case 200:
			r.rank(func(o *mutate.Individual) float64 { return 100 - o.Score })
			check("ranked")
		case 250:
			r.renew()
			r.removeDead(none)
			check("renewed")
		}
	}
}
