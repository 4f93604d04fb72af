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

// OK reports whether the folder can be searched: no mistakes, and every family has a space in which
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
	return len(r.Mistakes) == 0
}

const (
	checkSamples = 50 // points tried in each space
	checkShown   = 3  // failures shown of one space
)

// Check reads a problem folder and tries it out without a GPU: every mistake in its files, or the
// size of each family's space on each of the devices, whether the defaults and a sample of points
// render and can be launched at every size, and what looks like an oversight.
func Check(dir fs.FS, devices []kernels.Device) Report {
	b, err := Load(dir)
	if err != nil {
		var ms kernels.Mistakes
		if !errors.As(err, &ms) {
			ms = kernels.Mistakes{{File: problemFile, Err: err}}
		}
		return Report{Mistakes: ms}
	}
	r := Report{Problem: b.Problem.Name}
	for _, f := range b.Families {
		r.Families = append(r.Families, b.checkFamily(f, devices))
	}
	return r
}

func (b *Bundle) checkFamily(f *kernels.Family, devices []kernels.Device) FamilyReport {
	r := FamilyReport{Name: f.Name, Genes: len(f.Genes)}
	var same string
	for _, dev := range devices {
		if !f.Runs(dev) {
			continue
		}
		for _, t := range b.Problem.DTypes {
			s, twins := b.checkSpace(f, dev, t)
			r.Spaces = append(r.Spaces, s)
			if same == "" {
				same = twins
			}
		}
	}
	r.Warnings = b.warnings(f, r.Spaces)
	if same != "" {
		r.Warnings = append(r.Warnings, same)
	}
	return r
}

// checkSpace tries the defaults and some points; each point's random neighbor too, to find genes
// that change nothing: twins tells of a pair that is one and the same kernel.
func (b *Bundle) checkSpace(f *kernels.Family, dev kernels.Device, t kernels.DType) (r SpaceReport, twins string) {
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
		b.try(&r, f.Defaults())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range min(checkSamples, s.Len()) {
		i := s.Sample(rng)
		id := b.try(&r, s.Genome(s.At(i)))
		near := s.Neighbors(i)
		if len(near) == 0 {
			continue
		}
		j := near[rng.IntN(len(near))]
		if other := b.try(&r, s.Genome(s.At(j))); other == id && !id.IsZero() {
			twins = fmt.Sprintf("two points are the same kernel, a gene there needs a when: %s, and %s", s.Genome(s.At(i)).Key(),
				s.Genome(s.At(j)).Key())
		}
	}
	return r, twins
}

// try renders a point and resolves its launches at every size; the zero ID says that it failed.
func (b *Bundle) try(r *SpaceReport, g kernels.Genome) kernels.ID {
	r.Tried++
	job, err := b.Job(r.space.Family, g, r.space.Device, r.DType)
	sizes := slices.Clone(b.Problem.Check.Shapes)
	for _, w := range b.Problem.Workloads {
		sizes = append(sizes, w.Dims)
	}
	if why := source.Check(job.Source); err == nil && why != "" {
		err = errors.New("the source: " + why)
	}
	for _, d := range sizes {
		if err == nil {
			if _, err = job.Resolve(d); err != nil {
				err = fmt.Errorf("at %s: %w", d, err)
			}
		}
	}
	if err == nil {
		return job.ID
	}
	if text := g.Key() + ": " + err.Error(); len(r.Failed) < checkShown && !slices.Contains(r.Failed, text) {
		r.Failed = append(r.Failed, text)
	}
	return kernels.ID{}
}
