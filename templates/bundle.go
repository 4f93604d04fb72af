// Package templates reads problem folders and renders candidates' sources.
//
// A folder holds problem.toml, the reference kernel, and for each family NAME.toml with
// NAME.cu.tmpl; files named _NAME.cu.tmpl are partials that every family of the folder may use. The
// built-in problems have the same files, split between kernels/ and templates/.
package templates

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"text/template"

	"darwarp/kernels"
)

// Bundle is a problem with everything that a search of it needs. It is kept whole in a run's store,
// so that a run can be read, rendered and resumed after the folder has changed.
type Bundle struct {
	Problem   *kernels.Problem
	Reference string // source of the reference kernel, or of the module in its place
	Families  []*kernels.Family
	Files     map[string][]byte // all the above as read, by flat file name

	templates *template.Template
	quick     quick // of them
}

const (
	problemFile = "problem.toml"
	tmplSuffix  = ".cu.tmpl"
	maxFile     = 1 << 20  // bytes; a kernel of this size would not compile in an evening
	maxFiles    = 1024     // of a problem
	maxTotal    = 32 << 20 // bytes of all of them
	maxEntries  = 1 << 14  // of a folder
)

// Builtins lists the built-in problems.
func Builtins() []string {
	entries, err := fs.ReadDir(kernels.Problems, ".")
	if err != nil { // embedded
		panic(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// Builtin loads a built-in problem.
func Builtin(name string) (*Bundle, error) {
	if !slices.Contains(Builtins(), name) {
		return nil, fmt.Errorf("unknown problem %q: expected one of %s, or a folder with a problem.toml", name,
			strings.Join(Builtins(), ", "))
	}
	files := map[string][]byte{}
	for _, src := range []fs.FS{kernels.Problems, families} {
		sub, err := fs.Sub(src, name)
		if err != nil {
			return nil, fmt.Errorf("problem %q: %w", name, err)
		}
		if err := readFlat(sub, files); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("problem %q: %w", name, err)
		}
	}
	if err := derive(name, files); err != nil {
		return nil, fmt.Errorf("problem %q: %w", name, err)
	}
	return FromFiles(files)
}

// Load reads a problem folder.
func Load(dir fs.FS) (*Bundle, error) {
	files := map[string][]byte{}
	if err := readFlat(dir, files); err != nil {
		return nil, err
	}
	return FromFiles(files)
}

// FromFiles builds a bundle from its files. The error is kernels.Mistakes with everything wrong in
// any of them.
func FromFiles(files map[string][]byte) (*Bundle, error) {
	b, err := partial(files)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// partial builds what can be built of a bundle with mistakes: without a problem, nothing else is of use.
func partial(files map[string][]byte) (*Bundle, error) {
	b := &Bundle{Files: files}
	if err := b.checkFiles(); err != nil {
		return b, err
	}
	data, ok := files[problemFile]
	if !ok {
		return b, kernels.Mistakes{{File: problemFile,
			Err: errors.New("missing: a problem folder needs one (darwarp new NAME writes a folder to start from)")}}
	}
	var all kernels.Mistakes
	var err error
	if b.Problem, err = kernels.ParseProblem(problemFile, data); err != nil {
		if !errors.As(err, &all) {
			return b, err
		}
		return b, append(append(all, b.parseTemplates()...), b.familySyntax()...)
	}
	if err := b.readFixed(); err != nil {
		all = append(all, kernels.Mistake{File: fixedFile, Err: err})
	}
	if err := b.readSizes(); err != nil {
		all = append(all, kernels.Mistake{File: sizesFile, Err: err})
	}
	ref, ok := files[b.Problem.Reference.File]
	if !ok {
		all = append(all, kernels.Mistake{File: problemFile, Key: "reference.file",
			Err: fmt.Errorf("no file %q in the folder", b.Problem.Reference.File)})
	}
	b.Reference = string(ref)
	all = append(all, b.parseTemplates()...)
	all = append(all, b.parseFamilies()...)
	if len(all) > 0 {
		return b, all
	}
	return b, nil
}

// familySyntax is what is wrong with the families' files whatever the problem is.
func (b *Bundle) familySyntax() (ms kernels.Mistakes) {
	for _, n := range b.names(isFamily) {
		ms = append(ms, kernels.FamilySyntax(n, b.Files[n])...)
	}
	return ms
}

func isFamily(n string) bool { return strings.HasSuffix(n, ".toml") && n != problemFile }

func (b *Bundle) names(match func(string) bool) []string {
	var out []string
	for n := range b.Files {
		if match(n) {
			out = append(out, n)
		}
	}
	sort.Strings(out)
	return out
}

func (b *Bundle) parseFamilies() (ms kernels.Mistakes) {
	for _, n := range b.names(isFamily) {
		name := strings.TrimSuffix(n, ".toml")
		f, err := kernels.ParseFamily(n, name, b.Files[n], b.Problem)
		var more kernels.Mistakes
		switch {
		case errors.As(err, &more):
			ms = append(ms, more...)
		case err != nil:
			ms = append(ms, kernels.Mistake{File: n, Err: err})
		case b.Files[name+tmplSuffix] == nil:
			ms = append(ms, kernels.Mistake{File: n, Err: fmt.Errorf("no template %s beside it", name+tmplSuffix)})
		default:
			b.Families = append(b.Families, f)
		}
	}
	sortFamilies(b.Families)
	if len(b.Families) == 0 && len(ms) == 0 && !b.Problem.Reference.IsModule() { // whose families may be still to write
		ms = append(ms, kernels.Mistake{File: problemFile, Err: errors.New("the folder has no family: expected NAME.toml " +
			"with NAME.cu.tmpl")})
	}
	return ms
}

// Family finds a family by name.
func (b *Bundle) Family(name string) (*kernels.Family, error) {
	for _, f := range b.Families {
		if f.Name == name {
			return f, nil
		}
	}
	names := make([]string, len(b.Families))
	for i, f := range b.Families {
		names[i] = f.Name
	}
	return nil, fmt.Errorf("problem %s has no family %q: expected %s", b.Problem.Name, name, strings.Join(names, ", "))
}

// Hash names the state of the bundle's files.
func (b *Bundle) Hash() string { return hashFiles(b.Files) }
