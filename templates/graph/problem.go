package graph

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"darwarp/kernels"
)

// problemToml writes problem.toml.
func (p *program) problemToml(n *names) ([]byte, error) {
	dtype, err := p.dtype()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Made from a graph of PyTorch operators: %s.\n", p.about())
	about := p.about()
	if p.tf32() {
		about += ", with products in TF32"
		b.WriteString("# Precision: operands of the product may be rounded to TF32; sums and all else are in fp32.\n")
	} else {
		b.WriteString("# Precision: sums are kept in fp32, and no number is rounded to a narrower type (no TF32).\n")
	}
	fmt.Fprintf(&b, "name = %s\nabout = %s\ndims = [%s]\ndtypes = [%s]\n", quoted(p.graph.Name), quoted(about),
		quotedList(n.order), quoted(dtype))
	places := n.one(product(append(p.lengths(false), p.lengths(true)...)))
	if m := p.product; m != nil {
		places = n.one(product(m.lengths[:]))
	}
	flops := fmt.Sprintf("%d * %s", p.operations(), places)
	fmt.Fprintf(&b, "flops = %s\nbytes = %s\n", quoted(flops), quoted(p.traffic(n)))
	for i, t := range p.graph.Tensors {
		fmt.Fprintf(&b, "\n[[tensor]]\nname = %s\nrole = \"in\"\n", quoted(n.tensors[i]))
		p.wholeNumbers(&b, n, i)
		fmt.Fprintf(&b, "shape = [%s]\n", shapeList(n, t.Shape))
	}
	for i, o := range p.outputs {
		fmt.Fprintf(&b, "\n[[tensor]]\nname = %s\nrole = \"out\"\n", quoted(n.outputs[i]))
		if o.ints() {
			b.WriteString("dtype = \"int32\"\n")
		}
		fmt.Fprintf(&b, "shape = [%s]\n", shapeList(n, p.outputShape(o)))
	}
	p.workloads(&b, n)
	p.check(&b, n)
	fmt.Fprintf(&b, "\n[reference]\nfile = \"reference.cu\"\nentry = \"reference\"\ngrid = [%s]\nblock = [\"%d\"]\n",
		quotedList(p.guarded(n)), p.block())
	p.signature(&b, n)
	p.baselines(&b, n)
	return []byte(b.String()), nil
}

func shapeList(n *names, shape []Extent) string {
	if len(shape) == 0 {
		return `"1"` // a tensor of no axes is one number
	}
	return quotedList(n.all(texts(shape)))
}

// operations is how many an element takes at least.
func (p *program) operations() (ops int) {
	if p.product != nil && p.product.Triangle != "" {
		return 1
	} else if p.product != nil {
		return 2
	}
	for _, v := range p.reachable() {
		if v.kind == isOp && v.varies {
			ops++
		}
	}
	if p.scan != nil {
		ops++
	}
	if p.pool != nil {
		ops += p.pool.Window()
	}
	return max(ops+len(p.stats), 1)
}

// traffic is the least that goes to and from memory: every tensor once.
func (p *program) traffic(n *names) string {
	var terms []string
	rest := ""
	for i, t := range p.graph.Tensors {
		if p.element(i) == "T" {
			terms = append(terms, product(texts(t.Shape)))
		} else {
			rest += fmt.Sprintf(" + %d * %s", kernels.DType(t.DType).Size(), product(texts(t.Shape)))
		}
	}
	for _, o := range p.outputs {
		terms = append(terms, product(texts(p.outputShape(o))))
	}
	return n.one("elem * (" + strings.Join(terms, " + ") + ")" + rest)
}

// guarded is the grid, of no blocks at sizes at which there is nothing to add up: those are none of the problem.
func (p *program) guarded(n *names) []string {
	grid := p.grid(n)
	for _, text := range n.all(p.lengths(true)) {
		if strings.ContainsAny(text, "/-") {
			grid[0] = fmt.Sprintf("%s * min(1, %s)", bracket(grid[0]), text)
		}
	}
	return grid
}

