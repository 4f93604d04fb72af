package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
)

type explainFlags struct {
	session.Target
	pairs    int
	profiled int
	json     bool
}

func (a *app) explainCmd() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain RUN [ID]",
		Short: "What each choice of a candidate buys, shape by shape",
		Long: "explain takes the winner's genes back to its family's defaults, one at a time, all together, and two at a\n" +
			"time where what they buy one by one does not explain what they buy together. Each is dueled with the\n" +
			"winner at every shape. What it finds is stored in the run; `darwarp show` lists it.",
		Example: "  darwarp explain gemm.db\n  darwarp explain gemm.db 3fa2 --pairs 30 --json",
		Args:    argsBetween(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if f.pairs < 0 || f.profiled < 0 {
				return exit.Usagef("--pairs and --counters: expected nothing below 0")
			}
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.withSession(stop.Soft, args[0], f.Target, func(s *session.Session, r *record.Record) error {
				return a.explain(stop.Soft, f, s, r, arg(args, 1))
			}))
		},
	}
	c.Flags().IntVar(&f.pairs, "pairs", 10, "most pairs of choices that are taken back together")
	c.Flags().IntVar(&f.profiled, "counters", 6, "choices that are profiled with ncu beside the winner, where it is allowed; 0: none")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	addDevice(c, &f.Target)
	return c
}

// explained is what explain --json prints.
type explained struct {
	Candidate kernels.ID          `json:"candidate"`
	Workloads []string            `json:"workloads"`
	Waves     []float64           `json:"waves,omitempty"`
	Resources []kernels.Resources `json:"resources,omitempty"`
	Insights  []kernels.Insight   `json:"insights"`
	Counters  []kernels.Counters  `json:"counters,omitempty"` // of the candidate
	Profiler  string              `json:"profiler,omitempty"` // why there are no counters
}

// explanation is one run of explain.
type explanation struct {
	*session.Session
	app    *app
	run    *record.Record
	space  *kernels.Space
	winner kernels.Candidate
	job    kernels.Job
	result kernels.Result // of the winner, today
	jobs   map[kernels.ID]*kernels.Job
}

func (a *app) explain(ctx context.Context, f explainFlags, s *session.Session, r *record.Record, name string) error {
	e, err := a.newExplanation(ctx, s, r, name)
	if err != nil {
		return err
	}
	choices := evolve.Choices(e.space.Family, e.winner.Variant.Genes)
	a.Sayf("candidate %s makes %s: taking them back one at a time ...", e.winner.ID.Short(), report.Quantity(len(choices), "choice"))
	singles, err := e.singles(ctx, choices)
	if err != nil {
		return err
	}
	joint, err := e.together(ctx, singles)
	if err != nil {
		return err
	}
	out := explained{Candidate: e.winner.ID, Resources: e.result.Resources, Waves: e.waves(&e.job, e.result.Resources)}
	for _, w := range s.Workloads {
		out.Workloads = append(out.Workloads, w.Name)
	}
	pairs, err := e.pairs(ctx, choices, singles, joint, f.pairs)
	if err != nil {
		return err
	}
	slices.SortStableFunc(singles, func(x, y kernels.Insight) int { return cmp.Compare(y.Gain.Ratio, x.Gain.Ratio) })
	if f.profiled > 0 {
		if out.Counters, out.Profiler, err = e.profile(ctx, singles, f.profiled); err != nil {
			return err
		}
	}
	joint.Counters = out.Counters
	out.Insights = append(append(singles, pairs...), joint)
	for _, i := range out.Insights {
		if err := r.PutInsight(i); err != nil {
			return err
		}
	}
	if f.json {
		return a.PrintJSON(out)
	}
	e.show(out, singles, pairs, joint)
	return nil
}

// newExplanation finds the candidate and gates it here.
func (a *app) newExplanation(ctx context.Context, s *session.Session, r *record.Record, name string) (*explanation, error) {
	c, err := r.Pick(name)
	if err != nil {
		return nil, err
	}
	if c.Result.Outcome != kernels.OK {
		return nil, exit.Usagef("candidate %s is not right (%s): explain one that `darwarp top %s` lists", c.ID.Short(), c.Result.Outcome, r.Path())
	}
	e := &explanation{Session: s, app: a, run: r, winner: c, jobs: map[kernels.ID]*kernels.Job{}}
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
		err = fmt.Errorf("candidate %s was right in the search and is not now (%s): %s", c.ID.Short(), e.result.Outcome, e.result.Detail)
	}
	return e, err
}

// singles takes each choice back alone. They are compiled and gated side by side, and dueled one by one.
func (e *explanation) singles(ctx context.Context, choices []kernels.GeneChange) ([]kernels.Insight, error) {
	out := make([]kernels.Insight, len(choices))
	for i, c := range choices {
		out[i] = e.begin(evolve.Repairs, c)
	}
	return out, e.measure(ctx, out)
}

// begin finds the point without some choices.
func (e *explanation) begin(repairs int, take ...kernels.GeneChange) kernels.Insight {
	i := kernels.Insight{Candidate: e.winner.ID, Genes: take, Cache: e.Cache}
	a, err := evolve.Ablate(e.space, e.winner.Variant.Genes, repairs, take...)
	if err == nil {
		i.Repaired = a.Repaired
		err = e.render(&i, e.space.Family, a.Genome)
	}
	if err != nil {
		i.Outcome, i.Detail = kernels.Invalid, err.Error()
	}
	return i
}

