package graph

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Starts are what each family is likely to be fast with at the graph's sizes: whole words, some of them in flight, and
// as many threads on a row as that takes. A search tries them first and need not find that out.

// choice is the value of a gene.
type choice struct {
	gene  string
	value any
}

// start is the point that a family begins with, as TOML.
func (p *program) start(list []choice) string {
	var b strings.Builder
	b.WriteString("\n[[start]]\n")
	for _, c := range list {
		fmt.Fprintf(&b, "%s = %#v\n", c.gene, c.value)
	}
	return b.String()
}

// starts are those of all families, by name.
func (p *program) starts() map[string]string {
	w := p.wide()
	out := map[string]string{"rows": p.start(p.rowStart())}
	for name, list := range map[string][]choice{
		"map":     {{"vector", w}, {"items", p.inFlight(4, w)}},
		"columns": p.columnStart(),
		"spread":  append(p.stagedStart(), choice{"threads", 512}, choice{"vector", w}, choice{"items", p.inFlight(4, w)}),
		"scan": {{"threads_per_row", p.threads(16)}, {"rows_per_block", 256 / max(p.threads(16), 64)}, {"vector", w},
			{"items", p.inFlight(4, w)}},
		"scan_tiles":   {{"threads", 512}, {"vector", w}, {"items", p.inFlight(4, w)}, {"look", 2}},
		"scan_columns": {{"across", 32}, {"along", 8}, {"vector", w}, {"items", p.inFlight(2, w)}},
		"windows":      {{"items", 4}},
	} {
		out[name] = p.start(list)
	}
	if again := p.rereadStart(); again != nil {
		out["rows"] += p.start(again)
	}
	if slices.ContainsFunc(p.outputs, func(o output) bool { return o.full }) {
		out["spread"] += p.start(append(p.stagedStart(), choice{"threads", 256}, choice{"vector", w},
			choice{"items", p.inFlight(4, w)}, choice{"order", "backwards"}, choice{"store", "streaming"}))
	}
	out["matmul"] = ""
	for _, list := range p.productStarts() {
		out["matmul"] += p.start(list)
	}
	return out
}

// wide is the elements of 16 bytes.
func (p *program) wide() int {
	if p.graph.element() == "fp32" {
		return 4
	}
	return 8
}

// inFlight is so many words of each tensor that is read, or as many as registers have room for.
func (p *program) inFlight(words, wide int) int {
	tensors := 0
	for _, l := range p.loads {
		if l.varies {
			tensors++
		}
	}
	for words > 1 && words*wide*max(tensors, 1) > 32 {
		words /= 2
	}
	return words
}

// threads is how many share a row if each has so many elements of it: 32 to 256.
func (p *program) threads(elements int) int {
	terms, _ := p.graph.size(product(p.lengths(true)))
	return min(max(powerAbove((terms+elements-1)/elements), 32), 256)
}

// rowStart keeps rows in registers, a few words of each thread, and those that are too long for a block in those of a
// cluster, or in its shared memory. Longer ones are read again.
func (p *program) rowStart() []choice {
	terms, _ := p.graph.size(product(p.lengths(true)))
	w := p.wide()
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
	const inShared = 200 << 10 / 16 // words of a block, of 227 KiB
	switch items := powerAbove((words + threads*cluster - 1) / (threads * cluster)); {
	case items <= 8 || items == 16 && threads <= 512:
		return append(list, choice{"keep", "registers"}, choice{"items", items})
	case words <= inShared*cluster:
		return append(list, choice{"keep", "shared"}, choice{"items", 4})
	}
	return append(p.stagedStart(), choice{"threads_per_row", 1024}, choice{"vector", w}, choice{"items", 4})
}

// rereadStart is for rows that clusters share, if those of all clusters together stay in L2 from one reading to the
// next: nothing is kept on chip, so that a block has many loads in flight, and clusters read while others write.
func (p *program) rereadStart() []choice {
	terms, _ := p.graph.size(product(p.lengths(true)))
	const most = 32 << 20 / 16 // bytes of a row, with 16 clusters in 32 MiB of L2
	bytes := terms * 16 / p.wide()
	if p.product != nil || terms < 32<<10 || bytes > most || !p.rereads() {
		return nil
	}
	list := []choice{{"threads_per_row", 1024}, {"cluster", 8}, {"vector", p.wide()}, {"keep", "reread"}, {"items", 4},
		{"store", "streaming"}}
	if p.has()["Twice"] {
		list = append(list, choice{"algorithm", "merged"})
	}
	return list
}

// columnStart has eight threads on a row, or more where it is long, and keeps what they read at once.
func (p *program) columnStart() []choice {
	terms, _ := p.graph.size(product(p.lengths(true)))
	w := p.wide()
	items, along := p.inFlight(8, w), 8
	if items*along < terms {
		along = 16
	}
	const slots = 40960 // bytes that they leave for each other, as the family says
	for along > 1 && (items*along >= 2*terms || 32*along*w*12*len(p.stats) > slots) {
		along /= 2
	}
	list := append(p.stagedStart(), choice{"across", 32}, choice{"along", along}, choice{"vector", w},
		choice{"items", items})
	if p.rereads() {
		list = append(list, choice{"keep", "registers"})
	}
	return list
}

// stagedStart is that of a product whose rows are summed afterwards.
func (p *program) stagedStart() []choice {
	if !p.staged() {
		return nil
	}
	n := p.productSizes()
	tiles, t := "t256x128", tileStart{m: 256, n: 128, blocks: 1}
	if n[rowsAt] <= 128 {
		tiles, t = "t128x128", tileStart{m: 128, n: 128, blocks: 2}
	}
	split := 1
	for split < 16 && shares(n, t) >= 4*split {
		split *= 4
	}
	return []choice{{"tiles", tiles}, {"wide", p.productWide(n)}, {"split", split}}
}

// powerAbove is the least power of two that is n or more.
func powerAbove(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }
