package graph

import (
	"fmt"
	"slices"
	"strings"
)

// arguments tells the families the parameters of their kernels, and what is passed for them.
func (p *program) arguments(d map[string]any, n *names) {
	var ins, outs []tensorData
	var results []outputData
	var params, truths, args, inputs []string
	for i := range p.graph.Tensors {
		ins = append(ins, tensorData{inName(i), p.element(i), n.tensors[i]})
		params = append(params, "const "+p.element(i)+"* __restrict__ "+inName(i))
		truths = append(truths, "const "+p.element(i)+"* "+inName(i))
		args, inputs = append(args, n.tensors[i]), append(inputs, inName(i))
	}
	for i, o := range p.outputs {
		kind := "T"
		if o.ints() {
			kind = "int"
		}
		outs = append(outs, tensorData{outName(i), kind, n.outputs[i]})
		params = append(params, kind+"* __restrict__ "+outName(i))
		truths = append(truths, fmt.Sprintf("double* %s, float* %s_scale", outName(i), outName(i)))
		args = append(args, n.outputs[i])
		results = append(results, outputData{outName(i), fmt.Sprintf("result%d", i), kind, o.full, o.ints(), o.total})
	}
	for i := range p.graph.Dims {
		truths = append(truths, fmt.Sprintf("int d%d", i))
	}
	for _, name := range p.sizeNames("") {
		params = append(params, "int "+name)
	}
	lengths := p.sizeTexts()
	d["Inputs"], d["Outputs"] = ins, results
	d["Params"], d["TruthParams"] = strings.Join(params, ", "), strings.Join(truths, ", ")
	d["Pack"] = fmt.Sprintf("const Inputs in{%s};\n    const Outputs out{%s};\n    const Sizes n{%s};",
		strings.Join(inputs, ", "), strings.Join(fields(outs), ", "), strings.Join(p.sizeNames(""), ", "))
	d["PlainArgs"] = quotedList(append(slices.Clone(args), n.all(lengths)...))
	args = p.rowArguments(d, args, params, inputs, fields(outs))
	d["InputNames"] = strings.Join(inputs, ", ")
	d["SizeValues"] = strings.Join(n.inC(lengths), ", ")
	d["Args"] = quotedList(append(args, n.all(lengths)...))
	d["KeptDims"], d["TermDims"] = n.one(product(p.lengths(false))), n.one(product(p.lengths(true)))
	d["Whole"] = p.whole()
}

// rowArguments adds what the families of rows have besides, behind inputs and outputs: room for what is added up over
// all rows, and the product, which is in memory.
func (p *program) rowArguments(d map[string]any, args, params, ins, outs []string) []string {
	pack, inputs, outputs := d["Pack"].(string), strings.Join(ins, ", "), strings.Join(outs, ", ")
	if len(p.totals) > 0 {
		params = slices.Insert(params, len(args), "float* __restrict__ row_totals")
		args = append(args, "row_totals")
		pack = strings.Replace(pack, outputs+"}", outputs+", row_totals}", 1)
	}
	if p.staged() {
		args = append(args, "product_values")
		params = slices.Insert(params, len(args)-1, "const float* __restrict__ acc")
		pack = strings.Replace(pack, inputs+"}", inputs+", acc}", 1)
	}
	d["RowParams"], d["RowPack"] = strings.Join(params, ", "), pack
	return args
}

func fields(list []tensorData) (out []string) {
	for _, t := range list {
		out = append(out, t.Name)
	}
	return out
}

func quotedList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

// sizeTexts are the values of the fields of Sizes in terms of the dims.
func (p *program) sizeTexts() (out []string) {
	for _, a := range p.domain {
		out = append(out, a.length)
	}
	for _, v := range p.lengthValues() {
		out = append(out, v.length)
	}
	return out
}

// whole is what must be a whole number of words for all words to be whole: all places, if every tensor has them all,
// else the last axis.
func (p *program) whole() string {
	for _, l := range p.loads {
		if l.spots == nil && len(l.axes) != len(p.domain) {
			return fmt.Sprintf("n.a%d", len(p.domain)-1)
		}
	}
	return "count"
}
