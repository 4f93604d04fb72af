package search

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// past is what another run found, with the problem that it carries: families of language models are there alone.
type past struct {
	hints  []evolve.Hint // best first
	bundle *templates.Bundle
}

// readPast reads what another run found; an empty path is no run. A run without a candidate of a
// template cannot help, which is a mistake of the user's.
func readPast(path string) (p past, err error) {
	if path == "" {
		return p, nil
	}
	if err := record.CheckFile(path); err != nil {
		return p, err
	}
	run, err := store.View(path)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	err = run.Each(func(c kernels.Candidate) error {
		if h, ok := evolve.HintOf(&c); ok {
			p.hints = append(p.hints, h)
		}
		return nil
	})
	if err == nil && len(p.hints) == 0 {
		err = exit.Usagef("--from %s: it has no candidate from a template; name a run that has some", path)
	}
	if err != nil {
		return p, err
	}
	slices.SortStableFunc(p.hints, func(a, b evolve.Hint) int { return cmp.Compare(a.Score, b.Score) })
	r, err := record.Of(run)
	if err == nil {
		p.bundle = r.Bundle
	}
	return p, err
}

// helps refuses, before a device is opened, a run that has nothing for the target's problem: no family of it, and none
// that a model wrote.
func (p *past) helps(o Options) error {
	if p.bundle == nil || session.IsFile(o.Problem) {
		return nil
	}
	about, err := o.Target.Read()
	if err != nil {
		return err
	}
	var theirs []string
	for _, h := range p.hints {
		if _, err := about.Bundle.Family(h.Family); err == nil || kernels.Grown(h.Family) {
			return nil
		}
		if !slices.Contains(theirs, h.Family) {
			theirs = append(theirs, h.Family)
		}
	}
	return exit.Usagef("--from %s is a run of %s, and %s has none of its families (%s): name a run whose families it has",
		o.From, p.bundle.Problem.Name, about.Bundle.Problem.Name, strings.Join(theirs, ", "))
}

// adopted is how many families of language models a run takes over from another, those of its best candidates first.
const adopted = 4

// adopt gives a session the families that models wrote in another run. They get names of their own here.
func (p *past) adopt(s *session.Session, say func(string, ...any)) error {
	if p.bundle == nil || s.Device().Kind == "replay" { // a recording has the points it has
		return nil
	}
	names := map[string]string{}
	for _, h := range p.hints {
		if _, seen := names[h.Family]; seen || !kernels.Grown(h.Family) || len(names) == adopted {
			continue
		}
		f, err := p.bundle.Family(h.Family)
		if err != nil {
			return err
		}
		d, err := s.Bundle.Draft(p.bundle.Declaration(f), p.bundle.Template(f), s.Device(), s.DType)
		if err != nil { // another GPU or dtype
			names[h.Family] = ""
			say("family %s is left out, because it does not fit here: %v", f.Title(), report.FirstLine(err.Error()))
			continue
		}
		names[h.Family] = s.Bundle.NextGrown()
		b, space, err := s.Bundle.Grow(names[h.Family], d)
		if err != nil {
			return err
		}
		s.Bundle, s.Spaces = b, append(s.Spaces, space)
	}
	for i, h := range p.hints {
		if kernels.Grown(h.Family) {
			p.hints[i].Family = names[h.Family]
		}
	}
	return nil
}
