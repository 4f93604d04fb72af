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

// point is what a family begins with: genes that it does not name have their defaults.
type point []choice

// with is a point with other values of some genes, or with more genes.
func (x point) with(genes ...choice) point {
	out := slices.Clone(x)
	for _, c := range genes {
		if i := slices.IndexFunc(out, func(o choice) bool { return o.gene == c.gene }); i >= 0 {
			out[i] = c
		} else {
			out = append(out, c)
		}
	}
	return out
}

// starts are those of all families as TOML, by name.
func (p *program) starts() map[string]string {
	out := map[string]string{}
	for name, list := range map[string][]point{
		"map": p.mapStarts(), "rows": p.rowStarts(), "columns": p.columnStarts(), "spread": p.spreadStarts(),
		"scan": p.scanStarts(), "scan_tiles": p.tileStarts(), "scan_columns": p.scanColumnStarts(),
		"windows": p.windowStarts(), "matmul": p.productStarts(),
	} {
		var b strings.Builder
		if p.floods() && slices.Contains([]string{"rows", "columns", "spread"}, name) {
			list = streaming(list)
		}
		for i, x := range list {
			if slices.ContainsFunc(list[:i], func(o point) bool { return slices.Equal(o, x) }) {
				continue // at small sizes several become one
			}
			b.WriteString("\n[[start]]\n")
			for _, c := range x {
				fmt.Fprintf(&b, "%s = %#v\n", c.gene, c.value)
			}
		}
		out[name] = b.String()
	}
	return out
}

// fast are the genes of operators' fast forms, all of them chosen.
func (p *program) fast() (list []choice) {
	for _, op := range p.usedOperators() {
		if op.Fast != "" {
			list = append(list, choice{"fast_" + op.Name, true})
		}
	}
	return list
}

// writes reports whether a result has every place.
func (p *program) writes() bool {
	return slices.ContainsFunc(p.outputs, func(o output) bool { return o.full })
}

// floods reports whether results are far more than L2 holds. Stores that stay there then push out what others read:
// 112x64x512x512 normalised along the second dim in fp32, columns of 32x8 threads, took 7.73 ms with such stores and
// 4.75 with streaming ones (an H200, 2026-11-28).
func (p *program) floods() bool {
	size := 2
	if p.graph.element() == "fp32" {
		size = 4
	}
	return p.writes() && p.terms()*p.kept()*size >= floodBytes
}

const floodBytes = 256 << 20 // five times the L2 of a large GPU

// streaming are points whose stores are streaming ones, where they do not say how they are.
func streaming(list []point) (out []point) {
	for _, x := range list {
		if !has(x, "store") {
			x = x.with(choice{"store", "streaming"})
		}
		out = append(out, x)
	}
	return out
}

// terms and kept are the numbers of a row, and the rows.
func (p *program) terms() int { n, _ := p.graph.size(product(p.lengths(true))); return n }
func (p *program) kept() int  { n, _ := p.graph.size(product(p.lengths(false))); return n }

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

// stagedStart is that of a product whose rows are summed afterwards.
func (p *program) stagedStart() point {
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
	return point{{"tiles", tiles}, {"wide", p.productWide(n)}, {"split", split}}
}

// powerAbove is the least power of two that is n or more.
func powerAbove(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }
