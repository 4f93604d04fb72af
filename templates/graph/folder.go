package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/templates"
)

// Folder writes a whole problem folder, by file name. The error says in one line which node is not taken, and why.
func (g *Graph) Folder() (files map[string][]byte, err error) {
	p, err := lower(g)
	if err != nil {
		return nil, err
	}
	if err := p.checkLengths(); err != nil {
		return nil, err
	}
	if len(p.graph.Dims) == 0 {
		return nil, errors.New(noSize)
	}
	own, err := p.borrowedNames()
	if err != nil {
		return nil, err
	}
	n := p.graph.names(p.outputs, own...)
	if files, err = p.familyFiles(n); err != nil {
		return nil, err
	}
	if problem := p.borrowed(); problem != "" {
		err = p.borrow(problem, n, files)
	} else if p.hasRounded() {
		err = p.addRounded(n, files)
	}
	if err != nil {
		return nil, err
	}
	if files["problem.toml"], err = p.problemToml(n); err != nil {
		return nil, err
	}
	if _, err := templates.FromFiles(files); err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("the folder that was made is not usable: %s", line)
	}
	return files, nil
}

// familyFiles are the reference and the families.
func (p *program) familyFiles(n *names) (files map[string][]byte, err error) {
	data, err := p.data(n)
	if err != nil {
		return nil, err
	}
	data["Block"], data["Shared"] = p.block(), p.sharedRows()
	data["Parts"], data["Stages"], data["MostParts"] = p.apart(), p.stages(), mostParts
	num, err := fill("num.cu", data)
	if err != nil {
		return nil, err
	}
	data["Num"] = string(num)
	for name, there := range map[string]bool{"ProductPart": p.staged(), "TotalsPart": len(p.totals) > 0} {
		data[name] = ""
		if there {
			part, err := fill(parts[name], data)
			if err != nil {
				return nil, err
			}
			data[name] = string(part)
		}
	}
	files = map[string][]byte{}
	for _, name := range p.families() {
		if files[name], err = fill(name, data); err != nil {
			return nil, fmt.Errorf("family %s: %w", name, err)
		}
	}
	return files, nil
}

// parts are what families' TOML has in common.
var parts = map[string]string{"ProductPart": "product.part", "TotalsPart": "totals.part"}

// families are the files that suit how the rows lie in memory.
func (p *program) families() []string {
	list := []string{"reference.cu", "_operators.cu.tmpl", "_graph.cu.tmpl"}
	for _, part := range []struct {
		name  string
		there bool
	}{
		{"_product", p.product != nil}, {"_tiles_registers", p.product != nil}, {"_tiles_async", p.product != nil},
		{"_fma_units", p.product != nil && !p.tf32()}, {"_tensor_cores", p.tf32()},
		{"_running", p.scan != nil && !p.strided()}, {"_stats", len(p.stats) > 0},
		{"_totals", len(p.totals) > 0},
	} {
		if part.there {
			list = append(list, part.name+".cu.tmpl")
		}
	}
	for _, name := range p.suited() {
		list = append(list, name+".toml", name+".cu.tmpl")
	}
	return list
}

// suited are the families by name.
func (p *program) suited() (list []string) {
	may, must := p.shared()
	whole := !slices.Contains(p.sort(true), 0) && p.primary() != ""
	switch {
	case p.product != nil && len(p.stats) == 0:
		return []string{"matmul"}
	case p.pool != nil:
		return []string{"windows"}
	case p.scan != nil && p.strided():
		return []string{"scan_columns"}
	case p.scan != nil && must:
		return []string{"scan_tiles"}
	case p.scan != nil && may:
		return []string{"scan", "scan_tiles"}
	case p.scan != nil:
		return []string{"scan"}
	case len(p.stats) == 0:
		return []string{"map"}
	case p.strided():
		return []string{"columns"}
	}
	if whole && !must {
		list = append(list, "rows")
	}
	if !whole || may {
		list = append(list, "spread")
	}
	return list
}

// shared reports whether several blocks may share a row, and whether they must.
func (p *program) shared() (may, must bool) {
	rows, _ := p.graph.size(product(p.lengths(false)))
	terms, _ := p.graph.size(product(p.lengths(true)))
	return rows < someRows && terms > shortRow, rows < fewRows && terms > longRow
}

// A family of blocks that share a row is there for fewer than someRows of more than shortRow numbers; rows of one block
// alone are left out for fewer than fewRows of more than longRow.
const (
	fewRows, longRow   = 64, 1 << 20
	someRows, shortRow = 4096, 1 << 14
)

// rereads reports whether a row's numbers are needed again after they were added up.
func (p *program) rereads() bool {
	return p.passes() > 1 || p.has()["Twice"] || slices.ContainsFunc(p.outputs, func(o output) bool { return o.full })
}

// layout tells the families what they need to know of rows and outputs.
func (p *program) layout(d map[string]any, n *names) {
	var full, rows, totals []outputData
	for _, o := range d["Outputs"].([]outputData) {
		switch {
		case o.Full:
			full = append(full, o)
		case o.Total:
			totals = append(totals, o)
		default:
			rows = append(rows, o)
		}
	}
	last := len(p.domain) - 1
	d["FullOutputs"], d["RowOutputs"], d["TotalOutputs"] = full, rows, totals
	d["LastAxis"], d["LastPass"], d["Clusters"] = last, p.passes(), true
	d["Rereads"] = p.rereads()
	d["PrimaryTensor"], d["PrimaryOut"] = "", "(T*)nullptr"
	for _, l := range p.loads {
		if p.loadName(l) == p.primary() {
			d["PrimaryTensor"] = inName(l.tensor)
		}
	}
	if len(full) > 0 {
		d["PrimaryOut"] = "out." + full[0].Name
	}
	d["Aligned"] = n.one(bracket(p.domain[last].length))
	d["Scan"], d["ScanWords"] = p.scan, 32
	d["Product"] = p.product
	p.poolData(d, n)
	if m := p.product; m != nil {
		d["MatrixA"], d["MatrixB"] = p.matrix(m.batchesA), p.matrix(m.batchesB)
		d["ProductLengths"] = strings.Join(n.inC(m.lengths[:]), ", ")
		for i, name := range []string{"Batches", "Rows", "Cols", "Terms"} {
			d["Product"+name] = n.one(bracket(m.lengths[i]))
		}
	}
	d["SlotBytes"], d["FoundBytes"] = 12*len(p.stats), 12*max(len(p.stats), 1)
	d["RowBytes"] = 4 * (len(p.rowFields()) + 1)
}
