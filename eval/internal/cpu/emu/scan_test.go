package emu

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"darwarp/kernels"
)

// scanSource is a point of the family of tiles that look back, for sums from the end of x * w, and x.
func scanSource(t *testing.T, genes map[string]any) string {
	t.Helper()
	text, err := os.ReadFile("../../../../templates/graph/testdata/cumsum_long.json")
	if err != nil {
		t.Fatal(err)
	}
	b := bundleOf(t, text)
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Families[0].Defaults()
	for name, v := range genes {
		p[name] = kernels.ParseValue(fmt.Sprint(v))
	}
	job, err := b.Job(b.Families[0], p, dev, kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	return job.Source
}

// scanned runs a point on rows of small integers, whose sums are exact, and says what is wrong.
func scanned(t *testing.T, p *program, rows, terms, threads, tile int) string {
	t.Helper()
	in, w, out := newMemory("x", 4*rows*terms), newMemory("w", 4*terms), newMemory("y", 4*rows*terms)
	tiles := (terms + tile - 1) / tile
	known := newMemory("known", 8*(1+rows*tiles))
	rng := rand.New(rand.NewPCG(uint64(terms), p.seed))
	for _, m := range []*memory{in, w} {
		m.readOnly = true
		for i := range view[float32](m) {
			view[float32](m)[i] = float32(rng.IntN(9) - 4)
		}
	}
	r := p.launch(t, "scan_tiles", x(rows*tiles), x(threads), 0, in, w, out, rows, terms, tiles, known)
	if r.Kind != "" {
		return r.Kind + ": " + r.Message
	}
	for row := range rows {
		var sum float32
		for c := terms - 1; c >= 0; c-- {
			at := row*terms + c
			sum += view[float32](in)[at] * view[float32](w)[c]
			if got := view[float32](out)[at]; got != sum+view[float32](in)[at] {
				return fmt.Sprintf("y[%d,%d] of %d x %d is %v", row, c, rows, terms, got)
			}
		}
	}
	return ""
}

// TestScanTiles runs running sums whose blocks look back, with the checks and by several threads without them, and
// mistakes in them.
func TestScanTiles(t *testing.T) {
	needCompiler(t)
	for _, c := range []struct{ name, old, new string }{
		{"", "", ""},
		{"no barrier before the results", "    __syncthreads();\n    tile.write(", "    tile.write("},
		{"the last tile is a whole one", "return i * PITCH < left;", "return i * PITCH <= left;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := scanSource(t, map[string]any{"threads": 64, "vector": 4, "items": 2, "look": 2})
			if c.old != "" && strings.Count(source, c.old) != 1 {
				t.Fatalf("%q is %d times in\n%s", c.old, strings.Count(source, c.old), source)
			}
			wrong := ""
			for _, checked := range []bool{true, false} {
				if c.old != "" && !checked {
					continue
				}
				p := build(t, strings.Replace(source, c.old, c.new, 1), checked)
				p.threads(t, 2)
				for _, size := range [][2]int{{2, 24}, {3, 517}, {2, 1031}, {2, 2 * 64 * 512}} {
					if wrong == "" && (size[1] < 2000 || !checked) {
						wrong = scanned(t, p, size[0], size[1], 64, 512)
					}
				}
			}
			if (wrong != "") != (c.old != "") {
				t.Errorf("mistake %q, found %q", c.new, wrong)
			}
		})
	}
}

// TestLookBack: what comes before a tile is the same to the bit wherever the nearest whole is.
func TestLookBack(t *testing.T) {
	source := scanSource(t, map[string]any{"look": 2}) + `
extern "C" __global__ void look_back(const Known* row, float* sum, int tile) { sum[threadIdx.x] = before_tile(row, tile); }
`
	p := build(t, source, false)
	rng := rand.New(rand.NewPCG(5, 6))
	const tiles = 150
	var share, whole [tiles]float32
	for i := range tiles {
		share[i] = rng.Float32()*2 - 1
		if whole[i] = share[i]; i > 0 {
			whole[i] += whole[i-1]
		}
	}
	for range 200 {
		row, sum, tile := newMemory("row", 8*tiles), newMemory("sum", 4*32), 1+rng.IntN(tiles)
		known := view[struct {
			v    float32
			what uint32
		}](row)
		for i := range tiles {
			known[i].v, known[i].what = share[i], 1
			if i == 0 || i == max(0, tile-1-rng.IntN(64)) || rng.IntN(50) == 0 {
				known[i].v, known[i].what = whole[i], 2
			}
		}
		nearest := tile - 1
		for known[nearest].what != 2 {
			nearest--
		}
		if nearest < tile-64 {
			continue
		}
		for i := range nearest { // nobody needs these
			known[i].what = rng.Uint32N(2)
		}
		p.good(t, "look_back", x(1), x(32), 0, row, sum, tile)
		for _, got := range view[float32](sum) {
			if got != whole[tile-1] {
				t.Fatalf("before tile %d, %d from the nearest whole: %v, want %v", tile, tile-nearest, got, whole[tile-1])
			}
		}
	}
}
