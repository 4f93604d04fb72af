package graph

import (
	"fmt"
	"regexp"
	"strings"

	"darwarp/kernels/expr"
)

// names are what dims, tensors and outputs are called in the folder: as in the graph, with "_" behind what means
// something else there.
type names struct {
	dims             map[string]string
	index            map[string]int // of a dim
	tensors, outputs []string
	order            []string // of the dims
}

var declared = regexp.MustCompile(`(?m)^name = "(\w+)"`)

// reserved are the names that families use themselves.
func reserved() map[string]bool {
	taken := map[string]bool{
		"T":        true,
		"dtype":    true,
		"elem":     true,
		"out_elem": true,
		"device":   true,
		"torch":    true,
		"F":        true,
		"math":     true,
	}
	for _, name := range expr.Reserved {
		taken[name] = true
	}
	for name := range operators {
		taken["fast_"+name] = true
	}
	entries, err := familyFiles.ReadDir("families")
	if err != nil { // embedded
		panic(err)
	}
	for _, e := range entries {
		text, _ := familyFiles.ReadFile("families/" + e.Name())
		for _, m := range declared.FindAllSubmatch(text, -1) {
			taken[string(m[1])] = true
		}
	}
	return taken
}

func (g *Graph) names(outputs []output, besides ...string) *names {
	taken := reserved()
	for _, name := range besides {
		taken[name] = true
	}
	fresh := func(name string) string {
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		return name
	}
	n := &names{dims: map[string]string{}, index: map[string]int{}}
	for i, d := range g.Dims {
		n.dims[d.Name] = fresh(d.Name)
		n.index[d.Name] = i
		n.order = append(n.order, n.dims[d.Name])
	}
	for _, t := range g.Tensors {
		n.tensors = append(n.tensors, fresh(t.Name))
	}
	for _, o := range outputs {
		n.outputs = append(n.outputs, fresh(o.name))
	}
	return n
}

var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// one is an expression of the graph's dims in terms of the folder's.
func (n *names) one(text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if name := n.dims[w]; name != "" {
			return name
		}
		return w
	})
}

func (n *names) all(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = n.one(s)
	}
	return out
}

// inC are expressions of dims as expressions in C++ of the reference's parameters.
func (n *names) inC(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "int(" + word.ReplaceAllStringFunc(s, func(w string) string {
			return fmt.Sprintf("(long long)d%d", n.index[w])
		}) + ")"
	}
	return out
}

var arithmeticOnly = regexp.MustCompile(`^[\w +*/%()-]*$`)

// checkLengths refuses lengths that are no plain arithmetic of dims: they go into C++, too.
func (p *program) checkLengths() error {
	list := p.sizeTexts()
	if p.product != nil {
		list = append(list, p.product.lengths[:]...)
	}
	for _, text := range list {
		if !arithmeticOnly.MatchString(text) {
			return fmt.Errorf("length %s: expected + - * / %% of dims and integers", cut(text))
		}
		for _, w := range word.FindAllString(text, -1) {
			if p.graph.sizes[w] == 0 {
				return fmt.Errorf("length %s: %s is no dim", cut(text), w)
			}
		}
		if v, err := p.graph.size(text); err != nil || v < 1 {
			return fmt.Errorf("length %s: expected 1 or more", cut(text))
		}
	}
	return nil
}

// quoted is a name in TOML.
func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
