package measure

import (
	"context"
	"errors"
	"sync"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/kernels"
)

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
		if err := e.compare(ctx, &all[k], results[k]); err != nil {
			return err
		}
	}
	return nil
}

// compare duels the winner with what it is without some choices.
func (e *explanation) compare(ctx context.Context, i *kernels.Insight, r kernels.Result) error {
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
	gained(i, &d)
	return nil
}

// gained takes the gain from a duel, if that has one.
func gained(i *kernels.Insight, d *kernels.Duel) {
	i.Provenance = d.Provenance
	if !d.Measured() {
		i.Outcome, i.Detail = kernels.Flaky, d.Detail
		return
	}
	i.Outcome, i.Detail = kernels.OK, ""
	i.Gain, i.Shapes = kernels.GainOf(*d)
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

// profile reads the counters of the winner, and of it without the choices that buy most.
func (e *explanation) profile(ctx context.Context, singles []kernels.Insight, most int) (own []kernels.Counters,
	why string, err error) {
	counters := e.Capabilities().Counters
	if counters == nil {
		return nil, "", nil
	}
	jobs := []*kernels.Job{&e.job}
	for _, i := range singles {
		if i.Outcome == kernels.OK && i.Gain.Clear() && len(jobs) <= most {
			jobs = append(jobs, e.jobs[i.Without])
		}
	}
	e.phases.Begin("reading counters with ncu")
	found, why, err := counters(ctx, jobs)
	for k := range singles {
		singles[k].Counters = found[singles[k].Without]
	}
	return found[e.winner.ID], why, err
}
