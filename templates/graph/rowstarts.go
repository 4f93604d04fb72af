package graph

// Starts of rows of neighbouring numbers. A row is read once if it fits on chip: in the registers of a block or of a
// cluster, or in shared memory. Else what is read again should still be in L2.

// threads is how many share a row if each has so many elements of it: 32 to 256.
func (p *program) threads(elements int) int {
	return min(max(powerAbove((p.terms()+elements-1)/elements), 32), 256)
}

// rowStarts are those of rows, the likeliest first.
func (p *program) rowStarts() (list []point) {
	if len(p.stats) == 0 {
		return nil
	}
	first := p.rowStart()
	list = append(list, first)
	if again := p.rereadStart(); again != nil {
		list = append(list, again)
	}
	switch {
	case p.product != nil:
		return append(list, p.smallerTiles(first)...)
	case number(first, "cluster", 1) > 1:
		list = append(list, p.clusterStarts(first)...)
	case has(first, "keep"):
		list = append(list, p.blockStarts(first)...)
	default:
		list = append(list, p.longStarts(first)...)
	}
	return list
}

// number is that of a gene that has numbers.
func number(x point, gene string, otherwise int) int {
	for _, c := range x {
		if c.gene == gene {
			return c.value.(int)
		}
	}
	return otherwise
}

func has(x point, gene string) bool {
	for _, c := range x {
		if c.gene == gene {
			return true
		}
	}
	return false
}

// quick are the choices that do not say where a row is: results leave L2 first, all sums are found in one reading, and
// operators have their fast forms.
func (p *program) quick() []choice {
	list := append([]choice{{"store", "streaming"}}, p.fast()...)
	if p.has()["Twice"] {
		list = append(list, choice{"algorithm", "merged"})
	}
	return list
}

// rowStart keeps rows in registers, a few words of each thread, and those that are too long for a block in those of a
// cluster, or in its shared memory. Longer ones are read again.
func (p *program) rowStart() point {
	terms, w := p.terms(), p.wide()
	words := (terms + w - 1) / w
	threads, cluster := min(max(powerAbove((words+3)/4), 32), 1024), 1
	for threads*cluster*8 < words && cluster < 8 && p.product == nil {
		cluster, threads = 2*cluster, 512
	}
	if cluster == 4 && terms%w > 0 { // numbers go one by one: fewer for each thread, and two blocks fit
		cluster = 8
	}
	list := append(p.stagedStart(), choice{"threads_per_row", threads}, choice{"rows_per_block", max(128/threads, 1)},
		choice{"vector", w})
	if cluster > 1 {
		list = append(list, choice{"cluster", cluster})
	}
	switch items := powerAbove((words + threads*cluster - 1) / (threads * cluster)); {
	case items <= 8 || items == 16 && threads <= 512:
		return append(list, choice{"keep", "registers"}, choice{"items", items})
	case words <= inShared*cluster:
		return append(list, choice{"keep", "shared"}, choice{"items", 4})
	}
	return append(p.stagedStart(), choice{"threads_per_row", 1024}, choice{"vector", w}, choice{"items", 4})
}

const inShared = 200 << 10 / 16 // words of a block, of 227 KiB

// rereadStart is for rows that clusters share, if those of all clusters together stay in L2 from one reading to the
// next: nothing is kept on chip, so that a block has many loads in flight, and clusters read while others write.
func (p *program) rereadStart() point {
	terms := p.terms()
	const most = 32 << 20 / 16 // bytes of a row, with 16 clusters in 32 MiB of L2
	bytes := terms * 16 / p.wide()
	if p.product != nil || terms < 32<<10 || bytes > most || !p.rereads() {
		return nil
	}
	list := point{{"threads_per_row", 1024}, {"cluster", 8}, {"vector", p.wide()}, {"keep", "reread"}, {"items", 4},
		{"store", "streaming"}}
	if p.has()["Twice"] {
		list = append(list, choice{"algorithm", "merged"})
	}
	return list
}

