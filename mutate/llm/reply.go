package llm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"darwarp/kernels"
)

// The limits of a reply.
const (
	maxReply   = 256 << 10 // bytes, prose included
	maxKernel  = 64 << 10  // bytes of a source
	maxPlan    = 16 << 10  // bytes of a launch plan or a declaration
	maxThought = 400       // bytes of the idea behind a proposal that are kept
	maxPoints  = 8         // points of a family's space in one reply
	maxEdits   = 40
)

// Reply is what a model proposes, in exactly one of four forms.
type Reply struct {
	Thought  string            // its idea, one printable line; may be empty
	Points   []kernels.Variant // of a family, by genes
	Edits    []Edit            // of the source that was shown
	Kernel   string            // a whole source
	Plan     *kernels.PlanSpec // of a kernel, or with edits where the launch changes too
	Template string            // .cu.tmpl of a family of its own
	Family   string            // and its .toml
}

var (
	headerRE = regexp.MustCompile(`(?i)^[ \t]*#{1,6}[ \t]*(thought|genes|edit|kernel|plan|template|family)[ \t]*:?[ ` +
		`\t]*#*[ \t]*$`)
	fenceRE  = regexp.MustCompile("^[ \t]*(```+|~~~+)[ \t]*[A-Za-z0-9_+.-]*[ \t]*$")
	thinkEnd = "</think>"
)

// Parse reads a reply strictly. What a reply says outside of its sections is ignored. The error is one
// line for the model.
func Parse(text string) (*Reply, error) {
	switch {
	case len(text) > maxReply:
		return nil, fmt.Errorf("the reply has %d bytes: at most %d", len(text), maxReply)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return nil, errors.New("the reply is not text in UTF-8")
	}
	if at := strings.LastIndex(text, thinkEnd); at >= 0 { // local models that reason aloud
		text = text[at+len(thinkEnd):]
	}
	parts, err := sections(strings.ReplaceAll(text, "\r\n", "\n"))
	if err != nil {
		return nil, err
	}
	if prose := alone(text, parts); declines(prose) {
		return nil, fmt.Errorf("%w%s", ErrDeclined, Line(prose, maxThought))
	}
	if err := oneForm(parts); err != nil {
		return nil, err
	}
	return read(parts)
}

// ErrDeclined is in the chain of Parse's error where a model answers in words alone: it has nothing to propose. That is
// an answer. The error's text is this one's with the words behind it.
var ErrDeclined = errors.New("no proposal, it says: ")

// alone are the words of a reply that has no section but for its thought.
func alone(text string, parts map[string]string) string {
	thought, ok := parts["thought"]
	switch {
	case ok && len(parts) == 1:
		return strings.TrimSpace(thought)
	case len(parts) == 0:
		return strings.TrimSpace(text)
	}
	return ""
}

// declines reports whether words that stand alone are a short text: what has code in it is a proposal in another form
// than those that were asked for, which a model can be told.
func declines(prose string) bool {
	return prose != "" && len(prose) <= 2*maxThought && !strings.ContainsAny(prose, "{}<>;=`#|")
}

// sections splits a reply at its headers. A header inside of a fence counts too: no line of C++, JSON or
// TOML that means anything looks like one.
func sections(text string) (map[string]string, error) {
	out := map[string]string{}
	name, start, lines := "", 0, strings.Split(text, "\n")
	end := func(at int) error {
		if name == "" {
			return nil
		}
		if _, ok := out[name]; ok {
			return fmt.Errorf("two sections %q: expected one proposal", name)
		}
		out[name] = strings.Join(lines[start:at], "\n")
		return nil
	}
	for i, line := range lines {
		m := headerRE.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if err := end(i); err != nil {
			return nil, err
		}
		name, start = strings.ToLower(m[1]), i+1
	}
	return out, end(len(lines))
}

var forms = []string{"genes", "edit", "kernel", "template"}

func oneForm(parts map[string]string) error {
	var found []string
	for _, f := range forms {
		if _, ok := parts[f]; ok {
			found = append(found, f)
		}
	}
	_, plan := parts["plan"]
	_, family := parts["family"]
	switch {
	case len(found) == 0:
		return fmt.Errorf("no proposal: expected one section headed ## %s", strings.Join(forms, ", ## "))
	case len(found) > 1:
		return fmt.Errorf("sections %s: expected one proposal", strings.Join(found, " and "))
	case plan && found[0] != "edit" && found[0] != "kernel":
		return fmt.Errorf("a section plan with %s: it goes with edit or kernel", found[0])
	case family != (found[0] == "template"):
		return errors.New("sections template and family go together")
	}
	return nil
}

func read(parts map[string]string) (r *Reply, err error) {
	r = &Reply{Thought: Thought(parts["thought"])}
	text := func(name string, most int) string {
		s, ok := parts[name]
		if !ok || err != nil {
			return ""
		}
		if name != "edit" {
			s, err = unfence(name, s)
		}
		if err == nil {
			err = checkText(name, s, most)
		}
		return s
	}
	genes, edit, plan := text("genes", maxPlan), text("edit", maxKernel), text("plan", maxPlan)
	r.Kernel, r.Template, r.Family = text("kernel", maxKernel), text("template", maxKernel), text("family", maxPlan)
	if err == nil && genes != "" {
		r.Points, err = readGenes(genes)
	}
	if err == nil && edit != "" {
		r.Edits, err = readEdits(edit)
	}
	if err == nil && plan != "" {
		r.Plan, err = readPlan(plan)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// unfence takes what is between a section's first fence and its last, so that fences inside are text.
func unfence(name, s string) (string, error) {
	lines := strings.Split(s, "\n")
	first := slices.IndexFunc(lines, fenceRE.MatchString)
	last := -1
	for i := len(lines) - 1; i > first && first >= 0; i-- {
		if t := strings.TrimSpace(lines[i]); fenceRE.MatchString(lines[i]) && strings.Trim(t, t[:1]) == "" {
			last = i
			break
		}
	}
	if first < 0 || last < 0 {
		return "", fmt.Errorf("section %s: expected its text between ``` and ```", name)
	}
	return strings.Join(lines[first+1:last], "\n") + "\n", nil
}

// checkText refuses what no source has: characters that are not printed, and what is empty or too long.
func checkText(name, s string, most int) error {
	switch {
	case strings.TrimSpace(s) == "":
		return fmt.Errorf("section %s is empty", name)
	case len(s) > most:
		return fmt.Errorf("section %s has %d bytes: at most %d", name, len(s), most)
	}
	for i, c := range s {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c > 0x7e {
			line := 1 + strings.Count(s[:i], "\n")
			return fmt.Errorf("section %s, line %d: character %U: expected printable ASCII", name, line, c)
		}
	}
	return nil
}
