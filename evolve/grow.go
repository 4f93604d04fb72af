package evolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// A family that a language model wrote becomes one more space of the run. Its default is judged first; until it works
// nothing else of the family is asked for, and then a few points that are spread out. From then on the operators tune
// it as any other family. Its files are kept with the problem's own, so that whatever reads a run finds it there.

const (
	mostGrown  = 32   // such families in one run
	mostBroken = 8    // points of one that cannot be rendered
	seeds      = 8    // points beside the default, as many as a family has in the first sample
	youth      = 40   // verdicts of a family until it has to hold its own among all
	youthShare = 0.25 // of offspring, while there is a young family
)

// draft checks a template that came with a reply. It is called beside the loop, for it takes up to some seconds.
func draft(b *templates.Bundle, dev kernels.Device, t kernels.DType, brief *llm.Brief, a *llm.Advice) (*templates.Draft, error) {
	if a.Reply == nil || a.Reply.Template == "" || !brief.Templates {
		return nil, nil
	}
	return b.Draft(a.Reply.Family, a.Reply.Template, dev, t)
}

// planted makes a family of a draft and asks for its default.
func (s *Search) planted(a counselled) (*flight, error) {
	if a.mistake != nil {
		return nil, a.mistake
	}
	name := s.cfg.Bundle.NextGrown()
	if s.grown() >= mostGrown {
		return nil, fmt.Errorf("%w: the run has %d families of models, and takes no more", errTried, mostGrown)
	}
	if twin := s.twin(a.draft); twin != "" {
		return nil, fmt.Errorf("%w, but for comments and blanks: it is the template of family %s", errTried, twin)
	}
	b, space, err := s.cfg.Bundle.Grow(name, a.draft)
	if err != nil {
		return nil, err
	}
	f := &flight{Space: len(s.demes), Origin: s.advised(a.thread, a.advice.Reply.Thought)}
	job, err := b.Job(space.Family, space.Family.Defaults(), space.Device, s.cfg.DType)
	if err == nil {
		err = llm.CheckSource(job.Source, space.Family.PlanSpec)
	}
	if err == nil && s.ids[job.ID] {
		err = fmt.Errorf("%w: the default is candidate %s", errTried, job.ID.Short())
	}
	if err != nil {
		return nil, err
	}
	s.settleIn(b, space)
	f.Index, f.job = s.demes[f.Space].start, &job
	return f, nil
}

// grown counts the families of models.
func (s *Search) grown() (n int) {
	for _, f := range s.cfg.Bundle.Families {
		if kernels.Grown(f.Name) {
			n++
		}
	}
	return n
}

// settleIn adds a space to the search. Whoever holds the old bundle or list keeps it.
func (s *Search) settleIn(b *templates.Bundle, space *kernels.Space) {
	s.cfg.Bundle, s.cfg.Spaces = b, append(slices.Clone(s.cfg.Spaces), space)
	d := newDeme(space, mutate.NewRecall(nil))
	s.demes = append(s.demes, d)
	s.niches.settle(d)
}

// announce stores a family that was just taken, with the state that has its default waiting, and tells of it.
func (s *Search) announce(f *flight, e *kernels.Exchange) {
	d := s.demes[f.Space]
	family := d.space.Family
	e.Family = family.Name
	files, state := s.cfg.Bundle.Files, s.state()
	note := fmt.Sprintf("%s, %d points, by %s", family.Title(), d.space.Len(), e.Arm)
	s.save(func() error {
		if err := s.keep.Grow(files, state); err != nil {
			return err
		}
		s.send(Event{Kind: KindFamily, Family: family.Name, ID: f.job.ID, Note: note})
		return nil
	})
}

// twin finds a family with the same template and declaration, but for comments, blanks and words for people.
func (s *Search) twin(d *templates.Draft) string {
	b := s.cfg.Bundle
	print := familyPrint(string(d.Files[1]), d.Family)
	for _, f := range b.Families {
		if familyPrint(b.Template(f), f) == print {
			return f.Name
		}
	}
	return ""
}

func familyPrint(template string, f *kernels.Family) string {
	bare := kernels.Family{Arch: f.Arch, Accumulate: f.Accumulate, Lets: f.Lets, PlanSpec: f.PlanSpec}
	for _, g := range f.Genes {
		bare.Genes = append(bare.Genes, kernels.Gene{Name: g.Name, Values: g.Values, Default: g.Default, When: g.When, OptIn: g.OptIn})
	}
	for _, c := range f.Constraints {
		bare.Constraints = append(bare.Constraints, kernels.Constraint{Rule: c.Rule})
	}
	text, err := json.Marshal(bare)
	if err != nil { // words, integers and bools
		panic(err)
	}
	return llm.Fingerprint(template) + string(text)
}

// sow asks for the first points of a family whose default just turned out to work: those that another run knows, then
// some that are spread out.
func (s *Search) sow(space int) {
	if s.strategy.name == BestOfN {
		return
	}
	d := s.demes[space]
	for range seeds {
		_, p, o, ok := s.draw(d.recall, space)
		if !ok {
			_, p, o, ok = s.draw(mutate.Spread{}, space)
		}
		if !ok {
			return
		}
		if f, ok := s.flightTo(space, p, o); ok {
			s.ids[f.job.ID] = true
			s.counsel.waiting = append(s.counsel.waiting, f)
		}
	}
}

// young is a family that has had few verdicts yet: by its untuned points it would lose to those that were tuned for
// long. Now and then it is bred from whatever its rank.
func (s *Search) young() (space int, ok bool) {
	var all []int
	for i, d := range s.demes {
		if kernels.Grown(d.space.Family.Name) && len(d.best) > 0 && !d.closed && !d.exhausted() && d.judged < youth {
			all = append(all, i)
		}
	}
	if len(all) == 0 || s.rng.Float64() >= youthShare {
		return 0, false
	}
	return all[s.rng.IntN(len(all))], true
}

// isFirst reports whether a point is the default of a model's family: it is paid and repaired as a source of its own is.
func (s *Search) isFirst(space, index int) bool {
	return space != own && index >= 0 && kernels.Grown(s.familyName(space)) && index == s.demes[space].start
}

var errTried = errors.New("it was tried before")
