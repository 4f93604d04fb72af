package templates

import (
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// Most of what kernels' templates do is to compare genes with constants, a hundred times a source. text/template does
// that by reflection, which takes as long as all else that is done for a candidate. A quick form of a template does
// the same without. It knows texts, fields, calls of templates with the same data, and conditions on these. What it
// does not know, mistakes among it, text/template does: from the beginning, so that it also says what is wrong.

// quick are the templates of a bundle that have a quick form, by name.
type quick map[string]piece

// piece writes a part of a template; false: text/template is to do it.
type piece func(*sheet) bool

// operand gives a value; false: as of piece.
type operand func(*sheet) (any, bool)

// sheet is one rendering.
type sheet struct {
	out    *limitedBuilder
	data   map[string]any
	number []byte
	all    quick
	others *template.Template // for those without a quick form
}

// newQuick makes the quick forms, of templates that count their work.
func newQuick(all *template.Template) quick {
	q := quick{}
	for _, t := range all.Templates() {
		if t.Tree == nil {
			continue
		}
		if p := quickList(t.Root); p != nil {
			q[t.Name()] = p
		}
	}
	return q
}

// write writes a template.
func (s *sheet) write(name string) bool {
	if p, ok := s.all[name]; ok {
		return p(s)
	}
	return s.others.ExecuteTemplate(s.out, name, s.data) == nil
}

// quickList is nil where a node has no quick form, as all the following are.
func quickList(l *parse.ListNode) piece {
	if l == nil {
		return func(*sheet) bool { return true }
	}
	var all []piece
	for _, n := range l.Nodes {
		p := quickNode(n)
		if p == nil {
			return nil
		}
		all = append(all, p)
	}
	return func(s *sheet) bool {
		for _, p := range all {
			if !p(s) {
				return false
			}
		}
		return true
	}
}

func quickNode(n parse.Node) piece {
	switch n := n.(type) {
	case *parse.TextNode:
		return func(s *sheet) bool { _, err := s.out.Write(n.Text); return err == nil }
	case *parse.ActionNode:
		if of := quickPipe(n.Pipe); of != nil {
			return func(s *sheet) bool { v, ok := of(s); return ok && s.print(v) }
		}
	case *parse.TemplateNode:
		if isDot(n.Pipe) {
			return func(s *sheet) bool { return s.write(n.Name) }
		}
	case *parse.IfNode:
		return quickIf(n)
	}
	return nil
}

// isDot reports whether what a template is called with is what this one was.
func isDot(p *parse.PipeNode) bool {
	if p == nil || len(p.Decl) > 0 || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	_, ok := p.Cmds[0].Args[0].(*parse.DotNode)
	return ok
}

func quickIf(n *parse.IfNode) piece {
	of, then, otherwise := quickPipe(n.Pipe), quickList(n.List), quickList(n.ElseList)
	if of == nil || then == nil || otherwise == nil {
		return nil
	}
	return func(s *sheet) bool {
		v, ok := of(s)
		if !ok {
			return false
		}
		if holds(v) {
			return then(s)
		}
		return otherwise(s)
	}
}

// print writes a value as text/template does.
func (s *sheet) print(v any) bool {
	s.number = s.number[:0]
	switch v := v.(type) {
	case int:
		s.number = strconv.AppendInt(s.number, int64(v), 10)
	case string:
		s.number = append(s.number, v...)
	case bool:
		s.number = strconv.AppendBool(s.number, v)
	default:
		return false
	}
	_, err := s.out.Write(s.number)
	return err == nil
}

// holds reports what a condition takes a value for.
func holds(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case int:
		return v != 0
	case string:
		return v != ""
	}
	truth, ok := template.IsTrue(v)
	return truth && ok
}

func quickPipe(p *parse.PipeNode) operand {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return nil
	}
	args := p.Cmds[0].Args
	if name, ok := args[0].(*parse.IdentifierNode); ok {
		return quickCall(name.Ident, args[1:])
	}
	if len(args) != 1 {
		return nil
	}
	return quickOperand(args[0])
}

func quickOperand(n parse.Node) operand {
	switch n := n.(type) {
	case *parse.FieldNode:
		if len(n.Ident) == 1 {
			return func(s *sheet) (any, bool) { v, ok := s.data[n.Ident[0]]; return v, ok && v != nil }
		}
	case *parse.PipeNode:
		return quickPipe(n)
	case *parse.StringNode:
		return always(n.Text)
	case *parse.BoolNode:
		return always(n.True)
	case *parse.NumberNode:
		if n.IsInt && n.Text == strconv.FormatInt(n.Int64, 10) {
			return always(int(n.Int64))
		}
	}
	return nil
}

func always(v any) operand { return func(*sheet) (any, bool) { return v, true } }

func quickCall(name string, nodes []parse.Node) operand {
	call, ok := quickCalls[name]
	if !ok || len(nodes) < call.least || len(nodes) > call.most {
		return nil
	}
	args := make([]operand, len(nodes))
	for i, n := range nodes {
		if args[i] = quickOperand(n); args[i] == nil {
			return nil
		}
	}
	return func(s *sheet) (any, bool) { return call.fn(s, args) }
}

// unbounded is more arguments than a template has.
const unbounded = 1 << 20

// quickCalls are the functions that have a quick form, with how many arguments.
var quickCalls = map[string]struct {
	least, most int
	fn          func(s *sheet, args []operand) (any, bool)
}{
	"eq":  {2, unbounded, equalsAny},
	"ne":  {2, 2, compared(func(c int) bool { return c != 0 })},
	"lt":  {2, 2, ordered(func(c int) bool { return c < 0 })},
	"le":  {2, 2, ordered(func(c int) bool { return c <= 0 })},
	"gt":  {2, 2, ordered(func(c int) bool { return c > 0 })},
	"ge":  {2, 2, ordered(func(c int) bool { return c >= 0 })},
	"and": {1, unbounded, until(false)},
	"or":  {1, unbounded, until(true)},
	"not": {1, 1, func(s *sheet, args []operand) (any, bool) { v, ok := args[0](s); return !holds(v), ok }},
	"upper": {1, 1, func(s *sheet, args []operand) (any, bool) {
		v, _ := args[0](s)
		text, ok := v.(string)
		return strings.ToUpper(text), ok
	}},
}
