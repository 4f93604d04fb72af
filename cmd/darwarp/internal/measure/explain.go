package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/evolve/ablation"
	"darwarp/kernels"
)

// Explained is what the choices of a candidate buy.
type Explained struct {
	Candidate kernels.ID          `json:"candidate"`
	Workloads []string            `json:"workloads"`
	Waves     []float64           `json:"waves,omitempty"`
	Resources []kernels.Resources `json:"resources,omitempty"`
	Insights  []kernels.Insight   `json:"insights"`
	Counters  []kernels.Counters  `json:"counters,omitempty"` // of the candidate
	Profiler  string              `json:"profiler,omitempty"` // why there are no counters
	Champion  kernels.ID          `json:"champion,omitzero"`  // that is it since what is faster has challenged

	// Of Insights: one choice taken back, two, and all of them.
	Singles []kernels.Insight `json:"-"`
	Pairs   []kernels.Insight `json:"-"`
	Joint   kernels.Insight   `json:"-"`
}

// Faster are the insights into choices that made the candidate slower, beyond noise.
func (e *Explained) Faster() (all []kernels.Insight) {
	for _, i := range e.Insights {
		if evolve.Beats(&i) {
			all = append(all, i)
		}
	}
	return all
}

// explanation is one run of explain.
type explanation struct {
	*session.Session
	phases *progress.Phases
	run    *record.Record
	space  *kernels.Space
	winner kernels.Candidate
	job    kernels.Job
	result kernels.Result // of the winner, today
	jobs   map[kernels.ID]*kernels.Job
}

// ExplainOptions bound what explain measures.
type ExplainOptions struct {
	Pairs    int // how many pairs of choices to take back together, at most
	Counters int // most choices that are profiled beside the winner; 0: nothing is
}

