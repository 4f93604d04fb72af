package templates

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
	"darwarp/kernels/source"
)

// Report is what Check finds out about a problem folder.
type Report struct {
	Problem  string           `json:"problem,omitempty"`
	Mistakes kernels.Mistakes `json:"mistakes,omitempty"` // where there are any, there is nothing else
	Families []FamilyReport   `json:"families,omitempty"`
	Units    []Unit           `json:"-"` // what a compiler should try, with mistakes or without
}

// FamilyReport is one family of the folder.
type FamilyReport struct {
	Name     string        `json:"name"`
	Genes    int           `json:"genes"`
	Spaces   []SpaceReport `json:"spaces"` // one per device that the family runs on, and dtype
	Warnings []string      `json:"warnings,omitempty"`
}

// SpaceReport is the space of a family on one device in one dtype.
type SpaceReport struct {
	Arch    string        `json:"arch"`
	DType   kernels.DType `json:"dtype"`
	Points  int           `json:"points"`            // legal ones
	Empty   string        `json:"empty,omitempty"`   // why there is no point, or no space
	Illegal string        `json:"illegal,omitempty"` // why the defaults are not legal
	Tried   int           `json:"tried"`             // points that were rendered and whose launches were resolved
	Failed  []string      `json:"failed,omitempty"`  // what went wrong with some of them

	space *kernels.Space
}

// OK reports whether the folder can be searched: no mistakes, and there are families, each with a space in which
// the defaults are legal and everything that was tried worked.
func (r Report) OK() bool {
	for _, f := range r.Families {
		usable := false
		for _, s := range f.Spaces {
			if len(s.Failed) > 0 || s.Points > 0 && s.Illegal != "" {
				return false
			}
			usable = usable || s.Points > 0
		}
		if !usable {
			return false
		}
	}
	return len(r.Mistakes) == 0 && len(r.Families) > 0
}

const (
	checkSamples = 50 // points tried in each space
	checkShown   = 3  // failures shown of one space
)

// Check reads a problem folder and tries it out without a compiler: every mistake in its files, or the
// size of each family's space on each of the devices, whether the defaults and a sample of points
// render and can be launched at every size, and what looks like an oversight.
func Check(dir fs.FS, devices []kernels.Device) Report { return check(dir, devices, checkSamples) }

func check(dir fs.FS, devices []kernels.Device, samples int) Report {
	files := map[string][]byte{}
	err := readFlat(dir, files)
	b := &Bundle{}
	if err == nil {
		b, err = partial(files)
	}
	c := newChecker(b)
	c.folder, c.samples = true, samples
	if err != nil {
		var ms kernels.Mistakes
		if !errors.As(err, &ms) {
			ms = kernels.Mistakes{{File: problemFile, Err: err}}
		}
		c.add(ms...)
	}
	if b.Problem == nil {
		return c.report
	}
	c.checkReferenceFile()
	families := c.checkFamilies(devices)
	if len(c.report.Mistakes) == 0 {
		c.report.Problem, c.report.Families = b.Problem.Name, families
	}
	return c.report
}

// checker gathers a report.
type checker struct {
	*Bundle
	report  Report
	samples int             // points tried in each space
	seen    map[string]bool // mistakes, by text: many points have the same
	lines   *templateLines
	folder  bool // of a user, whose kernels are compared with the launches; a draft's are compiled and run anyway
}

func newChecker(b *Bundle) *checker {
	return &checker{Bundle: b, samples: checkSamples, seen: map[string]bool{}, lines: &templateLines{files: b.Files}}
}

func (c *checker) add(ms ...kernels.Mistake) {
	for _, m := range ms {
		if text := m.Error(); !c.seen[text] {
			c.seen[text] = true
			c.report.Mistakes = append(c.report.Mistakes, m)
		}
	}
}

func (c *checker) checkReferenceFile() {
	if c.Files[c.Problem.Reference.File] == nil || c.Problem.Reference.IsModule() {
		return // which is a mistake already, or what Python reads
	}
	before := len(c.report.Mistakes)
	if c.add(c.checkReference()...); len(c.report.Mistakes) == before {
		c.report.Units = append(c.report.Units, c.referenceUnit(c.Problem.DTypes[0]))
	}
}

