package templates

import (
	"text/template/parse"

	"darwarp/kernels"
)

// uses is the set of names that decide what a family's points are: those that its template and the
// partials that this one calls read, those that its launch plan reads, and through lets the names
// that these are derived from.
func (b *Bundle) uses(f *kernels.Family) map[string]bool {
	used := map[string]bool{}
	b.fields(f.Name, used, map[string]bool{})
	for _, name := range f.Plan.Reads() {
		used[name] = true
	}
	throughLets(f, used)
	return used
}

// throughLets adds to names those that the lets among them are derived from.
func throughLets(f *kernels.Family, names map[string]bool) {
	for i := len(f.Lets) - 1; i >= 0; i-- { // a let reads only lets before it
		if names[f.Lets[i].Name] {
			for _, name := range f.Lets[i].Reads() {
				names[name] = true
			}
		}
	}
}

// fields adds the names that a template reads: .name, $.name, and "name" as in index . "name".
func (b *Bundle) fields(template string, used, seen map[string]bool) {
	t := b.templates.Lookup(template)
	if t == nil || t.Tree == nil || seen[template] {
		return
	}
	seen[template] = true
	walk(t.Root, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.FieldNode:
			used[n.Ident[0]] = true
		case *parse.VariableNode:
			if n.Ident[0] == "$" && len(n.Ident) > 1 {
				used[n.Ident[1]] = true
			}
		case *parse.StringNode:
			used[n.Text] = true
		case *parse.TemplateNode:
			b.fields(n.Name, used, seen)
		}
	})
}

// idle lists the lets of a family that nothing reads.
func (b *Bundle) idle(f *kernels.Family) (names []string) {
	used := b.uses(f)
	for _, c := range f.Constraints {
		for _, name := range c.Reads() {
			used[name] = true
		}
	}
	for i := len(f.Lets) - 1; i >= 0; i-- {
		l := f.Lets[i]
		if !used[l.Name] {
			names = append(names, l.Name)
			continue
		}
		for _, name := range l.Reads() {
			used[name] = true
		}
	}
	return names
}
