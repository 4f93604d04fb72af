package evolve

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate/llm"
	"darwarp/templates"
)

// briefer collects what a prompt may say.
type briefer struct {
	ev        Evaluator
	genesOnly bool
	strategy  *strategy
	rng       *rand.Rand
	pop       *population
	render    *renderer
	contest   *contest
	insights  []insight
	findings  findings
	library   llm.Library
}

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

func newBriefer(s *Search, x *proposer) *briefer {
	return &briefer{
		ev: s.ev, genesOnly: s.cfg.GenesOnly, strategy: x.strategy, rng: x.rng, pop: s.pop, render: s.pop.render,
		contest: s.championship.contest,
	}
}

// readLibrary reads what prompts may show of the device library.
func (b *briefer) readLibrary() {
	if !b.genesOnly {
		b.library = llm.NewLibrary(templates.Include())
	}
}

// nothingLeft reports whether models cannot propose anything new: only points are judged, and all were.
func (b *briefer) nothingLeft() bool { return b.genesOnly && len(b.pop.open()) == 0 }

// about collects what every prompt about a base may say.
func (b *briefer) about(base *member) llm.Brief {
	out := b.render.problem()
	out.Device, out.Ceilings, out.GenesOnly = b.ev.Device(), b.ev.Provenance().Ceilings, b.genesOnly
	out.Workloads, out.Families = b.pop.workloads(), b.pop.families()
	out.Base = b.solution(base)
	out.Templates = !b.genesOnly && b.render.grown() < mostGrown
	if !b.genesOnly {
		out.Headers = b.library.Used(out.Base.Source, maxHeaders)
	}
	return out
}

// brief collects what an operator's prompt may say, and the parents of what comes of it.
func (b *briefer) brief(operator string) (out llm.Brief, from []kernels.ID) {
	told := b.pickInsights()
	all := b.pop.ranked()
	all = all[:min(parents, len(all))]
	base := b.contest.champion()
	if operator == "mutate" {
		base = all[min(b.rng.IntN(len(all)), b.rng.IntN(len(all)))]
	}
	if b.strategy.name == BestOfN {
		base = b.pop.start()
	}
	out = b.about(base)
	out.Insights = told
	b.explain(&out, base.id)
	from = append(from, base.id)
	most, _ := llm.Parents(operator)
	for _, m := range unlike(all, base, most) {
		out.Others = append(out.Others, b.solution(m))
		if operator == "crossover" {
			from = append(from, m.id)
		}
	}
	return out, from
}

// unlike are the best members that are unlike the base: of other families first.
func unlike(all []*member, base *member, most int) []*member {
	rest := slices.DeleteFunc(slices.Clone(all), func(m *member) bool { return m == base })
	slices.SortStableFunc(rest, func(a, b *member) int {
		return cmp.Compare(boolInt(a.deme == base.deme), boolInt(b.deme == base.deme))
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
func (b *briefer) solution(m *member) llm.Solution {
	out := llm.Solution{
		ID: m.id, Label: m.variant.Label(), Speedup: 1 / m.score, Times: m.timings, Resources: m.resources,
	}
	job, err := b.pop.job(m.task())
	if err != nil {
		return out
	}
	out.Source, out.Acc = llm.StripComments(job.Source), job.Acc
	if out.Plan, err = job.Plan.Bind(job.Env); err != nil {
		out.Plan = kernels.PlanSpec{}
	}
	return out
}

// pickInsights picks what a prompt tells of what was tried: the two that gained most, and others by chance.
func (b *briefer) pickInsights() (out []string) {
	told := slices.Clone(b.insights)
	slices.SortStableFunc(told, func(a, b insight) int { return cmp.Compare(b.ratio, a.ratio) })
	pick := func(i int) {
		out = append(out, told[i].text+": "+llm.Gain(told[i].ratio))
		told = slices.Delete(told, i, i+1)
	}
	for len(told) > 0 && len(out) < 2 {
		pick(0)
	}
	for len(told) > 0 && len(out) < toldInsights {
		pick(b.rng.IntN(len(told)))
	}
	return out
}

// note keeps what came of a proposal whose idea is known.
func (b *briefer) note(c *kernels.Candidate, score float64) {
	_, operator, model := kernels.SplitArm(c.Origin.Operator)
	if len(c.Origin.Parents) == 0 || c.Origin.Note == "" || c.Result.Outcome == kernels.Duplicate {
		return
	}
	parent := b.pop.member(c.Origin.Parents[0])
	if parent == nil {
		return
	}
	i := insight{text: llm.Line(c.Origin.Note, 300), ratio: parent.score / score}
	if model {
		i.text = fmt.Sprintf("(%s) %s", operator, i.text)
	}
	if model || i.ratio > 1.01 {
		b.insights = append(b.insights, i)
	}
	if n := len(b.insights); n > mostInsights {
		b.insights = b.insights[n-mostInsights:]
	}
}

// takeFindings takes what `darwarp explain` found out before this session.
func (b *briefer) takeFindings(all []kernels.Insight) { b.findings = collect(all) }

// explain tells a prompt what is known of the choices of its base, or else of those of the last candidate that was
// explained, and what the profiler counted.
func (b *briefer) explain(out *llm.Brief, base kernels.ID) {
	if len(b.findings) == 0 {
		return
	}
	known := b.findings.of(base)
	if m := b.pop.member(b.findings.last()); len(known) == 0 && m != nil {
		known, out.Explained = b.findings.of(m.id), m.variant.Label()
	}
	out.Findings, out.Counters = llm.Findings(known), llm.Counted(b.findings.counters(base))
}
