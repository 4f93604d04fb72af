package evolve

import (
	"strings"

	"darwarp/evolve/ablation"
	"darwarp/kernels"
)

// explained is the operator of candidates that `darwarp explain` has found: the champion without a choice that made it
// slower.
const explained = "explain"

// Beats reports whether what an insight took back makes its candidate faster, beyond the noise of their duel.
func Beats(i *kernels.Insight) bool {
	return i.Outcome == kernels.OK && !i.Without.IsZero() && i.Gain.Hi > 0 && i.Gain.Hi < 1
}

// takeUpInsights has what explain found faster than the champion take part: it is judged, unless it was, and challenges
// the champion, whatever its own timing says. Of what was found twice the last counts.
func (s *Search) takeUpInsights(keep keeper) error {
	champion := s.championship.champion()
	if champion == nil {
		return nil
	}
	all, err := keep.Insights()
	if err != nil {
		return err
	}
	last := map[kernels.ID]*kernels.Insight{}
	var found []kernels.ID
	for i := range all {
		id := all[i].Without
		if last[id] == nil {
			found = append(found, id)
		}
		last[id] = &all[i]
	}
	for _, id := range found {
		if i := last[id]; i.Candidate == champion.id && Beats(i) {
			s.invite(champion, i)
		}
	}
	return nil
}

// invite lets the candidate of an insight challenge the champion. One that cannot be made here any more, for the
// family's file or the pins are others, is left out: its ID says what was measured.
func (s *Search) invite(champion *member, i *kernels.Insight) {
	if s.pop.asked(i.Without) {
		s.championship.invite(i.Without)
		return
	}
	d, ok := champion.deme.(*pointDeme)
	if !ok {
		return
	}
	t := d.without(champion, i.Genes)
	if t == nil || s.pop.prepare(t) != nil || t.job.ID != i.Without {
		return
	}
	s.championship.invite(i.Without)
	if s.pop.tried(t) != nil { // an earlier session has begun with it
		return
	}
	t.Origin = kernels.Origin{Operator: explained, Parents: []kernels.ID{champion.id},
		Generation: 1 + champion.generation, Note: TakenBack(i)}
	s.pop.claim(t)
	s.steering.enqueue(t)
}

// without is the point that explain made of a member by taking choices back, none: all of them. nil: there is none.
func (d *pointDeme) without(m *member, genes []kernels.GeneChange) *task {
	if len(genes) == 0 {
		return d.startTask(kernels.Origin{})
	}
	repairs := ablation.Repairs
	if len(genes) > 1 { // explain repairs no pairs
		repairs = 0
	}
	a, err := ablation.Ablate(d.space, m.variant.Genes, repairs, genes...)
	if err != nil {
		return nil
	}
	t, err := d.place(a.Genome)
	if err != nil {
		return nil
	}
	return t
}

// TakenBack says what is not as it was.
func TakenBack(i *kernels.Insight) string {
	var parts []string
	for _, g := range i.Genes {
		parts = append(parts, g.Gene+" "+g.To+" -> "+g.From)
	}
	if len(parts) == 0 {
		return "all choices taken back"
	}
	return strings.Join(parts, ", ")
}
