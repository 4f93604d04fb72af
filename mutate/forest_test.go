package mutate

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestGrowBeside: a seed fixes a forest whose trees grow side by side.
func TestGrowBeside(t *testing.T) {
	rng, s := rand.New(rand.NewPCG(1, 2)), sample{}
	for range 200 {
		row := []uint8{uint8(rng.IntN(9)), uint8(rng.IntN(9)), uint8(rng.IntN(9))}
		s.rows, s.y = append(s.rows, row), append(s.y, float64(row[0])+0.1*float64(row[1]))
	}
	of := func(seed uint64) *forest { return growBeside(rand.New(rand.NewPCG(seed, 0)), s) }
	if !reflect.DeepEqual(of(1), of(1)) {
		t.Error("one seed has grown two forests")
	}
	if reflect.DeepEqual(of(1), of(2)) {
		t.Error("two seeds have grown one forest")
	}
	if v, _ := of(1).predict([][]uint8{{1, 4, 4}, {7, 4, 4}}); v[1]-v[0] < 4 {
		t.Errorf("%.2f and %.2f: expected 6 between them", v[0], v[1])
	}
}