// clusterStarts are others for rows that clusters share: with quick choices; by the copy engine, which brings the next
// row while this one is in registers; with less in each block, so that more blocks take turns.
func (p *program) clusterStarts(first point) (list []point) {
	terms, w, cluster := p.terms(), p.wide(), number(first, "cluster", 1)
	words, quick := (terms+w-1)/w, p.quick()
	list = append(list, first.with(quick...))
	if terms%w > 0 { // no whole words: registers, of two or three blocks on a multiprocessor, or what is in L2
		list = append(list, first.with(quick...).with(choice{"load", "streaming"}))
		if number(first, "threads_per_row", 0) == 512 && number(first, "items", 0) == 4 {
			list = append(list, first.with(quick...).with(choice{"min_blocks", 3}),
				first.with(choice{"min_blocks", 3}, choice{"load", "no_allocate"}))
		}
	} else {
		shared := first.with(quick...).with(choice{"keep", "shared"}, choice{"loader", "bulk"}, choice{"items", 4})
		registers := first.with(p.fast()...).with(choice{"store", "streaming"}, choice{"loader", "bulk"},
			choice{"schedule", "persistent"}, choice{"blocks_per_sm", 1}, choice{"stages", 2})
		if number(first, "items", 0) == 16 {
			list = append(list, registers)
		}
		if words <= inShared*cluster {
			list = append(list, shared, shared.with(choice{"threads_per_row", 256}, choice{"items", 8}),
				shared.with(choice{"schedule", "persistent"}, choice{"blocks_per_sm", 1}))
		}
	}
	if again := p.rereadStart(); again != nil {
		list = append(list, again.with(append(p.fast(), choice{"threads_per_row", 512})...))
		if words*16*33 < 40<<20 { // rows of twice as many clusters stay in L2, too
			list = append(list, again.with(append(p.fast(), choice{"cluster", 4})...))
		}
	}
	return list
}

// blockStarts are others for rows that a block has in registers: more or fewer words of a thread, and rows that come
// while the ones before are worked on.
func (p *program) blockStarts(first point) (list []point) {
	threads, items := number(first, "threads_per_row", 32), number(first, "items", 1)
	quick := p.quick()
	sized := func(threads, items int) point {
		return first.with(choice{"threads_per_row", threads}, choice{"rows_per_block", max(128/threads, 1)},
			choice{"items", items})
	}
	list = append(list, first.with(quick...))
	if items < 8 && threads >= 64 {
		list = append(list, sized(threads/2, items*2).with(quick...))
	}
	if items > 1 && threads <= 512 {
		list = append(list, sized(threads*2, items/2).with(quick...))
	}
	list = append(list, first.with(quick...).with(choice{"load", "evict_last"}))
	if p.terms()%p.wide() == 0 && threads <= 512 {
		list = append(list, first.with(quick...).with(choice{"loader", "bulk"}, choice{"schedule", "persistent"},
			choice{"stages", 2}, choice{"blocks_per_sm", max(min(1024/max(threads, 128), 4), 1)}))
	}
	long := point{{"threads_per_row", max(threads, 128)}, {"vector", p.wide()}, {"items", 4}}
	return append(list, p.longStarts(long)[0])
}

// longStarts are others for rows that nothing keeps.
func (p *program) longStarts(first point) (list []point) {
	list = append(list, first.with(p.quick()...).with(choice{"load", "no_allocate"}),
		first.with(choice{"threads_per_row", 512}), first.with(choice{"threads_per_row", 256}, choice{"items", 8}),
		first.with(choice{"threads_per_row", 512}, choice{"load", "streaming"}, choice{"items", 8}))
	if p.terms()*16/p.wide() >= 64<<10 {
		list = append(list, first.with(choice{"threads_per_row", 512}, choice{"cluster", 4}))
	}
	return list
}

// smallerTiles are for a product whose rows are summed: with two blocks on a multiprocessor.
func (p *program) smallerTiles(first point) []point {
	return []point{first.with(choice{"tiles", "t128x128"}), first.with(p.fast()...).with(choice{"store", "streaming"})}
}
