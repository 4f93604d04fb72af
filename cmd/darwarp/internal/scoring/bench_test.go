package scoring

import (
	"context"
	"testing"

	"darwarp/eval/replay"
	"darwarp/evolve"
	"darwarp/templates"
)

// shipped is a recording that comes with darwarp, to search on.
func shipped(t testing.TB, problem string) *Ground {
	t.Helper()
	rec, err := replay.Shipped(problem)
	if err != nil {
		t.Fatal(err)
	}
	return ground(t, rec)
}

// ground is a recording to search on.
func ground(t testing.TB, rec *replay.Record) *Ground {
	t.Helper()
	b, err := templates.FromFiles(rec.Bundle())
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGround(rec, b, 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// BenchmarkSearches is 50 searches of one strategy on one space: to stay below ten seconds on two cores.
func BenchmarkSearches(b *testing.B) {
	g := shipped(b, "gemm")
	for _, strategy := range evolve.Strategies() {
		b.Run(strategy, func(b *testing.B) {
			for b.Loop() {
				if _, err := g.Searches(context.Background(), strategy, 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
