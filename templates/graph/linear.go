package graph

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"darwarp/templates"
)

// A linear layer of 16 bits has the families of linear_gelu, which feed tensor cores, with the graph's maps in place of
// that problem's epilogue.

// linearFrom is the problem whose families a linear layer has.
const linearFrom = "linear_gelu"

// pieceOf is the numbers of 16 bits that a copy brings. Lines that are no whole pieces take a plain kernel of those
// families, which is slower than the family of products.
const pieceOf = 8

// linear reports whether the graph is A * B^T in 16 bits, both of whole pieces along the terms, and maps.
func (p *program) linear() bool {
	m := p.product
	if m == nil || p.staged() || p.scan != nil || p.pool != nil || p.graph.element() == "fp32" || m.Triangle != "" ||
		!m.AlongA || !m.AlongB || m.lengths[batchesAt] != "1" || len(p.outputs) != 1 || !p.outputs[0].full {
		return false
	}
	n := p.productSizes()
	return n[termsAt]%pieceOf == 0 && n[colsAt]%pieceOf == 0
}

// linearFamilies are those by name. Tensor maps are of matrices, so that hopper takes no batches of rows.
func (p *program) linearFamilies() []string {
	m := p.product
	is := func(shape []Extent, rows, columns int) bool {
		return slices.Equal(texts(shape), []string{m.lengths[rows], m.lengths[columns]})
	}
	list := []string{"tile", "vectors"}
	if is(p.graph.Tensors[m.left].Shape, rowsAt, termsAt) && is(p.graph.Tensors[m.right].Shape, colsAt, termsAt) &&
		is(p.outputShape(p.outputs[0]), rowsAt, colsAt) {
		list = append(list, "hopper")
	}
	return list
}

// linearFiles puts the families of a linear layer in the place of that of products.
func (p *program) linearFiles(n *names, files map[string][]byte) error {
	from, err := templates.Builtin(linearFrom)
	if err != nil {
		return err
	}
	for _, name := range []string{"matmul.toml", "matmul.cu.tmpl", "_product.cu.tmpl", "_tiles_registers.cu.tmpl",
		"_tiles_async.cu.tmpl", "_fma_units.cu.tmpl"} {
		delete(files, name)
	}
	data, err := p.data(n)
	if err != nil {
		return err
	}
	data["Operands"] = p.linearOperands()
	data["SizeParams"] = strings.Join(p.sizeNames("int "), ", ")
	for _, part := range []string{"_finish_operands", "_finish_params", "_finish_given"} {
		if files[part+".cu.tmpl"], err = fill(part+".cu.tmpl", data); err != nil {
			return err
		}
	}
	for _, name := range p.linearFamilies() {
		files[name+".toml"] = []byte(p.linearToml(n, string(from.Files[name+".toml"])))
		withPartials(files, from.Files, name+".cu.tmpl")
	}
	return nil
}

// linearOperand is a number that is read for each output, of row and col.
type linearOperand struct {
	loadData
	At string
}

// linearOperands are all numbers that the maps read, where each of them is at a place that row and col say without a
// division. Nil: there is another one, or none.
func (p *program) linearOperands() (list []linearOperand) {
	if len(p.lookups()) > 0 || len(p.domain) != 2 || p.domain[0].length != p.product.lengths[rowsAt] {
		return nil
	}
	places := map[string]string{"[]": "0", "[0]": "row", "[1]": "col", "[0 1]": "(long long)row * columns + col"}
	elements, _ := p.loadData()
	for i, l := range p.loads {
		at, ok := places[fmt.Sprint(l.axes)]
		if l.spots != nil || !ok || len(elements) != len(p.loads) {
			return nil
		}
		list = append(list, linearOperand{elements[i], at})
	}
	return list
}

var (
	// mathGene chooses among the forms of that problem's epilogue.
	mathGene = regexp.MustCompile(`(?s)\[\[gene\]\]\nname = "math".*?\ndefault = "exact"\n`)
	// expressionLine has expressions of dims, or names of tensors.
	expressionLine = regexp.MustCompile(`(?m)^(rule|value|bytes|grid|args|when|matters|    \{) .*$`)
	theirName      = regexp.MustCompile(`\b[mnkABC]\b`)
	ownName        = regexp.MustCompile(`name = "(\w+)"`)
	calledPartial  = regexp.MustCompile(`template "(\w+)"`)
)

// finishLet says to the templates that maps follow the sums.
const finishLet = `[[let]]
name = "finish"
value = "true"
`

// linearToml is a family's declaration in terms of the graph's dims and tensors.
func (p *program) linearToml(n *names, text string) string {
	m := p.product
	means := map[string]string{"A": n.tensors[m.left], "B": n.tensors[m.right], "C": n.outputs[0]}
	for name, i := range map[string]int{"m": rowsAt, "n": colsAt, "k": termsAt} {
		means[name] = bracket(n.one(m.lengths[i]))
	}
	operands := quotedList(slices.Concat(n.tensors, n.all(p.sizeTexts())))
	text = mathGene.ReplaceAllLiteralString(text, finishLet+p.formGenes())
	return expressionLine.ReplaceAllStringFunc(text, func(line string) string {
		line = theirName.ReplaceAllStringFunc(line, func(name string) string { return means[name] })
		return strings.ReplaceAll(line, `"finish"`, operands)
	})
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

// linearNames are what the families of a linear layer call their own.
func (p *program) linearNames() (list []string, err error) {
	if !p.linear() {
		return nil, nil
	}
	from, err := templates.Builtin(linearFrom)
	if err != nil {
		return nil, err
	}
	for _, name := range p.linearFamilies() {
		for _, m := range ownName.FindAllSubmatch(from.Files[name+".toml"], -1) {
			list = append(list, string(m[1]))
		}
	}
	return append(list, "finish"), nil
}
