package graph

import (
	"fmt"
	"slices"
	"strings"
)

// What becomes of the sums of a product that multiplies on tensor cores: the partials of its epilogue.

// finishFiles adds the maps behind the sums, and returns what they were filled with.
func (p *program) finishFiles(n *names, files map[string][]byte) (data map[string]any, err error) {
	if data, err = p.data(n); err != nil {
		return nil, err
	}
	data["Operands"] = p.finishOperands()
	data["SizeParams"] = strings.Join(p.sizeNames("int "), ", ")
	data["FinishArgs"] = p.finishArgs(n)
	for _, part := range finishParts {
		if files[part+".cu.tmpl"], err = fill(part+".cu.tmpl", data); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// finishArgs are what launches hand to the maps: all tensors, and what is known of the axes.
func (p *program) finishArgs(n *names) string {
	return quotedList(slices.Concat(n.tensors, n.all(p.sizeTexts())))
}

// finishParts are the partials that differ from graph to graph.
var finishParts = []string{"_finish_operands", "_finish_params", "_finish_given", "_finish_group",
	"_finish_sums", "_sources", "_sources_given"}

// finishOperand is a number that is read for each output. Line: where those of a row begin, if that takes divisions.
type finishOperand struct {
	loadData
	At, Line string
}

// finishOperands are all numbers that the maps read, where each of them is at a place that is told by the row, those of
// all batches counted, and by how far it is along it: a warpgroup has many numbers of few rows. Nil: there is another
// one, or none.
func (p *program) finishOperands() (list []finishOperand) {
	last := len(p.domain) - 1
	if len(p.lookups()) > 0 || p.domain[last].length != p.product.lengths[colsAt] {
		return nil
	}
	var all []int
	for i := range p.domain {
		all = append(all, i)
	}
	places := map[string]string{fmt.Sprint(all): "(long long)line.row * columns + col", fmt.Sprint(all[:last]): "line.row",
		fmt.Sprint(all[last:]): "col", "[]": "0"}
	elements, _ := p.loadData()
	if len(elements) != len(p.loads) {
		return nil
	}
	for i, l := range p.loads {
		operand := finishOperand{loadData: elements[i]}
		var plain bool
		operand.At, plain = places[fmt.Sprint(l.axes)]
		switch {
		case l.spots != nil:
			return nil
		case !plain:
			operand.At = "line." + operand.Name
			operand.Line = fmt.Sprintf("maps::kept_%s(sizes, maps::Index(row) * columns)", operand.Name)
			if operand.Along {
				operand.At += " + col"
			}
		}
		list = append(list, operand)
	}
	return list
}
