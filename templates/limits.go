package templates

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
)

// A template is a program, and a mistake in one must not hang a search or fill its memory. Output,
// calls, rounds of loops and the length of strings are bounded; the work between two of these is
// bounded by the length of the template.
const (
	maxSource = 1 << 20  // bytes of a rendered source
	maxSteps  = 1 << 17  // writes, calls and rounds of one rendering; an ordinary one takes some hundreds
	maxDepth  = 100      // templates that call each other
	maxString = 64 << 10 // bytes of a string that print and printf make
)

var funcs = template.FuncMap{
	"add": func(a, b int) int { return a + b },
	"sub": func(a, b int) int { return a - b },
	"mul": func(a, b int) int { return a * b },
	"div": func(a, b int) (int, error) {
		if b == 0 {
			return 0, fmt.Errorf("div: division by zero")
		}
		return a / b, nil
	},
	"mod": func(a, b int) (int, error) {
		if b == 0 {
			return 0, fmt.Errorf("mod: division by zero")
		}
		return a % b, nil
	},
	"upper":   strings.ToUpper,
	"print":   func(args ...any) (string, error) { return short(fmt.Sprint(args...)) },
	"println": func(args ...any) (string, error) { return short(fmt.Sprintln(args...)) },
	"printf": func(format string, args ...any) (string, error) {
		if len(format) > 1<<10 {
			return "", fmt.Errorf("printf: format longer than 1024 bytes")
		}
		return short(fmt.Sprintf(format, args...))
	},
	"html": refused("html"), "js": refused("js"), "urlquery": refused("urlquery"), "call": refused("call"),
}

func short(s string) (string, error) {
	if len(s) > maxString {
		return "", fmt.Errorf("string longer than %d bytes", maxString)
	}
	return s, nil
}

// refused stands for a function of text/template that has no use in a kernel.
func refused(name string) any {
	return func(...any) (string, error) { return "", fmt.Errorf("%s is not available", name) }
}

// Marks are texts that stand in templates for what the output has to count. text/template writes
// them like any other text, and limitedBuilder knows each by its address.
var (
	enterMark = []byte("enter") // the beginning of a template
	leaveMark = []byte("leave") // its end
	stepMark  = []byte("step")  // the beginning of a loop's body
)

// countWork puts marks into every template and every loop, so that those without output count too.
func (b *Bundle) countWork() {
	seen := map[*parse.Tree]bool{} // a file's tree has two names
	for _, t := range b.templates.Templates() {
		if t.Tree == nil || seen[t.Tree] {
			continue
		}
		seen[t.Tree] = true
		walk(t.Root, func(n parse.Node) {
			if loop, ok := n.(*parse.RangeNode); ok {
				loop.List.Nodes = slices.Insert(loop.List.Nodes, 0, mark(stepMark))
			}
		})
		t.Root.Nodes = append(slices.Insert(t.Root.Nodes, 0, mark(enterMark)), mark(leaveMark))
	}
}

func mark(m []byte) parse.Node { return &parse.TextNode{NodeType: parse.NodeText, Text: m} }

// limitedBuilder is the output of one rendering.
type limitedBuilder struct {
	bytes.Buffer
	steps, depth int
	until        time.Time // zero: no limit
}

func (b *limitedBuilder) reset() {
	b.restart()
	b.until = time.Time{}
}

// restart is reset with as much time as is left.
func (b *limitedBuilder) restart() {
	b.Reset()
	b.steps, b.depth = 0, 0
}

func (b *limitedBuilder) Write(p []byte) (int, error) {
	if b.steps++; b.steps > maxSteps {
		return 0, fmt.Errorf("more than %d steps: a loop or a template that calls itself without end", maxSteps)
	}
	if !b.until.IsZero() && time.Now().After(b.until) {
		return 0, fmt.Errorf("longer than %s", untrustedTime)
	}
	if len(p) == 0 {
		return 0, nil
	}
	switch &p[0] {
	case &enterMark[0]:
		if b.depth++; b.depth > maxDepth {
			return 0, fmt.Errorf("templates nested deeper than %d: one calls itself without end", maxDepth)
		}
		return len(p), nil
	case &leaveMark[0]:
		b.depth--
		return len(p), nil
	case &stepMark[0]:
		return len(p), nil
	}
	if b.Len()+len(p) > maxSource {
		return 0, fmt.Errorf("source longer than %d bytes", maxSource)
	}
	return b.Buffer.Write(p)
}
