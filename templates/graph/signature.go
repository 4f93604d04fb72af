package graph

import (
	"fmt"
	"strings"
)

// signature writes what the module takes and gives otherwise than kernels do, where it does.
func (p *program) signature(b *strings.Builder, n *names) {
	var scalars, long []string
	for i, t := range p.graph.Tensors {
		if len(t.Shape) == 0 {
			scalars = append(scalars, n.tensors[i])
		}
	}
	for i, o := range p.outputs {
		if of := p.graph.node(o.name); of != nil && len(of.Shape) == 0 {
			scalars = append(scalars, n.outputs[i])
		}
		if o.ints() {
			long = append(long, n.outputs[i])
		}
	}
	if len(scalars)+len(long)+len(p.graph.Numbers) == 0 {
		return
	}
	b.WriteString("\n[reference.module] # what it takes and gives otherwise than kernels\n")
	if len(p.graph.Numbers) > 0 {
		var list []string
		for _, c := range p.graph.Numbers {
			list = append(list, fmt.Sprintf("{ at = %d, name = %s, value = %s }", c.At, quoted(c.Name), quoted(c.Value)))
		}
		fmt.Fprintf(b, "numbers = [%s]\n", strings.Join(list, ", "))
	}
	for _, one := range []struct {
		key   string
		names []string
	}{{"scalars", scalars}, {"long", long}} {
		if len(one.names) > 0 {
			fmt.Fprintf(b, "%s = [%s]\n", one.key, quotedList(one.names))
		}
	}
}
