package evolve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// insight is what was tried once and what came of it.
type insight struct {
	text  string
	ratio float64 // speed of the parent's over its own time; 0: it failed
}

const (
	mostInsights = 400 // that are kept
	toldInsights = 6   // that one prompt has
	parents      = 15  // the best so many are shown to models
	maxHeaders   = 24 << 10
)

// hire prepares to ask, and takes up what earlier sessions asked.
func (s *Search) hire() error {
	c := &s.counsel
	c.threads, c.prints, c.book = threads{}, map[string]bool{}, map[string]cost{}
	c.answers = make(chan counselled)
	if s.cfg.Advisor == nil {
		return nil
	}
	if !s.cfg.GenesOnly {
		c.library = llm.NewLibrary(templates.Include())
	}
	all, err := s.keep.Exchanges()
	for i := range all {
		c.charge(&all[i])
	}
	c.stored, c.past = len(all), all
	if err != nil {
		return err
	}
	known, err := s.keep.Insights()
	c.findings = collect(known)
	return err
}

// about collects what every prompt about a base may say.
func (s *Search) about(base *member) llm.Brief {
	b := llm.Brief{
		Problem: s.cfg.Bundle.Problem, Reference: llm.StripComments(s.cfg.Bundle.Reference), DType: s.cfg.DType, Device: s.ev.Device(),
		Ceilings: s.ev.Provenance().Ceilings, Workloads: s.cfg.Workloads, GenesOnly: s.cfg.GenesOnly, Base: s.solution(base),
	}
	b.Templates = !b.GenesOnly && s.grown() < mostGrown
	for _, d := range s.demes {
		if !d.closed {
			b.Families = append(b.Families, d.space.Family)
		}
	}
	if !b.GenesOnly {
		b.Headers = s.counsel.library.Used(b.Base.Source, maxHeaders)
	}
	return b
}

// tell collects what an operator's prompt may say, and the parents of what comes of it.
func (s *Search) tell(operator string) (b llm.Brief, from []kernels.ID) {
	told := s.insights()
	all := s.members()
	all = all[:min(parents, len(all))]
	base := s.champion
	if operator == "mutate" {
		base = all[min(s.rng.IntN(len(all)), s.rng.IntN(len(all)))]
	}
	if s.strategy.name == BestOfN {
		base = s.naive
	}
	b = s.about(base)
	b.Insights = told
	s.explained(&b, base.id)
	from = append(from, base.id)
	most, _ := llm.Parents(operator)
	for _, m := range s.strangers(all, base, most) {
		b.Others = append(b.Others, s.solution(m))
		if operator == "crossover" {
			from = append(from, m.id)
		}
	}
	return b, from
}

// strangers are the best members that are unlike the base: of other families first.
func (s *Search) strangers(all []*member, base *member, most int) []*member {
	rest := slices.DeleteFunc(slices.Clone(all), func(m *member) bool { return m == base })
	slices.SortStableFunc(rest, func(a, b *member) int {
		return cmp.Compare(boolInt(a.space == base.space), boolInt(b.space == base.space))
	})
	return rest[:min(most, len(rest))]
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// solution is a member as a prompt shows it. What cannot be rendered any more is shown without source.
func (s *Search) solution(m *member) llm.Solution {
	out := llm.Solution{ID: m.id, Label: m.variant.Label(), Speedup: 1 / m.score, Times: m.timings, Resources: m.resources}
	job, err := s.job(m.flight())
	if err != nil {
		return out
	}
	out.Source, out.Acc = llm.StripComments(job.Source), job.Acc
	if out.Plan, err = job.Plan.Bind(job.Env); err != nil {
		out.Plan = kernels.PlanSpec{}
	}
	return out
}

// insights picks what a prompt tells of what was tried: the two that gained most, and others by chance.
func (s *Search) insights() (out []string) {
	told := slices.Clone(s.counsel.told)
	slices.SortStableFunc(told, func(a, b insight) int { return cmp.Compare(b.ratio, a.ratio) })
	pick := func(i int) {
		out = append(out, told[i].text+": "+llm.Percent(told[i].ratio))
		told = slices.Delete(told, i, i+1)
	}
	for len(told) > 0 && len(out) < 2 {
		pick(0)
	}
	for len(told) > 0 && len(out) < toldInsights {
		pick(s.rng.IntN(len(told)))
	}
	return out
}

// learn notes what came of a proposal whose idea is known, for those that are asked next.
func (s *Search) learn(c *kernels.Candidate, score float64) {
	_, operator, model := kernels.SplitArm(c.Origin.Operator)
	if s.cfg.Advisor == nil || len(c.Origin.Parents) == 0 || c.Origin.Note == "" || c.Result.Outcome == kernels.Duplicate {
		return
	}
	parent := s.working[c.Origin.Parents[0]]
	if parent == nil {
		return
	}
	i := insight{text: llm.Line(c.Origin.Note, 300), ratio: parent.score / score}
	if model {
		i.text = fmt.Sprintf("(%s) %s", operator, i.text)
	}
	if model || i.ratio > 1.01 {
		s.counsel.told = append(s.counsel.told, i)
	}
	if n := len(s.counsel.told); n > mostInsights {
		s.counsel.told = s.counsel.told[n-mostInsights:]
	}
}

// generation is the greatest generation of parents, as far as they are known.
func (s *Search) generation(of []kernels.ID) (most int) {
	for _, id := range of {
		if m := s.working[id]; m != nil {
			most = max(most, m.generation)
		}
	}
	return most
}

// fingerprint is what two candidates have in common whose sources differ in comments and blanks alone.
func fingerprint(source string, spec kernels.PlanSpec) string {
	plan, err := json.Marshal(spec)
	if err != nil { // strings and bools
		panic(err)
	}
	return llm.Fingerprint(source) + string(plan)
}
