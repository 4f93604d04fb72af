package graph

import "testing"

// TestShares: terms are divided where there are few tiles, and no further than they go round.
func TestShares(t *testing.T) {
	wide, square := wideTiles[0], wideTiles[1]
	for _, tt := range []struct {
		name string
		n    [4]int // batches, rows, columns, terms
		tile tileStart
		want int
	}{
		{"many tiles", [4]int{1, 4096, 4096, 4096}, wide, 1},
		{"two tiles of many terms: one on each of 132 multiprocessors", [4]int{1, 256, 256, 524288}, wide, 66},
		{"four tiles, two on a multiprocessor", [4]int{1, 256, 256, 524288}, square, 66},
		{"four tiles, one on a multiprocessor", [4]int{1, 512, 512, 524288}, wide, 16},
		{"four wide tiles", [4]int{1, 256, 512, 524288}, wide, 33},
		{"terms of no more than 33 shares", [4]int{1, 256, 256, 33 * 512}, wide, 33},
		{"two tiles of few terms", [4]int{1, 256, 256, 4096}, wide, 8},
		{"batches", [4]int{64, 256, 256, 524288}, wide, 1},
		{"a few tiles", [4]int{1, 1024, 1024, 8192}, wide, 4},
	} {
		if got := shares(tt.n, tt.tile); got != tt.want {
			t.Errorf("%s: %d shares, want %d", tt.name, got, tt.want)
		}
	}
}

// TestTilesOf: a tile is no larger than the result, but for what a power of two adds.
func TestTilesOf(t *testing.T) {
	for _, tt := range []struct{ rows, cols, m, n int }{
		{4096, 4096, 128, 256}, {65, 4096, 128, 256}, {64, 4096, 64, 256}, {17, 4096, 32, 256}, {4096, 3, 256, 16},
	} {
		if got := tilesOf(tt.rows, tt.cols)[0]; got.m != tt.m || got.n != tt.n {
			t.Errorf("%d x %d: tiles of %d x %d, want %d x %d", tt.rows, tt.cols, got.m, got.n, tt.m, tt.n)
		}
	}
}
