package evolve

import (
	"encoding/json"
	"fmt"

	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// A family that a language model wrote becomes one more space of the run. Its default is judged first; until it works
// nothing else of the family is asked for, and then a few points that are spread out. From then on the operators tune
// it as any other family. Its files are kept with the problem's own, so that whatever reads a run finds it there.

// mostGrown is how many such families one run has.
const mostGrown = 32

// checkDraft checks a template that came with a reply. It is called beside the loop, for it takes up to some seconds.
type checkDraft func(brief *llm.Brief, a *llm.Advice) (*templates.Draft, error)

// drafts checks templates against the bundle of this moment.
func (r *renderer) drafts(dev kernels.Device) checkDraft {
	b, t := r.bundle, r.dtype
	return func(brief *llm.Brief, a *llm.Advice) (*templates.Draft, error) {
		if a.Reply == nil || a.Reply.Template == "" || !brief.Templates {
			return nil, nil
		}
		return b.Draft(a.Reply.Family, a.Reply.Template, dev, t)
	}
}

// lift makes a draft of a whole kernel with its constants as genes; nil where it has none.
func (r *renderer) lift(v *kernels.Variant, dev kernels.Device) (*templates.Draft, error) {
	declaration, template, ok := r.bundle.Lift(v, dev)
	if !ok {
		return nil, nil
	}
	return r.bundle.Draft(declaration, template, dev, r.dtype)
}

// family makes a family of a draft, or says why it is none.
func (r *renderer) family(d *templates.Draft) (*templates.Bundle, *kernels.Space, error) {
	if r.grown() >= mostGrown {
		return nil, nil, fmt.Errorf("%w: the run has %d families of models, and takes no more", errTried, mostGrown)
	}
	if twin := r.twin(d); twin != "" {
		return nil, nil, fmt.Errorf("%w, but for comments and blanks: it is the template of family %s", errTried, twin)
	}
	return r.bundle.Grow(r.bundle.NextGrown(), d)
}

// twin finds a family with the same template and declaration, but for comments, blanks and words for people.
func (r *renderer) twin(d *templates.Draft) string {
	print := familyPrint(string(d.Files[1]), d.Family)
	for _, f := range r.bundle.Families {
		if familyPrint(r.bundle.Template(f), f) == print {
			return f.Name
		}
	}
	return ""
}

func familyPrint(template string, f *kernels.Family) string {
	bare := kernels.Family{Arch: f.Arch, Accumulate: f.Accumulate, Lets: f.Lets, PlanSpec: f.PlanSpec}
	for _, g := range f.Genes {
		g = kernels.Gene{Name: g.Name, Values: g.Values, Default: g.Default, When: g.When, OptIn: g.OptIn,
			Matters: g.Matters}
		bare.Genes = append(bare.Genes, g)
	}
	for _, c := range f.Constraints {
		bare.Constraints = append(bare.Constraints, kernels.Constraint{Rule: c.Rule, Some: c.Some})
	}
	text, err := json.Marshal(bare)
	if err != nil { // words, integers and bools
		panic(err)
	}
	return llm.Fingerprint(template) + string(text)
}

// defaultOf is the job of a new family's default.
func (r *renderer) defaultOf(b *templates.Bundle, space *kernels.Space) (*kernels.Job, error) {
	job, err := b.Job(space.Family, space.Family.Defaults(), space.Device, r.dtype)
	if err == nil {
		err = llm.CheckSource(job.Source, space.Family.PlanSpec)
	}
	return &job, err
}

// grown counts the families of language models.
func (r *renderer) grown() (n int) {
	for _, f := range r.bundle.Families {
		if kernels.Grown(f.Name) {
			n++
		}
	}
	return n
}

// files are the problem's, those of such families included.
func (r *renderer) files() map[string][]byte { return r.bundle.Files }