func (p *program) grid(n *names) []string {
	if m := p.product; m != nil && !p.staged() {
		return n.all(
			[]string{
				"ceil_div(" + m.lengths[colsAt] + ", 64)",
				"ceil_div(" + m.lengths[rowsAt] + ", 64)",
				m.lengths[batchesAt],
			},
		)
	}
	kept := n.one(product(p.lengths(false)))
	if len(p.totals) > 0 { // each block has some rows
		return []string{fmt.Sprintf("min(%s, %d)", kept, mostParts)}
	}
	if p.apart() {
		return []string{fmt.Sprintf("%s * max(1, %d * min(%d, %d / %s, %s / %d))", bracket(kept), p.stages(), p.block(),
			mostParts, bracket(kept), bracket(n.one(product(p.lengths(true)))), partTerms)}
	}
	if p.passes() == 0 && !p.sharedRows() {
		return []string{fmt.Sprintf("ceil_div(%s, %d)", kept, p.block())}
	}
	return []string{kept}
}

// The blocks of a reference share rows of more than partTerms numbers where there are few: as many as there are numbers
// for, at most mostParts of all rows. One block alone would wait for memory most of the time.
const (
	partTerms = 1 << 14
	mostParts = 4096
)

// apart reports whether the blocks of a reference share rows.
func (p *program) apart() bool {
	may, _ := p.shared()
	return may && len(p.stats) > 0 && len(p.totals) == 0 && !p.staged()
}

// sharedTerms is from how many terms on the threads of a reference's block share a row of running sums: one thread
// takes seconds for 16 million. Running products are never shared: parts of them may be inf where the whole is 0.
const sharedTerms = 1 << 16

func (p *program) sharedRows() bool {
	terms, _ := p.graph.size(product(p.lengths(true)))
	return p.scan != nil && !p.scan.Product && terms >= sharedTerms
}

// block is the threads of a reference's block: few for short rows, and as many as there are for the longest.
func (p *program) block() int {
	terms, _ := p.graph.size(product(p.lengths(true)))
	switch {
	case p.sharedRows():
		return 256
	case p.scan != nil: // a thread a row
		return 32
	case len(p.totals) > 0:
		return 256
	case p.passes() > 0 && terms <= 256:
		return 64
	case p.passes() > 0 && terms > 1<<20:
		return 1024
	}
	return 256
}

// workloads writes the sizes of the graph, and small ones for a device that emulates.
func (p *program) workloads(b *strings.Builder, n *names) {
	writeWorkload(b, p.graph, n, p.graph.sizes, "default = true\n")
	if small := p.small(); small != nil {
		writeWorkload(b, p.graph, n, small, "small = true\n")
	}
}

// smallest is how many places an emulated workload has at most.
const smallest = 1 << 15

// small halves the longest dims until an emulator can do it, nil: the sizes of the graph are so small already.
func (p *program) small() map[string]int {
	sizes := map[string]int{}
	for _, d := range p.graph.Dims {
		sizes[d.Name] = d.Value
	}
	if before := maps.Clone(sizes); !p.halve(sizes, smallest) || maps.Equal(before, sizes) {
		return nil
	}
	return sizes
}

// halve halves the longest dims until there are so many places at most. False: they cannot become shorter.
func (p *program) halve(sizes map[string]int, most int) bool {
	for p.at(sizes) > most {
		longest, shorter := "", 0
		for _, d := range p.graph.Dims {
			step := p.step(d.Name)
			half := sizes[d.Name] / 2 / step * step
			if half >= max(p.leasts[d.Name], 1) && (longest == "" || sizes[d.Name] > sizes[longest]) {
				longest, shorter = d.Name, half
			}
		}
		if longest == "" {
			return false
		}
		sizes[longest] = shorter
	}
	return true
}

// at is how many places the domain has at some sizes, or an eighth of the numbers of all tensors where that is more: of
// windows far apart there are few.
func (p *program) at(sizes map[string]int) int {
	g := Graph{sizes: sizes}
	text := product(append(p.lengths(false), p.lengths(true)...))
	if p.product != nil {
		text = "(" + product(p.product.lengths[:]) + ") / 32"
	}
	numbers := []string{"0"}
	for _, t := range p.graph.Tensors {
		numbers = append(numbers, product(texts(t.Shape)))
	}
	v, err := g.size("max(" + text + ", (" + strings.Join(numbers, " + ") + ") / 8)")
	if err != nil {
		return math.MaxInt
	}
	return v
}

// step is what a dim is a multiple of.
func (p *program) step(dim string) int { return max(p.steps[dim], 1) }
