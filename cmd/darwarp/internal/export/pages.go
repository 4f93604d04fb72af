package export

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"text/template"
	"text/template/parse"
)

//go:embed *.tmpl
var files embed.FS

// languages are those of files, by what their templates end in before .tmpl.
var languages = map[string]language{".cu": inC, ".cuh": inC, ".h": inC, ".cpp": inC, ".py": inPython,
	".txt": inCMake, ".toml": inTOML, ".nix": inNix, ".md": inMarkdown}

// pages are the templates of all files. In each, every value that is written is passed to the writer of the file's
// language last: a template cannot write anything in another way.
var pages = func() *template.Template {
	writers := template.FuncMap{}
	for ext, l := range languages {
		writers[writer(ext)] = l.emit
	}
	t := template.Must(template.New("").Funcs(funcs).Funcs(writers).ParseFS(files, "*.tmpl"))
	for _, page := range t.Templates() {
		if page.Tree != nil {
			ext := path.Ext(strings.TrimSuffix(page.Tree.ParseName, ".tmpl"))
			if _, ok := languages[ext]; !ok {
				panic(page.Tree.ParseName + " is in no language")
			}
			guard(page.Tree.Root, writer(ext))
		}
	}
	return t
}()

// writer is the name of a language's writer in templates.
func writer(ext string) string { return "write_" + strings.TrimPrefix(ext, ".") }

// guard has every action below a node write through a function.
func guard(n parse.Node, function string) {
	lists := func(all ...*parse.ListNode) {
		for _, l := range all {
			if l != nil {
				guard(l, function)
			}
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, c := range n.Nodes {
			guard(c, function)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 && !constantText(n.Pipe) {
			n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos,
				Args: []parse.Node{parse.NewIdentifier(function).SetPos(n.Pos)}})
		}
	case *parse.IfNode:
		lists(n.List, n.ElseList)
	case *parse.RangeNode:
		lists(n.List, n.ElseList)
	case *parse.WithNode:
		lists(n.List, n.ElseList)
	case *parse.TextNode, *parse.TemplateNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
	default:
		panic(fmt.Sprintf("%T in a template", n))
	}
}

// constantText reports whether an action writes a text of its template's, such as a brace.
func constantText(p *parse.PipeNode) bool {
	return len(p.Cmds) == 1 && len(p.Cmds[0].Args) == 1 && p.Cmds[0].Args[0].Type() == parse.NodeString
}

// page fills in a template.
func page(name string, data any) ([]byte, error) {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return []byte(b.String()), nil
}
