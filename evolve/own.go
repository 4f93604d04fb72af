package evolve

import (
	"errors"
	"slices"

	"darwarp/kernels"
)

// own stands in place of a space for candidates with a source of their own: they are judged, duel and
// are learned from as others, but no gene of theirs can be changed.
const own = -1

// familyName names the family of a space; own sources have none.
func (s *Search) familyName(space int) string {
	if space == own {
		return ""
	}
	return s.demes[space].space.Family.Name
}

// learnPoint notes that a point was asked for.
func (s *Search) learnPoint(space, index int) {
	if space != own {
		s.demes[space].learn(index)
	}
}

// flight asks for a member's job again.
func (m *member) flight() *flight {
	f := &flight{Space: m.space, Index: m.index}
	if m.space == own {
		f.Variant = &m.variant
	}
	return f
}

// ownClaimer is the best own source that claims to be faster than the champion, and than another claimer.
func (s *Search) ownClaimer(best *member) *member {
	for _, m := range s.owns {
		if m.upper < s.champion.score && !s.beaten[m.id] && !s.dead[m.id] && (best == nil || m.score < best.score) {
			best = m
		}
	}
	return best
}

// checkOwn refuses a checkpoint's own source that is none.
func checkOwn(f *flight) error {
	if f.Challenger.IsZero() && (f.Variant == nil || f.Variant.Family != "" || f.Variant.Plan == nil) {
		return errors.New("the checkpoint asks for a source that is not there")
	}
	return nil
}

// members are those that work and may be bred from, best first.
func (s *Search) members() []*member {
	var all []*member
	for id, m := range s.working {
		if !s.dead[id] {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *member) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return a.born - b.born
	})
	return all
}

// ownJob is the job of an own source.
func (s *Search) ownJob(v kernels.Variant) (*kernels.Job, error) {
	job, err := s.cfg.Bundle.VariantJob(v, s.ev.Device(), s.cfg.DType)
	if err != nil {
		return nil, err
	}
	return &job, nil
}
