package templates

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"darwarp/kernels"
)

// Unit is a source that a compiler may try: the reference, or a point of a family.
type Unit struct {
	File     string // that it comes from: reference.cu, fuse.cu.tmpl
	Declared string // where its launches are declared: problem.toml, fuse.toml
	Source   string
	Arch     string // the least architecture that it is for
	DType    kernels.DType

	above int            // lines of the source that are above the file's first
	lines *templateLines // that it was rendered from; nil: File, line by line
}

func (b *Bundle) referenceUnit(t kernels.DType) Unit {
	text := b.ReferenceSource(t)
	head := strings.TrimSuffix(text, b.Reference)
	return Unit{File: b.Problem.Reference.File, Declared: problemFile, Source: text, DType: t,
		above: strings.Count(head, "\n")}
}

func (c *checker) familyUnit(f *kernels.Family, src, arch string, t kernels.DType) Unit {
	return Unit{File: f.Name + tmplSuffix, Declared: f.Name + ".toml", Source: src, Arch: arch, DType: t,
		lines: c.lines}
}

// Locate says where a line of the source, counted from 1, stands in the folder's files: fuse.cu.tmpl:12. A rendered
// line is looked for among the lines of the templates; if none fits, the message names the template and quotes the
// line.
func (u Unit) Locate(line int) string {
	if u.lines == nil {
		return fmt.Sprintf("%s:%d", u.File, max(line-u.above, 1))
	}
	rendered := strings.Split(u.Source, "\n")
	if line < 1 || line > len(rendered) {
		return u.File
	}
	best, where := 0, ""
	all := u.lines.patterns()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != u.File && !strings.HasPrefix(name, "_") {
			continue
		}
		patterns := all[name]
		for i := range patterns {
			if n := fits(patterns, i, rendered, line-1); n > best {
				best, where = n, fmt.Sprintf("%s:%d", name, i+1)
			}
		}
	}
	if where == "" && strings.TrimSpace(rendered[line-1]) == "" {
		return u.File
	}
	if where == "" {
		return fmt.Sprintf("%s, in the line %q", u.File, strings.TrimSpace(rendered[line-1]))
	}
	return where
}

// nearby is how many lines before and after a line have a say in where it is from.
const nearby = 3

// fits counts the lines about a place of a template that can have become those about a line of the source; 0 if the
// line itself cannot.
func fits(patterns []*regexp.Regexp, at int, rendered []string, line int) (n int) {
	for d := -nearby; d <= nearby; d++ {
		i, j := at+d, line+d
		if i < 0 || j < 0 || i >= len(patterns) || j >= len(rendered) || patterns[i] == nil {
			continue
		}
		if patterns[i].MatchString(rendered[j]) {
			n++
		} else if d == 0 {
			return 0
		}
	}
	if patterns[at] == nil {
		return 0
	}
	return n
}

// templateLines are the lines of a folder's templates as patterns, which are made when the first is asked for.
type templateLines struct {
	files map[string][]byte
	once  sync.Once
	all   map[string][]*regexp.Regexp
}

func (l *templateLines) patterns() map[string][]*regexp.Regexp {
	l.once.Do(func() {
		l.all = map[string][]*regexp.Regexp{}
		for name, data := range l.files {
			if strings.HasSuffix(name, tmplSuffix) {
				l.all[name] = linePatterns(string(data))
			}
		}
	})
	return l.all
}

var action = regexp.MustCompile(`\{\{.*?\}\}`)

// linePatterns matches, for each line of a template, what it may become; nil where that is anything.
func linePatterns(text string) (all []*regexp.Regexp) {
	for line := range strings.SplitSeq(text, "\n") {
		var b strings.Builder
		literal := action.Split(strings.TrimRight(line, " \t\r"), -1)
		for i, piece := range literal {
			if i > 0 {
				b.WriteString(".*")
			}
			b.WriteString(regexp.QuoteMeta(piece))
		}
		if strings.TrimSpace(strings.Join(literal, "")) == "" {
			all = append(all, nil)
			continue
		}
		all = append(all, regexp.MustCompile("^"+b.String()+"$"))
	}
	return all
}
