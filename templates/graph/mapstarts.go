package graph

import "slices"

// Starts of what is bound by memory, besides rows of neighbouring numbers: whole words, several of them in flight, and
// blocks for all multiprocessors.

const multiprocessors = 132 // of a large GPU

// mapStarts are those of maps. Results that leave L2 first make room for what is read.
func (p *program) mapStarts() []point {
	w, some, fast := p.wide(), p.inFlight(4, p.wide()), p.fast()
	first, two := point{{"vector", w}, {"items", some}}, min(some, 2)
	return []point{
		first,
		first.with(choice{"threads", 512}, choice{"items", two}, choice{"load", "streaming"}, choice{"store", "streaming"}),
		first.with(fast...).with(choice{"load", "no_allocate"}, choice{"store", "streaming"}),
		first.with(fast...).with(choice{"items", two}, choice{"load", "evict_last"}, choice{"store", "streaming"}),
		first.with(choice{"threads", 1024}, choice{"items", 1}),
		first.with(fast...).with(choice{"threads", 512}, choice{"items", two}, choice{"schedule", "persistent"},
			choice{"blocks_per_sm", 4}, choice{"store", "streaming"}),
		first.with(fast...).with(choice{"threads", 128}, choice{"items", p.inFlight(8, w)}),
	}
}

// spreadStarts are those of long rows: all blocks are at work at once, each with many loads in flight. What is written
// is written from the end on, where the numbers are still in L2.
func (p *program) spreadStarts() []point {
	if len(p.stats) == 0 {
		return nil
	}
	w, most := p.wide(), 16
	elements, _ := p.loadData()
	for w > 1 && w*len(elements) > 64 { // more are more than the family allows
		w /= 2
	}
	for most > 1 && most*w*len(elements) > 64 {
		most /= 2
	}
	items := min(most, 4)
	sized := func(threads, blocks, items int, more ...choice) point {
		return append(p.stagedStart(), choice{"threads", threads}, choice{"vector", w}, choice{"items", items}).
			with(choice{"blocks_per_sm", blocks}).with(more...)
	}
	var back []choice
	if p.writes() {
		back = []choice{{"order", "backwards"}, {"store", "streaming"}}
	}
	at := func(min int, more ...choice) []choice {
		return append(slices.Clone(back), append(more, choice{"min_blocks", min})...)
	}
	return []point{
		sized(256, 4, items, choice{"min_blocks", 4}),
		sized(256, 4, items, at(4)...),
		sized(512, 2, items, at(2, choice{"load", "no_allocate"})...),
		sized(256, 8, max(items/2, 1), back...),
		sized(1024, 1, items, at(1)...),
		sized(256, 4, min(2*items, most), at(4, p.fast()...)...),
		sized(1024, 2, max(items/2, 1), append(slices.Clone(back), p.fast()...)...),
		sized(128, 8, items, back...),
	}
}

// columnStarts are those of rows side by side: words of 16 bytes of neighbouring rows, if lines have whole words, and
// else wide blocks, as a warp's numbers begin anywhere in a sector.
func (p *program) columnStarts() []point {
	if len(p.stats) == 0 {
		return nil
	}
	first, fast := p.columnStart(), p.fast()
	if !p.rereads() {
		first = first.with(choice{"min_blocks", 1}) // else one load is in flight, to save registers
	}
	list := []point{first}
	if p.odd() {
		list = append(list, p.oddColumns(first)...)
	}
	along, across, items := number(first, "along", 8), number(first, "across", 32), number(first, "items", 1)
	quick := append(slices.Clone(fast), choice{"load", "no_allocate"})
	if p.writes() {
		quick = append(quick, choice{"store", "streaming"})
	}
	list = append(list, first.with(choice{"min_blocks", 1}).with(fast...), first.with(quick...))
	if across*along <= 512 && p.fits(2*across, along) {
		list = append(list, first.with(quick...).with(choice{"across", 2 * across}))
	}
	if across >= 16 && along <= 16 {
		list = append(list, first.with(choice{"across", across / 2}, choice{"along", 2 * along}))
	}
	if items > 1 && along <= 16 && across*along <= 512 && p.fits(across, 2*along) {
		list = append(list, first.with(quick...).with(choice{"along", 2 * along}, choice{"items", items / 2}))
	}
	if along >= 2 && across*along >= 64 {
		list = append(list, first.with(fast...).with(choice{"along", along / 2}, choice{"min_blocks", 1}))
	}
	if across*along <= 256 {
		list = append(list, first.with(quick...).with(choice{"schedule", "persistent"}, choice{"blocks_per_sm", 4}))
	}
	return list
}

