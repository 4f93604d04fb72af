package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
	"darwarp/templates"
)

// Told is a problem folder without a reference kernel: the module itself tells the truth. No family takes the graph
// whole; there is one where it can be cut into stages.
type Told struct {
	Reference kernels.Reference // its kind is that of a module
	Module    []byte            // text of its file
	Shapes    []map[string]int  // check shapes, by the graph's dims
	Small     map[string]int    // a workload for a device that emulates; nil: there is none
}

// Folder writes the folder of a graph. The error says in one line what is not taken.
func (t *Told) Folder(g *Graph) (files map[string][]byte, err error) {
	p := &program{graph: g}
	for _, name := range g.Outputs {
		o := output{name: name}
		for _, n := range g.Nodes {
			if n.Name == name {
				o.shape, o.dtype = n.Shape, n.DType
			}
		}
		p.outputs = append(p.outputs, o)
	}
	if err := t.admit(p); err != nil {
		return nil, err
	}
	if files = g.pipeline(); files != nil {
		files["problem.toml"], files[t.Reference.File] = t.problemToml(p, g.names(p.outputs), ""), t.Module
		if _, err := templates.FromFiles(files); err == nil {
			return files, nil
		}
	}
	files = map[string][]byte{"problem.toml": t.problemToml(p, g.names(p.outputs), noFamily), t.Reference.File: t.Module}
	if _, err := templates.FromFiles(files); err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return nil, fmt.Errorf("the folder that was made is not usable: %s", line)
	}
	return files, nil
}

const noSize = "it has no size that can be changed: expected one that the shape of an input or a parameter follows"

// admit refuses what a module cannot be held against: outputs that rounding may change as a whole, and inputs of which
// it is not known what they may be.
func (t *Told) admit(p *program) error {
	if len(p.graph.Dims) == 0 || len(t.Shapes) == 0 {
		return errors.New(noSize)
	}
	dtype := p.graph.element()
	for _, x := range p.graph.Tensors {
		switch {
		case slices.Contains(ranged, x.DType):
		case wholes[x.DType] != "" && x.Range == nil:
			return unknownRange(x)
		case wholes[x.DType] != "":
		case !slices.Contains(floats, x.DType) || x.DType != dtype:
			return fmt.Errorf("tensor %s: of %s, and others of %s: expected one of %s", x.Name, cut(x.DType), cut(dtype),
				strings.Join(floats, ", "))
		case len(x.Strides) > 0:
			return fmt.Errorf("tensor %s: it is not contiguous", x.Name)
		}
	}
	for _, o := range p.outputs {
		if o.dtype != dtype {
			return fmt.Errorf("output %s: of %s, and tensors of %s: expected one type", o.name, cut(o.dtype), cut(dtype))
		}
	}
	return nil
}

const noFamily = "# There is no family yet: NAME.toml with NAME.cu.tmpl is one.\n"

// problemToml writes problem.toml, with a remark.
func (t *Told) problemToml(p *program, n *names, remark string) []byte {
	var b strings.Builder
	r, g := &t.Reference, p.graph
	fmt.Fprintf(&b, "# Made from a graph of PyTorch operators: %s.\n", p.about())
	b.WriteString("# The module itself tells the truth, in fp64.\n" + remark)
	fmt.Fprintf(&b, "name = %s\nabout = %s\ndims = [%s]\ndtypes = [%s]\n", quoted(g.Name), quoted(p.about()),
		quotedList(n.order), quoted(g.element()))
	var outs []string
	for _, o := range p.outputs {
		outs = append(outs, product(texts(o.shape)))
	}
	written := n.one(strings.Join(outs, " + "))
	fmt.Fprintf(&b, "flops = %s # at least\nbytes = %s # at least\n", quoted(written), quoted("elem * ("+written+")"))
	for i, x := range g.Tensors {
		fmt.Fprintf(&b, "\n[[tensor]]\nname = %s\nrole = \"in\"\n", quoted(n.tensors[i]))
		if wholes[x.DType] != "" {
			fmt.Fprintf(&b, "dtype = %s\n%s", quoted(x.DType), x.rangeLine(n))
		}
		fmt.Fprintf(&b, "shape = [%s]\n", shapeList(n, x.Shape))
	}
	for i, o := range p.outputs {
		fmt.Fprintf(&b, "\n[[tensor]]\nname = %s\nrole = \"out\"\nshape = [%s]\n", quoted(n.outputs[i]),
			shapeList(n, o.shape))
	}
	writeWorkload(&b, g, n, g.sizes, "default = true\n")
	if t.Small != nil {
		writeWorkload(&b, g, n, t.Small, "small = true\n")
	}
	t.check(&b, g, n)
	fmt.Fprintf(&b, "\n[reference]\nkind = %q\nfile = %s\n", r.Kind, quoted(r.File))
	if r.Class != "" {
		fmt.Fprintf(&b, "class = %s\n", quoted(r.Class))
	}
	if r.Eval {
		b.WriteString("eval = true\n")
	}
	if r.Precision != "" {
		fmt.Fprintf(&b, "precision = %s\n", quoted(r.Precision))
	}
	p.signature(&b, n)
	p.baselines(&b, n)
	return []byte(b.String())
}

// check writes how outputs are judged.
func (t *Told) check(b *strings.Builder, g *Graph, n *names) {
	b.WriteString("\n[check] # tolerances follow from how far the module's outputs follow its inputs\nexact = false\n" +
		"coherent = true\ninputs = [\"uniform\", \"normal\"]\n" +
		"without = [\"tiny\", \"huge\"] # fp32 may overflow on the way where fp64 does not\nshapes = [\n")
	for _, s := range t.Shapes {
		fmt.Fprintf(b, "    { %s },\n", sizesOf(g, n, s))
	}
	b.WriteString("]\n")
	if g.hides() {
		b.WriteString("special = false # torch's own kernels differ in what becomes of inf and NaN that a mask hides\n")
	}
}

// hides reports whether attention has keys that a mask hides, but for masks that are added: 0 times a value that is inf
// is NaN, and a kernel may leave hidden keys out.
func (g *Graph) hides() bool {
	masked := map[string]bool{}
	return slices.ContainsFunc(g.Nodes, func(n Node) bool {
		op := canonical(n.Op)
		masked[n.Name] = op == "where"
		return op == safeSoftmax && len(n.Args) > 0 && masked[n.Args[0].Ref]
	})
}

// sizesOf are sizes by the problem's dims.
func sizesOf(g *Graph, n *names, sizes map[string]int) string {
	var dims []string
	for _, d := range g.Dims {
		dims = append(dims, fmt.Sprintf("%s = %d", n.dims[d.Name], sizes[d.Name]))
	}
	return strings.Join(dims, ", ")
}

// writeWorkload writes a workload that is named by its sizes.
func writeWorkload(b *strings.Builder, g *Graph, n *names, sizes map[string]int, extra string) {
	var label []string
	for _, d := range g.Dims {
		label = append(label, fmt.Sprint(sizes[d.Name]))
	}
	fmt.Fprintf(b, "\n[[workload]]\nname = %s\ndims = { %s }\n%s", quoted(strings.Join(label, "x")), sizesOf(g, n, sizes),
		extra)
}
