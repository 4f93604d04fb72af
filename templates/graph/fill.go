package graph

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"
)

// familyFiles are the families, written once. What the graph fills in stands between <% and %>.
//
//go:embed all:families
var familyFiles embed.FS

// tensorData is an argument of the kernels.
type tensorData struct{ Name, Type, Dim string }

// loadData is a tensor as it is read. Along: neighbouring places are neighbours in it. Full: it has every place.
type loadData struct {
	Name, Tensor string
	Along, Full  bool
	Primary      bool // its rows are kept on chip
	Scattered    bool // each number is looked up
	Words        bool // it is of the problem's type
}

type outputData struct {
	Name, Function, Type string
	Full, Ints, Total    bool
}

// fill executes a file of families with the data.
func fill(name string, data map[string]any) ([]byte, error) {
	text, err := familyFiles.ReadFile("families/" + name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Delims("<%", "%>").Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, data)
	return out.Bytes(), err
}

// data is what the files of the families are filled with.
func (p *program) data(n *names) (map[string]any, error) {
	if _, err := p.graph.size(product(append(p.lengths(false), p.lengths(true)...))); err != nil {
		return nil, err
	}
	elements, rows := p.loadData()
	d := map[string]any{
		"About": p.about(), "Index": p.index(), "Elements": elements, "RowLoads": rows, "RowFields": p.rowFields(),
		"Offsets": p.offsets(), "Lengths": len(p.lengthValues()), "SizeNames": strings.Join(p.sizeNames(""), ", "),
		"Kept": p.own(false), "Terms": p.own(true),
		"Count": p.countText("float"), "CountDouble": p.countText("double"),
		"Begin": p.rowLines(families, 0), "TruthBegin": p.rowLines(truth, 0),
		"Functions": p.functions(families), "TruthFunctions": p.functions(truth),
		"Finish": p.finishes(families), "TruthFinish": p.finishes(truth),
		"Operators": p.operatorData(), "FormGenes": p.formGenes(), "Passes": p.passData(), "Has": p.has(),
		"Reads": len(elements), "Vectors": vectors(p.graph), "K": p.termsText(), "Alike": p.alike(), "Primary": p.primary(),
	}
	d["Acc"] = p.scan != nil || p.product != nil && !p.staged() || p.pool != nil
	d["Staged"] = p.staged()
	widest := map[string]int{"fp32": 4}[p.graph.element()]
	if widest == 0 {
		widest = 8
	}
	d["Widest"] = widest
	d["ScanCrowded"], d["SpreadCrowded"] = 8*widest*len(elements) > 32, 16*widest*len(elements) > 64
	d["Wholes"] = p.hasWholes()
	d["Edges"] = p.edges()
	d["Lookups"], d["LastReduced"] = p.lookups(), p.domain[len(p.domain)-1].reduced
	d["Totals"], d["Finals"], d["TruthFinals"] = ids(p.totals), p.finals(families), p.finals(truth)
	d["TF32"] = p.tf32()
	d["Starts"] = p.starts()
	p.arguments(d, n)
	p.layout(d, n)
	return d, nil
}

// own is the product of axes inside Sizes.
func (p *program) own(reduced bool) string {
	return strings.ReplaceAll(p.extent(p.sort(reduced)), "n.a", "a")
}

// lengths are those of the axes that are reduced, or kept.
func (p *program) lengths(reduced bool) (out []string) {
	for _, i := range p.sort(reduced) {
		out = append(out, p.domain[i].length)
	}
	return out
}

func (p *program) about() string {
	var ops []string
	for i, n := range p.graph.Nodes {
		if i == 8 {
			ops = append(ops, "...")
			break
		}
		ops = append(ops, strings.TrimSuffix(n.Op, each))
	}
	return strings.Join(ops, ", ")
}

