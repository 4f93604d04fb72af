package graph

import "darwarp/templates"

// A product in tf32 has, beside the family of products, one that multiplies by wgmma. It takes floats only where the
// terms are neighbours, and cuts off what does not fit tf32: so both operands are rounded and laid out by a kernel
// before it, whatever their order, and one family serves all orders and batches. What becomes of the sums, and much of
// the kernel, are those of products in 16 bits.

// leastRounded rows, columns and terms are a tile of that family. Of fewer, what is rounded is mostly zeros.
const leastRounded = 64

// roundedFrom is the problem whose partials the family has.
const roundedFrom = "gemm_batched"

// roundedFiles are the family's own, in the folder tf32.
var roundedFiles = []string{"hopper.toml", "hopper.cu.tmpl", "_rounded.cu.tmpl", "_load_rounded.cu.tmpl",
	"_multiply_rounded.cu.tmpl"}

// hasRounded reports whether the graph has that family. Results are stored in words of 16 bytes.
func (p *program) hasRounded() bool {
	if !p.tf32() || !p.mapped() {
		return false
	}
	n := p.productSizes()
	return n[colsAt]%4 == 0 && min(n[rowsAt], n[colsAt], n[termsAt]) >= leastRounded && n[batchesAt] <= mostPlanes
}

// addRounded adds that family.
func (p *program) addRounded(n *names, files map[string][]byte) error {
	from, err := templates.Builtin(roundedFrom)
	if err != nil {
		return err
	}
	data, err := p.finishFiles(n, files)
	if err != nil {
		return err
	}
	m := p.product
	data["TensorA"], data["TensorB"], data["TensorC"] = n.tensors[m.left], n.tensors[m.right], n.outputs[0]
	data["OwnA"], data["OwnB"] = n.one(bracket(ownPlanes(m.batchesA))), n.one(bracket(ownPlanes(m.batchesB)))
	for _, name := range roundedFiles {
		if files[name], err = fill("tf32/"+name, data); err != nil {
			return err
		}
	}
	for _, name := range roundedFiles {
		for _, call := range calledPartial.FindAllSubmatch(files[name], -1) {
			withPartials(files, from.Files, "_"+string(call[1])+tmplSuffix)
		}
	}
	return nil
}

// roundedNames are what that family calls its own.
func roundedNames() (list []string, err error) {
	text, err := familyFiles.ReadFile("families/tf32/" + roundedFiles[0])
	for _, m := range ownName.FindAllSubmatch(text, -1) {
		list = append(list, string(m[1]))
	}
	return list, err
}

const tmplSuffix = ".cu.tmpl"