// Explain takes the choices of a candidate back, one at a time, all together and two at a time, and stores what each
// buys.
// An empty name is the champion.
func Explain(
	ctx context.Context, s *session.Session, r *record.Record, name string, o ExplainOptions, say func(string, ...any),
) (*Explained, error) {
	phases := &progress.Phases{Say: say}
	defer phases.End()
	phases.Begin("gating the candidate")
	e, err := newExplanation(ctx, s, r, name)
	if err != nil {
		return nil, err
	}
	e.phases = phases
	choices := ablation.Choices(e.space.Family, e.winner.Variant.Genes)
	phases.Begin(fmt.Sprintf("candidate %s has %s: taking them back one at a time", e.winner.ID.Short(),
		report.Quantity(len(choices), "choice")))
	out := &Explained{Candidate: e.winner.ID}
	if out.Singles, err = e.singles(ctx, choices); err != nil {
		return nil, err
	}
	if out.Joint, err = e.together(ctx, out.Singles); err != nil {
		return nil, err
	}
	out.Resources, out.Waves = e.result.Resources, e.waves(&e.job, e.result.Resources)
	for _, w := range s.Workloads {
		out.Workloads = append(out.Workloads, w.Name)
	}
	if out.Pairs, err = e.pairs(ctx, choices, out.Singles, out.Joint, o.Pairs); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out.Singles, func(x, y kernels.Insight) int { return cmp.Compare(y.Gain.Ratio, x.Gain.Ratio) })
	if o.Counters > 0 {
		if out.Counters, out.Profiler, err = e.profile(ctx, out.Singles, o.Counters); err != nil {
			return nil, err
		}
	}
	out.Joint.Counters = out.Counters
	out.Insights = slices.Concat(out.Singles, out.Pairs, []kernels.Insight{out.Joint})
	for _, i := range out.Insights {
		if err := r.PutInsight(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// newExplanation finds the candidate and gates it here.
func newExplanation(ctx context.Context, s *session.Session, r *record.Record, name string) (*explanation, error) {
	c, err := r.Pick(name)
	if err != nil {
		return nil, err
	}
	if c.Result.Outcome != kernels.OK {
		return nil, exit.Usagef("candidate %s is not right (%s): explain one that `%s` lists", c.ID.Short(),
			c.Result.Outcome, cmdline.Of("top", r.Path()))
	}
	e := &explanation{Session: s, run: r, winner: c, jobs: map[kernels.ID]*kernels.Job{}}
	at := slices.IndexFunc(s.Spaces, func(x *kernels.Space) bool { return x.Family.Name == c.Variant.Family })
	if at < 0 {
		return nil, exit.Usagef("candidate %s is a source of its own: it has no genes to take back", c.ID.Short())
	}
	e.space = s.Spaces[at]
	if e.job, err = r.Bundle.VariantJob(c.Variant, s.Device(), s.DType); err != nil {
		return nil, err
	}
	if e.job.Base, err = r.BaseTimes(); err != nil {
		return nil, err
	}
	if e.result, err = s.Evaluate(ctx, &e.job); err == nil && e.result.Outcome != kernels.OK {
		err = fmt.Errorf("candidate %s was right in the search and is no longer (%s): %s", c.ID.Short(), e.result.Outcome,
			e.result.Detail)
	}
	return e, err
}

// singles takes each choice back alone. They are compiled and gated side by side, and dueled one by one.
func (e *explanation) singles(ctx context.Context, choices []kernels.GeneChange) ([]kernels.Insight, error) {
	out := make([]kernels.Insight, len(choices))
	for i, c := range choices {
		out[i] = e.begin(ablation.Repairs, c)
	}
	return out, e.measure(ctx, out)
}

// begin finds the point without some choices.
func (e *explanation) begin(repairs int, take ...kernels.GeneChange) kernels.Insight {
	i := kernels.Insight{Candidate: e.winner.ID, Genes: take, Cache: e.Cache}
	a, err := ablation.Ablate(e.space, e.winner.Variant.Genes, repairs, take...)
	if err == nil {
		i.Repaired = a.Repaired
		err = e.render(&i, e.space.Family, a.Genome)
	}
	if err != nil {
		i.Outcome, i.Detail = kernels.Invalid, err.Error()
	}
	return i
}

// together takes everything back: the defaults of the winner's family.
func (e *explanation) together(ctx context.Context, singles []kernels.Insight) (kernels.Insight, error) {
	start := e.space.Family
	all := []kernels.Insight{{Candidate: e.winner.ID, Cache: e.Cache, Alone: product(singles...)}}
	if err := e.render(&all[0], start, start.Defaults()); err != nil {
		return all[0], err
	}
	return all[0], e.measure(ctx, all)
}

// product is what choices gain one by one; 0 where one of them has no figure, or one that is of other genes
// too.
func product(singles ...kernels.Insight) float64 {
	p := 1.0
	for _, i := range singles {
		if len(i.Repaired) > 0 {
			return 0
		}
		p *= i.Gain.Ratio
	}
	return p
}

// unexplained is the least difference, as a logarithm, between what choices gain together and one by one
// that makes pairs worth a look, beyond the intervals.
const unexplained = 0.03

// pairs takes choices back two at a time, where the single ones do not add up to the whole, or cannot be
// taken back without others.
func (e *explanation) pairs(
	ctx context.Context, choices []kernels.GeneChange, singles []kernels.Insight, joint kernels.Insight, most int,
) ([]kernels.Insight, error) {
	if joint.Alone > 0 && joint.Gain.Lo*(1-unexplained) < joint.Alone && joint.Alone < joint.Gain.Hi*(1+unexplained) {
		return nil, nil
	}
	worth := func(i int) float64 { return math.Abs(math.Log(max(singles[i].Gain.Ratio, 1e-3))) }
	var out []kernels.Insight
	for _, p := range ablation.Pairs(e.space.Family, choices, worth) {
		if len(out) == most {
			break
		}
		i := e.begin(0, choices[p[0]], choices[p[1]]) // with repairs it would not be about these two
		i.Alone = product(singles[p[0]], singles[p[1]])
		if i.Outcome == kernels.Unknown {
			out = append(out, i)
		}
	}
	if len(out) > 0 {
		e.phases.Begin("the single gains do not explain the whole: taking back " + report.Quantity(len(out), "pair"))
	}
	if err := e.measure(ctx, out); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(x, y kernels.Insight) int { return cmp.Compare(discord(y), discord(x)) })
	return out, nil
}

// discord is how far a pair is from adding up.
func discord(i kernels.Insight) float64 {
	if !(i.Alone > 0) || !(i.Gain.Ratio > 0) {
		return 0
	}
	return math.Abs(math.Log(i.Gain.Ratio / i.Alone))
}