func (p *program) loadData() (elements, rows []loadData) {
	last := len(p.domain) - 1
	for _, l := range p.loads {
		d := loadData{Name: p.loadName(l), Tensor: inName(l.tensor), Full: p.full(l),
			Primary: p.loadName(l) == p.primary(), Scattered: l.spots != nil, Words: p.element(l.tensor) == "T"}
		d.Along = len(l.axes) > 0 && l.axes[len(l.axes)-1] == last
		if l.varies {
			elements = append(elements, d)
		} else {
			rows = append(rows, d)
		}
	}
	return elements, rows
}

// primary is the first tensor with every place: the one whose rows are kept on chip. Empty: there is none.
func (p *program) primary() string {
	for _, l := range p.loads {
		if l.varies && p.full(l) && p.element(l.tensor) == "T" {
			return p.loadName(l)
		}
	}
	return ""
}

// full reports whether a tensor has every place.
func (p *program) full(l *value) bool { return l.spots == nil && len(l.axes) == len(p.domain) }

func (p *program) rowFields() (out []string) {
	for _, l := range p.loads {
		if !l.varies {
			out = append(out, p.loadName(l))
		}
	}
	for _, v := range p.scattered() {
		if v.kind == isPlace && !v.varies {
			out = append(out, p.placeName(v))
		}
	}
	for _, s := range p.stats {
		out = append(out, fmt.Sprintf("s%d_0", s.id), fmt.Sprintf("s%d_1", s.id))
	}
	for _, v := range p.rowValues() {
		out = append(out, p.rowName(v))
	}
	return out
}

func ids(stats []*stat) (out []int) {
	for _, s := range stats {
		out = append(out, s.id)
	}
	return out
}

// sizeNames are the fields of Sizes, with something before each.
func (p *program) sizeNames(before string) (out []string) {
	for i := range p.domain {
		out = append(out, fmt.Sprintf("%sa%d", before, i))
	}
	for i := range p.lengthValues() {
		out = append(out, fmt.Sprintf("%sq%d", before, i))
	}
	return out
}

func (p *program) countText(number string) string {
	out := number + "(1)"
	for _, i := range p.sort(true) {
		out += fmt.Sprintf(" * %s(a%d)", number, i)
	}
	return out
}

// vectors are the elements that a word may have.
func vectors(g *Graph) string {
	if g.element() == "fp32" {
		return "1, 2, 4"
	}
	return "1, 2, 4, 8"
}

func inName(tensor int) string {
	if tensor == stagedTensor {
		return "acc"
	}
	return fmt.Sprintf("in%d", tensor)
}

func (p *program) operatorData() (out []map[string]string) {
	for _, op := range p.usedOperators() {
		args := strings.Split("a b c", " ")[:op.Args]
		out = append(out, map[string]string{"Name": op.Name, "Exact": op.Exact, "Fast": op.Fast, "Truth": op.Truth,
			"Arguments": op.arguments(args), "Floats": "float " + strings.Join(args, ", float ")})
	}
	return out
}

// arguments are the parameters of an operator's truth.
func (op *operator) arguments(names []string) string {
	text := "Num " + strings.Join(names, ", Num ")
	if op.Far {
		return "double model, " + text
	}
	return text
}

const formGene = `
[[gene]]
name = "fast_%s"
about = "%s by instructions of the special function unit"
values = [false, true]
default = false
`

// formGenes are the genes that choose between the forms of an operator.
func (p *program) formGenes() string {
	var out strings.Builder
	for _, op := range p.usedOperators() {
		if op.Fast != "" {
			fmt.Fprintf(&out, formGene, op.Name, op.Name)
		}
	}
	return out.String()
}

// ints reports whether an output is an index. Of a graph that no family takes none is.
func (o *output) ints() bool {
	return o.value != nil && o.value.kind == isStat && o.value.part == 1 && o.value.stat.kind.index()
}

// index reports whether the second part of a stat is where its first was found.
func (k statKind) index() bool { return k == firstMost || k == firstLow }
