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
	w := &caller{program: p, names: n, uses: p.uses(), said: map[string]string{}}
	for _, o := range p.outputs {
		text := w.call(o.name)
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

// torchTypes are the names in torch of the types that arguments are, makers the operators that make tensors of no
// others, which would lie on the processor.
var (
	torchTypes = map[string]string{"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "int64": "int64",
		"int32": "int32", "int8": "int8", "uint8": "uint8", "bool": "bool"}
	makers = []string{"arange", "zeros", "ones", "full", "scalar_tensor"}
)

// caller writes nodes as one Python expression. What is used twice is computed once, as the module does: it gets a name
// where it stands first, and is that name from then on.
type caller struct {
	*program
	names *names
	uses  map[string]int
	said  map[string]string // the names given so far, by node
}

// uses counts how often outputs and the nodes that they need refer to each name.
func (p *program) uses() map[string]int {
	count := map[string]int{}
	var refer func(name string)
	var argument func(a Arg)
	argument = func(a Arg) {
		if a.kind == 'r' {
			refer(a.Ref)
		}
		for _, e := range a.List {
			argument(e)
		}
	}
	refer = func(name string) {
		if count[name]++; count[name] > 1 {
			return
		}
		if i := slices.IndexFunc(p.graph.Nodes, func(t Node) bool { return t.Name == name }); i >= 0 {
			for _, a := range p.graph.Nodes[i].Args {
				argument(a)
			}
			for _, a := range p.graph.Nodes[i].Kwargs {
				argument(a)
			}
		}
	}
	for _, o := range p.outputs {
		refer(o.name)
	}
	return count
}

func (w *caller) call(name string) string {
	if i := slices.IndexFunc(w.graph.Tensors, func(t Tensor) bool { return t.Name == name }); i >= 0 {
		return w.names.tensors[i]
	}
	i := slices.IndexFunc(w.graph.Nodes, func(t Node) bool { return t.Name == name })
	if i < 0 {
		return name
	}
	if said := w.said[name]; said != "" {
		return said
	}
	node := &w.graph.Nodes[i]
	var args []string
	for _, a := range node.Args {
		args = append(args, w.python(a))
		if total := len(strings.Join(args, "")); total > maxCall {
			return strings.Repeat("x", maxCall+1)
		}
	}
	for _, key := range sortedKeys(node.Kwargs) {
		args = append(args, key+"="+w.python(node.Kwargs[key]))
	}
	if slices.Contains(makers, node.Op) && len(w.names.tensors) > 0 {
		args = append(args, "device="+w.names.tensors[0]+".device")
	}
	text := "torch.ops.aten." + strings.TrimSuffix(node.Op, each) + "(" + strings.Join(args, ", ") + ")"
	if w.uses[name] < 2 {
		return text
	}
	w.said[name] = w.free()
	return "(" + w.said[name] + " := " + text + ")"
}

// free is a name that neither a tensor nor a dim has, nor another node.
func (w *caller) free() string {
	name := fmt.Sprintf("_%d", len(w.said)+1)
	for slices.Contains(w.names.tensors, name) || slices.Contains(w.names.order, name) {
		name = "_" + name
	}
	return name
}

func (w *caller) python(a Arg) string {
	switch a.kind {
	case 'r':
		return w.call(a.Ref)
	case 'd':
		return strings.ReplaceAll(w.names.one(a.Dim), "/", "//") // of whole numbers
	case 'l':
		out := make([]string, len(a.List))
		for i, e := range a.List {
			out[i] = w.python(e)
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
		if t := torchTypes[v]; t != "" {
			return "torch." + t
		}
		if kernels.CheckIdentifier(v) == nil {
			return "'" + v + "'"
		}
	}
	return "''"
}
