package templates

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"darwarp/kernels"
)

// Draft is a family from outside, as of a language model, after everything about it was checked that costs no compile.
type Draft struct {
	Family *kernels.Family
	Files  [2][]byte // declaration and template, as they will be kept
	space  *kernels.Space
}

// The limits of a draft. They bound the time that Draft and Grow take to some seconds, whatever they are given.
const (
	draftName      = "llm-draft"
	maxDraftGenes  = 16
	maxDraftRules  = 64      // constraints and lets
	maxDraftPlan   = 8       // launches, and scratch buffers
	maxDraftPoints = 1 << 18 // combinations of values, rules aside
	maxDraftWork   = 1 << 26 // combinations times ruleBytes: a second or two to enumerate
	draftSamples   = 8       // points that are rendered beside the default
)

// strangeRE finds what a draft's template may not have: names that could be those of another family's templates.
var strangeRE = regexp.MustCompile(`\{\{-?\s*(define|block|template)\b`)

// Draft checks a declaration and a template as those of a problem folder, and more narrowly: the space is small, has
// a point at its defaults, and these and a sample of others render and can be launched at every size of the problem.
// The error says what to change.
func (b *Bundle) Draft(declaration, template string, dev kernels.Device, t kernels.DType) (*Draft, error) {
	if strings.Contains(declaration, `\`) { // an escape could make any character
		return nil, errors.New(`family: a backslash: expected plain words without escapes`)
	}
	// and what it says is shown on one line
	if strings.Contains(declaration, `"""`) || strings.Contains(declaration, "'''") {
		return nil, errors.New("family: a string over several lines: expected one line")
	}
	if m := strangeRE.FindStringSubmatch(template); m != nil {
		return nil, fmt.Errorf("template: {{%s}} cannot be used: write it in one piece", m[1])
	}
	d := &Draft{Files: [2][]byte{[]byte(declaration), []byte(template)}}
	files := map[string][]byte{
		problemFile: b.Files[problemFile], b.Problem.Reference.File: []byte(b.Reference),
		draftName + ".toml": d.Files[0], draftName + tmplSuffix: d.Files[1],
	}
	for name, data := range b.Files {
		if OfRun(name) {
			files[name] = data
		}
	}
	alone, err := FromFiles(files)
	if err != nil {
		return nil, err
	}
	d.Family = alone.Families[0]
	if err := d.small(); err != nil {
		return nil, err
	}
	return d, d.try(alone, dev, t)
}

// small refuses what would take long to enumerate or to render.
func (d *Draft) small() error {
	f := d.Family
	switch {
	case len(f.Genes) > maxDraftGenes:
		return fmt.Errorf("%d genes: expected at most %d", len(f.Genes), maxDraftGenes)
	case len(f.Constraints)+len(f.Lets) > maxDraftRules:
		return fmt.Errorf("%d rules and lets: expected at most %d", len(f.Constraints)+len(f.Lets), maxDraftRules)
	case len(f.Launches) > maxDraftPlan || len(f.Scratch) > maxDraftPlan:
		return fmt.Errorf("expected at most %d launches and %d scratch buffers", maxDraftPlan, maxDraftPlan)
	}
	if most := min(maxDraftPoints, maxDraftWork/max(1, ruleBytes(f))); f.Combinations(most) > most {
		return fmt.Errorf("the genes have more than %d combinations, which is what rules of this length allow: choose "+
			"fewer values", most)
	}
	return nil
}

// ruleBytes is the length of the expressions that are evaluated at every point, with all lets for every rule.
func ruleBytes(f *kernels.Family) (n int) {
	lets := 0
	for _, l := range f.Lets {
		lets += len(l.Value)
	}
	for _, c := range f.Constraints {
		n += len(c.Rule) + lets
	}
	for _, g := range f.Genes { // which reads genes alone
		n += len(g.When) + len(g.Matters)
	}
	return n + lets
}

// try enumerates the space and renders points of it.
func (d *Draft) try(alone *Bundle, dev kernels.Device, t kernels.DType) (err error) {
	f := d.Family
	if !f.Runs(dev) {
		return fmt.Errorf("arch %s: this device is %s", f.Arch, dev.Arch)
	}
	if d.space, err = kernels.NewSpace(f, dev, t, nil); err != nil {
		return err
	}
	if err := f.Check(f.Defaults(), dev, t); err != nil {
		return fmt.Errorf("the defaults are not legal: %w", err)
	}
	r, c := SpaceReport{space: d.space}, newChecker(alone)
	c.try(&r, f.Defaults())
	rng := rand.New(rand.NewPCG(1, 2))
	for range draftSamples {
		c.try(&r, d.space.Genome(d.space.At(d.space.Sample(rng))))
	}
	if ms := c.report.Mistakes; len(ms) > 0 {
		return fmt.Errorf("a point that the rules allow cannot be used: %w", ms[0])
	}
	if len(r.Failed) > 0 {
		return fmt.Errorf("a point that the rules allow cannot be used: %s", r.Failed[0])
	}
	return nil
}

// Grow is the bundle with one family more, and that family's space. The bundle itself stays as it is. It takes some
// milliseconds.
func (b *Bundle) Grow(name string, d *Draft) (*Bundle, *kernels.Space, error) {
	files := maps.Clone(b.Files)
	files[name+".toml"], files[name+tmplSuffix] = d.Files[0], d.Files[1]
	grown, err := FromFiles(files)
	if err != nil {
		return nil, nil, err
	}
	d.Family.Name = name
	return grown, d.space, nil
}

// NextGrown is a name for the next family of a language model.
func (b *Bundle) NextGrown() string {
	n := 0
	for _, f := range b.Families {
		n = max(n, kernels.GrownNumber(f.Name))
	}
	return kernels.GrownName(n + 1)
}

// Declaration is the text of a family's declaration.
func (b *Bundle) Declaration(f *kernels.Family) string { return string(b.Files[f.Name+".toml"]) }

// Template is the text of a family's template.
func (b *Bundle) Template(f *kernels.Family) string { return string(b.Files[f.Name+tmplSuffix]) }

// sortFamilies puts families for one architecture alone behind the others, so that the first, which has the naive
// start, is the same on every device, and behind all those of language models in the order of their coming: points are
// stored by the place of their family.
func sortFamilies(all []*kernels.Family) {
	place := func(f *kernels.Family) int {
		if n := kernels.GrownNumber(f.Name); n > 0 || f.Portable() {
			return 2 * n
		}
		return 1
	}
	slices.SortStableFunc(all, func(x, y *kernels.Family) int { return cmp.Compare(place(x), place(y)) })
}

// untrustedTime bounds a rendering of a template from outside: the search waits for it. Others take a tenth of a
// millisecond and have no clock, for a machine may sleep.
const untrustedTime = time.Second

// plain refuses a rendered source from outside that could do something to the terminal on which it is read.
func plain(source string) error {
	for i, c := range source {
		if c < ' ' && c != '\n' && c != '\t' || c > 0x7e {
			return fmt.Errorf("line %d renders to the character %U: expected printable ASCII", 1+strings.Count(source[:i], "\n"),
				c)
		}
	}
	return nil
}
