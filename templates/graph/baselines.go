package graph

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
)

// maxCall is what a baseline's call may take.
const maxCall = 1000

// baselines writes the module's own operators as what is to be beaten, eager and compiled.
func (p *program) baselines(b *strings.Builder, n *names) {
	var outs []string
	for _, o := range p.outputs {
		text := p.call(n, o.name)
		if o.ints() {
			text += ".int()"
		}
		outs = append(outs, text)
	}
	call := strings.Join(outs, ", ")
	if len(outs) > 1 {
		call = "(" + call + ")"
	}
	if len(call) > maxCall {
		return
	}
	for _, name := range []string{"torch", "torch-compile"} {
		fmt.Fprintf(b, "\n[[baseline]]\nkind = \"torch\"\nname = %s\ncall = %s\n", quoted(name), quoted(call))
		if name == "torch-compile" {
			b.WriteString("backend = \"compile\"\n")
		}
		if p.tf32() {
			b.WriteString("tf32 = true\n")
		}
	}
}

// call is a node as one Python expression.
func (p *program) call(n *names, name string) string {
	if i := slices.IndexFunc(p.graph.Tensors, func(t Tensor) bool { return t.Name == name }); i >= 0 {
		return n.tensors[i]
	}
	i := slices.IndexFunc(p.graph.Nodes, func(t Node) bool { return t.Name == name })
	if i < 0 {
		return name
	}
	node := &p.graph.Nodes[i]
	var args []string
	for _, a := range node.Args {
		args = append(args, p.python(n, a))
		if total := len(strings.Join(args, "")); total > maxCall {
			return strings.Repeat("x", maxCall+1)
		}
	}
	for _, key := range sortedKeys(node.Kwargs) {
		args = append(args, key+"="+p.python(n, node.Kwargs[key]))
	}
	return "torch.ops.aten." + strings.TrimSuffix(node.Op, each) + "(" + strings.Join(args, ", ") + ")"
}

func (p *program) python(n *names, a Arg) string {
	switch a.kind {
	case 'r':
		return p.call(n, a.Ref)
	case 'd':
		return n.one(a.Dim)
	case 'l':
		out := make([]string, len(a.List))
		for i, e := range a.List {
			out[i] = p.python(n, e)
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	switch v := a.Value.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case float64:
		return pythonNumber(v)
	case string:
		if kernels.CheckIdentifier(v) == nil {
			return "'" + v + "'"
		}
	}
	return "''"
}