func (e *explanation) render(i *kernels.Insight, f *kernels.Family, g kernels.Genome) error {
	j, err := e.Bundle.Job(f, g, e.Device(), e.DType)
	if err != nil {
		return err
	}
	j.Bar, j.Each = kernels.NewBar(record.Medians(kernels.Candidate{Result: e.result})), true
	i.Without, e.jobs[j.ID] = j.ID, &j
	return nil
}

// measure gives insights their verdicts and figures.
func (e *explanation) measure(ctx context.Context, all []kernels.Insight) error {
	results := make([]kernels.Result, len(all))
	errs := make([]error, len(all))
	slots := make(chan struct{}, max(1, e.Slots()))
	var wg sync.WaitGroup
	for k := range all {
		if all[k].Outcome != kernels.Unknown || all[k].Without == e.winner.ID {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			results[k], errs[k] = e.Evaluate(ctx, e.jobs[all[k].Without])
			<-slots
		})
	}
	wg.Wait()
	for k := range all {
		if errs[k] != nil {
			return errs[k]
		}
		if err := e.settle(ctx, &all[k], results[k]); err != nil {
			return err
		}
	}
	return nil
}

// settle duels the winner with what it is without some choices.
func (e *explanation) settle(ctx context.Context, i *kernels.Insight, r kernels.Result) error {
	switch {
	case i.Outcome != kernels.Unknown:
		return nil
	case i.Without == e.winner.ID || r.Code != "" && r.Code == e.result.Code:
		i.Outcome, i.Resources = kernels.Duplicate, e.result.Resources
		i.Gain, i.Shapes = same(e.Workloads)
		i.Waves = e.waves(&e.job, i.Resources)
		return nil
	}
	i.Outcome, i.Detail, i.Resources = r.Outcome, r.Detail, r.Resources
	i.Waves = e.waves(e.jobs[i.Without], i.Resources)
	if r.Outcome != kernels.OK && r.Outcome != kernels.Duplicate { // a duplicate is of another ablation: it has a time
		return nil
	}
	d, err := e.Versus(ctx, &e.job, e.jobs[i.Without])
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	if err != nil {
		i.Outcome, i.Detail = kernels.Flaky, err.Error()
		return nil
	}
	i.Outcome, i.Detail, i.Proof = kernels.OK, "", d.Proof
	i.Gain, i.Shapes = kernels.GainOf(d)
	return nil
}

// same is the gain of what changes nothing.
func same(workloads []kernels.Workload) (kernels.Gain, []kernels.Gain) {
	var each []kernels.Gain
	for _, w := range workloads {
		each = append(each, kernels.Gain{Workload: w.Name, Ratio: 1, Lo: 1, Hi: 1})
	}
	return kernels.Gain{Ratio: 1, Lo: 1, Hi: 1}, each
}

func (e *explanation) waves(j *kernels.Job, rs []kernels.Resources) []float64 {
	return figures.Waves(j, rs, e.Workloads, e.Device())
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

// product is what choices buy one by one; 0 where one of them has no figure, or one that is of other genes
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

// unexplained is the least difference, as a logarithm, between what choices buy together and one by one
// that makes pairs worth a look, beyond the intervals.
const unexplained = 0.03

// pairs takes choices back two at a time, where the single ones do not add up to the whole, or cannot be
// taken back without others.
func (e *explanation) pairs(ctx context.Context, choices []kernels.GeneChange, singles []kernels.Insight, joint kernels.Insight, most int) ([]kernels.Insight, error) {
	if joint.Alone > 0 && joint.Gain.Lo*(1-unexplained) < joint.Alone && joint.Alone < joint.Gain.Hi*(1+unexplained) {
		return nil, nil
	}
	worth := func(i int) float64 { return math.Abs(math.Log(max(singles[i].Gain.Ratio, 1e-3))) }
	var out []kernels.Insight
	for _, p := range evolve.Pairs(e.space.Family, choices, worth) {
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
		e.app.Sayf("one by one they do not explain the whole: taking back %s ...", report.Quantity(len(out), "pair"))
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

// show is an explanation for people.
func (e *explanation) show(out explained, singles, pairs []kernels.Insight, joint kernels.Insight) {
	a := e.app
	rs := e.result.Resources
	label := ""
	if e.Device().Kind == "cpu" {
		label = "; CPU times"
	}
	fmt.Fprintf(a.Out, "candidate %s", e.winner.ID.Short())
	if len(rs) > 0 {
		fmt.Fprintf(a.Out, ": %s registers, %s shared memory, %s occupancy", report.Registers(rs), report.Smem(rs), report.Occupancy(rs))
	}
	fmt.Fprintln(a.Out, figures.WavesText(", waves ", out.Waves))
	fmt.Fprintf(a.Out, "\nwhat each choice buys: time without it over time with it (%s, 99%% intervals%s)\n", e.Cache, label)
	t := figures.Insights(e.Objective, e.Workloads, append(slices.Clone(singles), joint))
	t.Indent = "  "
	t.Write(a.Out)
	switch {
	case len(pairs) > 0:
		fmt.Fprintf(a.Out, "\ntwo at a time, those that add up least first\n")
		t := figures.Insights(e.Objective, e.Workloads, pairs)
		t.Indent = "  "
		t.Write(a.Out)
	case joint.Alone > 0 && len(singles) > 1:
		fmt.Fprintf(a.Out, "\nOne by one the choices buy %.2fx, together %.2fx: they add up.\n", joint.Alone, joint.Gain.Ratio)
	}
	if out.Profiler != "" {
		fmt.Fprintf(a.Out, "\n%s\n", out.Profiler)
	}
	figures.Counters(a.Out, out.Counters, singles)
}