// odd reports whether lines along the last axis are no whole number of words.
func (p *program) odd() bool {
	n, _ := p.graph.size(p.domain[len(p.domain)-1].length)
	return n%p.wide() > 0
}

// oddColumns read single numbers, many at once.
func (p *program) oddColumns(first point) (list []point) {
	for _, x := range [][3]int{{128, 4, 16}, {128, 8, 8}, {256, 4, 8}, {64, 8, 16}} { // threads across and along, loads
		items := p.inFlight(x[2], 1)
		for items > 1 && items*x[1] >= 2*p.terms() {
			items /= 2
		}
		if along := x[1]; along < 2*p.terms() && 4*x[0]*along*12*len(p.stats) <= 4*40960 {
			list = append(list, first.with(choice{"across", x[0]}, choice{"along", along}, choice{"vector", 1},
				choice{"items", items}, choice{"min_blocks", 1}))
		}
	}
	return list
}

// fits reports whether what threads along a row have found fits in shared memory, as the family says.
func (p *program) fits(across, along int) bool {
	const slots = 40960
	return along == 1 || across*along*p.wide()*12*len(p.stats) <= slots
}

// columnStart has eight threads on a row, or more where it is long, and keeps what they read at once.
func (p *program) columnStart() point {
	terms, w := p.terms(), p.wide()
	items, along, across := p.inFlight(8, w), 8, 32
	if items*along < terms {
		along = 16
	}
	for across > 8 && p.kept() < 2*multiprocessors*across*w { // few rows: blocks for all multiprocessors
		across, along = across/2, min(2*along, 32)
	}
	for along > 1 && across*along > 32 && (items*along >= 2*terms || !p.fits(across, along)) {
		along /= 2
	}
	list := append(p.stagedStart(), choice{"across", across}, choice{"along", along}, choice{"vector", w},
		choice{"items", items})
	if p.rereads() {
		list = append(list, choice{"keep", "registers"})
	}
	return list
}

// scanStarts are those of running sums: a block has several loads in flight while another one waits for its tile.
func (p *program) scanStarts() (list []point) {
	w, threads := p.wide(), p.threads(16)
	sized := func(threads, items int, more ...choice) point {
		return point{{"threads_per_row", threads}, {"rows_per_block", max(min(256/threads, 4), 1)}, {"vector", w},
			{"items", p.inFlight(items, w)}}.with(more...)
	}
	list = []point{sized(threads, 4), sized(threads, 4, choice{"store", "streaming"}),
		sized(min(2*threads, 512), 4, choice{"load", "no_allocate"}, choice{"store", "streaming"}),
		sized(threads, 2), sized(max(threads/2, 32), 4, choice{"rows_per_block", 1}), sized(threads, 8)}
	if threads == 256 {
		list = append(list, sized(512, 2, choice{"store", "streaming"}), sized(1024, 2))
	}
	return list
}

// tileStarts are those of running sums of long rows.
func (p *program) tileStarts() (list []point) {
	w := p.wide()
	for _, x := range [][3]int{{512, 4, 2}, {256, 4, 2}, {512, 2, 4}, {256, 8, 1}, {1024, 2, 2}, {128, 4, 4}} {
		list = append(list, point{{"threads", x[0]}, {"vector", w}, {"items", p.inFlight(x[1], w)}, {"look", x[2]}})
	}
	return append(list, list[0].with(choice{"load", "no_allocate"}, choice{"store", "streaming"}))
}

// scanColumnStarts are those of running sums side by side.
func (p *program) scanColumnStarts() (list []point) {
	w := p.wide()
	for _, x := range [][3]int{{32, 8, 2}, {32, 8, 4}, {32, 16, 4}, {16, 16, 4}, {64, 8, 2}, {8, 32, 4}, {32, 4, 8}} {
		list = append(list, point{{"across", x[0]}, {"along", x[1]}, {"vector", w}, {"items", p.inFlight(x[2], w)}})
	}
	return append(list, list[1].with(choice{"store", "streaming"}))
}

// windowStarts are those of windows.
func (p *program) windowStarts() []point {
	return []point{
		{{"items", 4}},
		{{"items", 1}},
		{{"items", 2}, {"store", "streaming"}},
		{{"threads", 512}, {"items", 1}, {"store", "streaming"}},
		{{"threads", 128}, {"items", 4}, {"store", "streaming"}},
		{{"items", 8}},
		{{"threads", 128}, {"items", 1}, {"load", "evict_last"}, {"store", "streaming"}},
		{{"items", 2}, {"schedule", "persistent"}, {"blocks_per_sm", 8}},
	}
}
