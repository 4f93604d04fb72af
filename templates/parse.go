package templates

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"

	"darwarp/kernels"
)

// parseTemplates reads every template and partial of the bundle. A file's template is known by its
// file name, so that errors say where they are, and by its short name, by which it is used.
func (b *Bundle) parseTemplates() (ms kernels.Mistakes) {
	b.templates = template.New("").Funcs(funcs).Option("missingkey=error")
	from := map[string]string{}
	for _, n := range b.names(func(n string) bool { return strings.HasSuffix(n, tmplSuffix) }) {
		short := strings.TrimPrefix(strings.TrimSuffix(n, tmplSuffix), "_")
		t, err := b.templates.New(n).Parse(string(b.Files[n]))
		if err == nil && from[short] != "" {
			err = fmt.Errorf("%s has the same name: rename one of them", from[short])
		}
		if err == nil && t.Tree != nil {
			_, err = b.templates.AddParseTree(short, t.Tree)
		}
		if err != nil {
			ms = append(ms, templateMistake(n, err))
		}
		from[short] = n
	}
	for _, t := range b.templates.Templates() {
		if t.Tree != nil && t.Name() == t.ParseName {
			ms = append(ms, b.missing(t)...)
		}
	}
	if len(ms) == 0 {
		b.countWork()
		b.quick = newQuick(b.templates)
	}
	return ms
}

// templateMistake turns "template: tile.cu.tmpl:3: unexpected ..." into a mistake of that place.
func templateMistake(file string, err error) kernels.Mistake {
	text := strings.TrimPrefix(err.Error(), "template: ")
	if rest, ok := strings.CutPrefix(text, file+":"); ok {
		if line, message, ok := strings.Cut(rest, ": "); ok {
			return kernels.Mistake{File: file + ":" + line, Err: errors.New(message)}
		}
	}
	return kernels.Mistake{File: file, Err: errors.New(text)}
}

// maxMissing is how many partials that do not exist are told of a file: to say where one is asked for takes a reading
// of the file up to there.
const maxMissing = 20

// missing finds the partials that a file asks for and that do not exist.
func (b *Bundle) missing(t *template.Template) (ms kernels.Mistakes) {
	walk(t.Root, func(n parse.Node) {
		if call, ok := n.(*parse.TemplateNode); ok && len(ms) < maxMissing && !b.hasTemplate(call.Name) {
			where, _ := t.ErrorContext(n)
			ms = append(ms, kernels.Mistake{File: where, Err: fmt.Errorf("no template %q: expected a file _%s%s, or a define",
				call.Name, call.Name, tmplSuffix)})
		}
	})
	return ms
}

// hasTemplate reports whether there is a template of a name, or a file for it that is wrong itself.
func (b *Bundle) hasTemplate(name string) bool {
	return b.templates.Lookup(name) != nil || b.Files["_"+name+tmplSuffix] != nil || b.Files[name+tmplSuffix] != nil
}

// walk visits every node below a node, each before its children.
func walk(n parse.Node, visit func(parse.Node)) {
	visit(n)
	branch := func(pipe *parse.PipeNode, lists ...*parse.ListNode) {
		walk(pipe, visit)
		for _, l := range lists {
			if l != nil {
				walk(l, visit)
			}
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, c := range n.Nodes {
			walk(c, visit)
		}
	case *parse.ActionNode:
		walk(n.Pipe, visit)
	case *parse.IfNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.RangeNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.WithNode:
		branch(n.Pipe, n.List, n.ElseList)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			walk(n.Pipe, visit)
		}
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			for _, arg := range c.Args {
				walk(arg, visit)
			}
		}
	case *parse.ChainNode:
		walk(n.Node, visit)
	}
}
