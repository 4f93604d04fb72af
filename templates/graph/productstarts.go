package graph

// Starts of a product in fp32: what a thread reads from shared memory must be little beside what it multiplies, which
// is so of 8 x 16 numbers a thread; and where fewer are enough, two blocks hide each other's waiting. What a
// multiplication reads lies in two banks of registers, of which each gives one number at a time. Where all lines are of
// whole words, 81 to 88 of 100 turns of the first three's loops are multiplications, counting those that wait for a
// bank (sm_90a, docs/results/kernelbench/banks.py).

// tileStart is a tile of the result, what a thread has of it, how many terms it has at once, and how many blocks of it
// a multiprocessor has room for.
type tileStart struct{ m, n, perM, perN, k, blocks int }

// sweep is along the shorter side of what a thread has, or of the tile, so that the other number is kept for longest.
func (t tileStart) sweep() choice {
	if t.perN > t.perM || t.perN == t.perM && t.n > t.m {
		return choice{"sweep", "columns"}
	}
	return choice{"sweep", "rows"}
}

var wideTiles = []tileStart{{128, 256, 8, 16, 16, 1}, {128, 128, 8, 16, 8, 2}, {256, 128, 16, 8, 8, 1}}

// others are variants of these: what brings tiles, how deep they are, and which lanes of a warp are neighbours.
var others = []struct {
	tile    tileStart
	buffers int
	async   bool
	more    []choice
}{
	{tileStart{128, 256, 8, 16, 8, 1}, 4, true, nil},
	{tileStart{128, 128, 8, 8, 16, 2}, 3, true, nil},
	{tileStart{128, 256, 8, 16, 16, 1}, 2, false, []choice{{"warp_rows", 8}}},
	{tileStart{256, 128, 16, 8, 16, 1}, 2, false, nil},
	{tileStart{128, 256, 8, 16, 16, 1}, 3, true, nil},
	{tileStart{128, 128, 8, 8, 8, 2}, 2, false, nil},
	{tileStart{128, 128, 8, 16, 16, 2}, 3, true, nil},
	{tileStart{128, 256, 8, 16, 8, 1}, 2, false, []choice{{"tile_group", 16}}},
}

// productStarts are those of the family of products.
func (p *program) productStarts() (list []point) {
	if p.product == nil {
		return nil
	}
	n := p.productSizes()
	if p.tf32() {
		return p.tensorCoreStarts(n)
	}
	tiles, fp32 := tilesOf(n[rowsAt], n[colsAt]), p.graph.element() == "fp32"
	if p.product.Triangle != "" && len(tiles) > 1 { // fewer of the small ones lie on both sides of the diagonal
		tiles = []tileStart{tiles[1], tiles[0], tiles[2]}
	}
	if n[termsAt] <= writtenMost && len(tiles) > 1 && fp32 {
		list = p.shortStarts(n)
	}
	for i, t := range tiles {
		if i < 2 || !fp32 {
			list = append(list, p.tiled(n, t, 2, false))
		} else {
			list = append(list, p.tiled(n, t, 4, true))
		}
	}
	if len(tiles) > 1 && fp32 {
		for _, o := range others {
			list = append(list, p.tiled(n, o.tile, o.buffers, o.async, o.more...))
		}
	}
	return list
}

// tiled is the point of a tile.
func (p *program) tiled(n [4]int, t tileStart, buffers int, async bool, more ...choice) point {
	x := point{{"tile_m", t.m}, {"tile_n", t.n}, {"per_m", t.perM}, {"per_n", t.perN}, {"tile_k", t.k},
		{"tile_blocks", t.blocks}, {"read_ahead", true}, {"buffers", buffers},
		t.sweep()}
	if async {
		x = append(x, choice{"tile_loader", "async"})
	}
	return append(x, p.movement(n, t, 4)...).with(more...)
}

// shortStarts are those of few terms: to write the result takes about as long as to multiply, so that several blocks of
// a multiprocessor must be at different points of their work. Copies are on their way without registers, or all terms
// come at once.
func (p *program) shortStarts(n [4]int) (list []point) {
	for _, t := range []tileStart{{128, 128, 8, 8, 16, 2}, {64, 128, 8, 8, 16, 4}, {128, 128, 8, 16, 32, 2},
		{64, 256, 8, 16, 16, 2}} {
		list = append(list, p.tiled(n, t, 3, true))
	}
	return list
}

// productSizes are batches, rows, columns and terms.
func (p *program) productSizes() (n [4]int) {
	for i, text := range p.product.lengths {
		n[i], _ = p.graph.size(text)
	}
	return n
}

// productWide is the elements of a word, of which both matrices have whole lines.
func (p *program) productWide(n [4]int) int {
	along := func(terms bool, lines int) int {
		if terms {
			return n[termsAt]
		}
		return lines
	}
	if along(p.product.AlongA, n[rowsAt])%4 != 0 || along(p.product.AlongB, n[colsAt])%4 != 0 {
		return 1
	}
	return 4
}

// tilesOf are tiles that fit a result: long ones where it is narrow.
func tilesOf(rows, cols int) []tileStart {
	narrow := min(max(powerAbove(min(rows, cols)), 16), 128)
	switch {
	case narrow == 128:
		return wideTiles
	case rows <= cols:
		return []tileStart{{narrow, 256, narrow / 8, 8, 16, 1}}
	}
	return []tileStart{{256, narrow, 8, narrow / 8, 16, 1}}
}

// writtenMost terms or fewer are read in less time than their sum is written, which leaves L2 to what is read.
const writtenMost = 128

// movement is in whole words, where lines are of whole words, and by as many shares of the terms as give every
// multiprocessor something to do.
func (p *program) movement(n [4]int, t tileStart, store int) []choice {
	list := []choice{{"wide", p.productWide(n)}}
	if split := shares(n, t); split > 1 {
		return append(list, choice{"split", split})
	}
	if n[colsAt]%store != 0 {
		store = 1
	}
	if n[termsAt] <= writtenMost {
		list = append(list, choice{"tile_store", "streaming"})
	}
	return append(list, choice{"store_vector", store})
}

// splits are what terms may be divided by: powers of two, and what gives each of 132 multiprocessors one block or two.
var splits = []int{2, 4, 8, 16, 32, 33, 64, 66}

// shares are those of the terms of a tile.
func shares(n [4]int, t tileStart) int {
	const processors, fewTerms = 132, 512 // of a large GPU; a share of fewer is not worth adding up
	tiles, split := n[batchesAt]*((n[rowsAt]+t.m-1)/t.m)*((n[colsAt]+t.n-1)/t.n), 1
	for _, s := range splits {
		if tiles*s <= processors*t.blocks && n[termsAt] >= s*fewTerms {
			split = s
		}
	}
	return split
}

// tensorCoreStarts have warps of 64 x 32, with tiles through registers, or by asynchronous copies.
func (p *program) tensorCoreStarts(n [4]int) []point {
	t := tileStart{m: 128, n: 128, k: 16, blocks: 1}
	warps := point{{"tile_m", t.m}, {"tile_n", t.n}, {"warp_m", 64}, {"warp_n", 32}}
	warps = append(warps, p.movement(n, t, 2)...)
	return []point{
		append(point{{"tile_k", 16}, {"buffers", 2}}, warps...),
		append(point{{"tile_k", 16}, {"buffers", 4}, {"tile_loader", "async"}, {"read_ahead", true}}, warps...),
	}
}
