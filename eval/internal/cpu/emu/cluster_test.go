package emu

import (
	"fmt"
	"testing"
)

// TestClusters: blocks of a cluster know their rank, meet, and write to each other's static and dynamic shared
// memory, under several orders and shapes.
func TestClusters(t *testing.T) {
	for _, checked := range []bool{false, true} {
		p := build(t, testdata(t, "cluster.cu"), checked)
		for _, c := range []struct{ grid, cluster dim }{
			{dim{1, 1, 1}, dim{1, 1, 1}}, {dim{8, 1, 1}, dim{2, 1, 1}}, {dim{8, 2, 1}, dim{4, 2, 1}},
			{dim{16, 1, 1}, dim{16, 1, 1}},
		} {
			p.cluster = c.cluster
			blocks := int(c.cluster[0] * c.cluster[1])
			for p.seed = range 3 {
				out := newMemory("out", 4*3*16)
				p.good(t, "sums", c.grid, x(64), 4*16, out, blocks)
				for y := range int(c.grid[1]) {
					for i := range int(c.grid[0]) {
						cx, cy := int(c.cluster[0]), int(c.cluster[1])
						want := [3]int32{int32(y%cy*cx + i%cx), 0, int32(blocks * (blocks - 1) / 2)}
						for b := range blocks {
							want[1] += int32(i/cx*cx + b%cx + 100*(y/cy*cy+b/cx))
						}
						at := (y*int(c.grid[0]) + i) * 3
						if got := [3]int32(view[int32](out)[at : at+3]); got != want {
							t.Fatalf("checked %v, grid %v in clusters of %v: block %d,%d got %v, want %v", checked, c.grid, c.cluster, i,
								y, got, want)
						}
					}
				}
			}
		}
	}
}

// TestClusterReads: a block reads what another one has written.
func TestClusterReads(t *testing.T) {
	p := build(t, testdata(t, "cluster.cu"), true)
	p.cluster = dim{4, 1, 1}
	for p.seed = range 3 {
		for _, kernel := range []string{"reads", "sends"} {
			out := newMemory("out", 16*8*4)
			p.good(t, kernel, x(8), x(32), 0, out, 4)
			for i, got := range view[[4]float32](out) {
				block, rank := i/4, i%4
				if want := [4]float32{float32(rank), 1, 2, float32(block/4*4 + rank)}; got != want {
					t.Fatalf("%s: block %d has %v of block %d, expected %v", kernel, block, got, rank, want)
				}
			}
		}
	}
}

// TestClusterEnded: who reads the shared memory of a block that may have ended is found in some order of the blocks,
// with its line where lines are known; in the others it reads what was there.
func TestClusterEnded(t *testing.T) {
	source := testdata(t, "cluster.cu")
	for _, checked := range []bool{false, true} {
		p := build(t, source, checked)
		p.cluster = dim{2, 1, 1}
		found := 0
		for p.seed = range 16 {
			out := newMemory("out", 4*16)
			r := p.launch(t, "ended", x(2), x(32), 0, out)
			if r.Kind == "" {
				continue
			}
			if found++; checked {
				caught(t, r, "race", marked(source, "<- ended"), 1)
			} else if r.Kind != "race" {
				t.Errorf("%s: %s", r.Kind, r.Message)
			}
		}
		if found == 0 {
			t.Errorf("checked %v: not found in 16 orders", checked)
		}
	}
}

// TestClusterBugs: what goes wrong between blocks is found, with its line.
func TestClusterBugs(t *testing.T) {
	source := testdata(t, "cluster.cu")
	p := build(t, source, true)
	p.cluster = dim{2, 1, 1}
	for _, c := range []struct {
		kernel, kind   string
		threads, block int
	}{
		{"early", "race", 2, 32},
		{"no_wait", "race", 2, 32},
		{"lonely", "deadlock", 2, 32},
		{"twice", "trap", 1, 32},
		{"beyond", "out_of_bounds", 1, 32},
		{"far", "out_of_bounds", 1, 32},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			for p.seed = range 4 {
				out := newMemory("out", 4*16)
				r := p.launch(t, c.kernel, x(2), x(c.block), 0, out)
				caught(t, r, c.kind, marked(source, "<- "+c.kernel), c.threads)
			}
		})
	}
	out := newMemory("out", 4*16)
	if r := p.launch(t, "sums", x(3), x(32), 0, out, 2); r.Kind != "trap" ||
		r.Message != "a grid is a whole number of clusters" {
		t.Errorf("half a cluster: %+v", r)
	}
	p.cluster = dim{17, 1, 1}
	if r := p.launch(t, "sums", x(17), x(32), 0, out, 17); r.Kind != "trap" {
		t.Errorf("17 blocks: %+v", r)
	}
}

// TestClusterSeed: one seed, one order, whatever the operating system does with the threads.
func TestClusterSeed(t *testing.T) {
	p := build(t, testdata(t, "warp.cu"), false)
	p.cluster = dim{4, 1, 1}
	orders := map[string]bool{}
	for p.seed = range 4 {
		var first string
		for again := range 3 {
			turn, blocks := newMemory("turn", 4*64*8), newMemory("blocks", 4*9)
			p.good(t, "order", x(8), x(64), 0, turn, blocks)
			got := fmt.Sprint(view[int32](turn), view[int32](blocks))
			if again == 0 {
				first = got
			} else if got != first {
				t.Fatalf("seed %d gives two orders:\n%s\n%s", p.seed, first, got)
			}
		}
		orders[first] = true
	}
	if len(orders) != 4 {
		t.Errorf("4 seeds give %d orders", len(orders))
	}
}