// checkFamilies tries the families that can be read, if their templates can be.
func (c *checker) checkFamilies(devices []kernels.Device) (all []FamilyReport) {
	for _, f := range c.Families {
		if c.templates.Lookup(f.Name) != nil {
			all = append(all, c.checkFamily(f, devices))
		}
	}
	return all
}

func (c *checker) checkFamily(f *kernels.Family, devices []kernels.Device) FamilyReport {
	r := FamilyReport{Name: f.Name, Genes: len(f.Genes)}
	var same string
	for _, dev := range devices {
		if !f.Runs(dev) {
			continue
		}
		for _, t := range c.Problem.DTypes {
			s, twins := c.checkSpace(f, dev, t)
			r.Spaces = append(r.Spaces, s)
			if same == "" {
				same = twins
			}
		}
	}
	r.Warnings = c.warnings(f, r.Spaces)
	if same != "" {
		r.Warnings = append(r.Warnings, same)
	}
	return r
}

// checkSpace tries the defaults and some points; each point's random neighbor too, to find genes
// that change nothing: twins tells of a pair that is one and the same kernel.
func (c *checker) checkSpace(f *kernels.Family, dev kernels.Device, t kernels.DType) (r SpaceReport, twins string) {
	r = SpaceReport{Arch: dev.Arch, DType: t}
	s, err := kernels.NewSpace(f, dev, t, nil)
	if err != nil {
		r.Empty = err.Error()
		return r, ""
	}
	r.Points, r.space = s.Len(), s
	if err := f.Check(f.Defaults(), dev, t); err != nil {
		r.Illegal = err.Error()
	} else {
		c.try(&r, f.Defaults())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range min(c.samples, s.Len()) {
		i := s.Sample(rng)
		id := c.try(&r, s.Genome(s.At(i)))
		near := s.Neighbors(i)
		if len(near) == 0 {
			continue
		}
		j := near[rng.IntN(len(near))]
		if other := c.try(&r, s.Genome(s.At(j))); other == id && !id.IsZero() {
			twins = fmt.Sprintf("two points are the same kernel, a gene there needs a when: %s, and %s", s.Genome(s.At(i)).Key(),
				s.Genome(s.At(j)).Key())
		}
	}
	return r, twins
}

// try renders a point and resolves its launches at every size; the zero ID says that it failed.
func (c *checker) try(r *SpaceReport, g kernels.Genome) kernels.ID {
	r.Tried++
	f := r.space.Family
	job, err := c.Job(f, g, r.space.Device, r.DType)
	if err == nil {
		u := c.familyUnit(f, job.Source, r.space.Device.Arch, r.DType)
		var ms kernels.Mistakes
		if ms, err = c.launches(u, job, c.sizesOf(r, g)); len(ms) > 0 {
			c.add(ms...)
			return kernels.ID{}
		}
		if err == nil {
			c.offer(u)
			return job.ID
		}
	}
	if text := g.Key() + ": " + err.Error(); len(r.Failed) < checkShown && !slices.Contains(r.Failed, text) {
		r.Failed = append(r.Failed, text)
	}
	return kernels.ID{}
}

// offer lets a compiler try the first point of a family that nothing is wrong with: the defaults, where they are legal.
func (c *checker) offer(u Unit) {
	if !slices.ContainsFunc(c.report.Units, func(o Unit) bool { return o.File == u.File }) {
		c.report.Units = append(c.report.Units, u)
	}
}

// launches reads a point's source, and compares the kernels in it with the launches at sizes.
func (c *checker) launches(u Unit, job kernels.Job, sizes []kernels.Dims) (ms kernels.Mistakes, err error) {
	s, err := source.Read(job.Source)
	if err != nil {
		return kernels.Mistakes{u.refused(err)}, nil
	}
	for _, d := range sizes {
		call, err := job.Resolve(d)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", d, err)
		}
		if c.folder {
			ms = append(ms, checkLaunches(u, job.Plan.Spec, call, s)...)
		}
	}
	return ms, nil
}
