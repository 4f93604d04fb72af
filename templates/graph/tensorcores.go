package graph

import (
	"regexp"
	"slices"
	"strings"

	"darwarp/templates"
)

// A product in 16 bits has the families of a built-in problem, which feed tensor cores, with the graph's maps behind
// the sums.

// pieceOf is the numbers of 16 bits that a copy brings. Lines that are no whole pieces take a plain kernel of those
// families, which is slower than the family of products.
const pieceOf = 8

// mostPlanes is how many products a grid has beside each other.
const mostPlanes = 65535

// borrowed is the problem whose families the graph's product has. Empty: it has that of products, as it is no product
// of 16 bits and maps, or of lines in memory that are no whole pieces.
func (p *program) borrowed() string {
	m := p.product
	if !p.mapped() || p.graph.element() == "fp32" {
		return ""
	}
	n := p.productSizes()
	lineA, lineB := n[rowsAt], n[colsAt]
	if m.AlongA {
		lineA = n[termsAt]
	}
	if m.AlongB {
		lineB = n[termsAt]
	}
	if lineA%pieceOf != 0 || lineB%pieceOf != 0 || n[colsAt]%pieceOf != 0 || n[batchesAt] > mostPlanes {
		return ""
	}
	if m.AlongA && m.AlongB && m.lengths[batchesAt] == "1" {
		return "linear_gelu"
	}
	return map[[2]bool]string{{true, true}: "gemm_batched", {true, false}: "gemm_nn", {false, false}: "gemm_tn",
		{false, true}: "gemm_tt"}[[2]bool{m.AlongA, m.AlongB}]
}

// mapped reports whether a graph is a product, of all of whose numbers maps make the one output.
func (p *program) mapped() bool {
	return p.product != nil && !p.staged() && p.scan == nil && p.pool == nil && p.product.Triangle == "" &&
		len(p.outputs) == 1 && p.outputs[0].full
}

// productAlone are the files of the family of products. It stays where the terms of few tiles are worth dividing, which
// the families of products of any order do not.
var productAlone = []string{"matmul.toml", "matmul.cu.tmpl", "_product.cu.tmpl", "_tiles_registers.cu.tmpl",
	"_tiles_async.cu.tmpl", "_fma_units.cu.tmpl"}

// borrow puts the families of a built-in problem in the place of that of products.
func (p *program) borrow(problem string, n *names, files map[string][]byte) error {
	from, err := templates.Builtin(problem)
	if err != nil {
		return err
	}
	if problem == "linear_gelu" || shares(p.productSizes(), wideTiles[1]) == 1 {
		for _, name := range productAlone {
			delete(files, name)
		}
	}
	if _, err := p.finishFiles(n, files); err != nil {
		return err
	}
	for _, f := range from.Families {
		files[f.Name+".toml"] = []byte(p.borrowedToml(n, string(from.Files[f.Name+".toml"])))
		withPartials(files, from.Files, f.Name+".cu.tmpl")
	}
	return nil
}

var (
	// mathGene chooses among the forms of that problem's epilogue.
	mathGene = regexp.MustCompile(`(?s)\[\[gene\]\]\nname = "math".*?\ndefault = "exact"\n`)
	// expressionLine has expressions of dims, or names of tensors.
	ruleLine       = regexp.MustCompile(`(?m)^rule = .*$`)
	expressionLine = regexp.MustCompile(`(?m)^(rule|value|bytes|grid|args|when|matters|    \{) .*$`)
	theirName      = regexp.MustCompile(`\b(?:[mnkABC]|batch)\b`)
	mapOf          = regexp.MustCompile(`tensor = "([ABC])", box = \[("1", )?`)
	sometimes      = regexp.MustCompile(`(?m)^\[\[constraint\]\]\nrule = .*\n` +
		`(why = .*\nsome = true|some = true\nwhy = .*)\n`)
	ownName       = regexp.MustCompile(`name = "(\w+)"`)
	calledPartial = regexp.MustCompile(`template "(\w+)"`)
)

// finishLet says to the templates that maps follow the sums.
const finishLet = `[[let]]
name = "finish"
value = "true"
`

// borrowedToml is a family's declaration in terms of the graph's dims and tensors.
func (p *program) borrowedToml(n *names, text string) string {
	m := p.product
	means := map[string]string{"A": n.tensors[m.left], "B": n.tensors[m.right], "C": n.outputs[0]}
	for name, i := range map[string]int{"batch": batchesAt, "m": rowsAt, "n": colsAt, "k": termsAt} {
		means[name] = bracket(n.one(m.lengths[i]))
	}
	operands := p.finishArgs(n)
	text = mathGene.ReplaceAllLiteralString(text, "") + finishLet + p.formGenes()
	text = expressionLine.ReplaceAllStringFunc(text, func(line string) string {
		seen := "box = "
		if of := mapOf.FindStringSubmatch(line); of != nil {
			seen = "shape = [" + quotedList(n.all(p.seen(of[1], of[2] != ""))) + "], box = "
		}
		line = theirName.ReplaceAllStringFunc(line, func(name string) string { return means[name] })
		return strings.Replace(strings.ReplaceAll(line, `"finish"`, operands), "box = ", seen, 1)
	})
	return sometimes.ReplaceAllStringFunc(text, func(block string) string {
		for _, w := range word.FindAllString(ruleLine.FindString(block), -1) {
			if slices.Contains(n.order, w) {
				return block
			}
		}
		return strings.Replace(block, "some = true\n", "", 1) // all lengths of the rule are numbers
	})
}

// seen is how a tensor map sees a side or the result, whatever axes the tensor has: as a matrix, or as planes of them.
func (p *program) seen(side string, planes bool) (shape []string) {
	m := p.product
	rows, columns, own := m.lengths[rowsAt], m.lengths[colsAt], m.lengths[batchesAt]
	switch side {
	case "A":
		columns, own = m.lengths[termsAt], ownPlanes(m.batchesA)
	case "B":
		rows, columns, own = columns, m.lengths[termsAt], ownPlanes(m.batchesB)
	}
	if side == "A" && !m.AlongA || side == "B" && !m.AlongB {
		rows, columns = columns, rows
	}
	if planes {
		shape = []string{own}
	}
	return append(shape, rows, columns)
}

// ownPlanes is how many matrices a side has.
func ownPlanes(axes []batchAxis) string {
	var own []string
	for _, a := range axes {
		if a.own {
			own = append(own, a.length)
		}
	}
	return product(own)
}

// withPartials copies a template and those that it calls, but for what is there. A graph's maps take one sum.
func withPartials(files, from map[string][]byte, name string) {
	if files[name] != nil {
		return
	}
	text := strings.ReplaceAll(string(from[name]), ".finish.Paired", "false")
	files[name] = []byte(text)
	for _, call := range calledPartial.FindAllStringSubmatch(text, -1) {
		withPartials(files, from, "_"+call[1]+".cu.tmpl")
	}
}

// borrowedNames are what the families of the graph's product call their own, where they are a built-in problem's.
func (p *program) borrowedNames() (list []string, err error) {
	problem := p.borrowed()
	switch {
	case p.hasRounded():
		return roundedNames()
	case problem == "":
		return nil, nil
	}
	from, err := templates.Builtin(problem)
	if err != nil {
		return nil, err
	}
	for _, f := range from.Families {
		for _, m := range ownName.FindAllSubmatch(from.Files[f.Name+".toml"], -1) {
			list = append(list, string(m[1]))
		}
	}
	return append(list, "finish"), nil
}
