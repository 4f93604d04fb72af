package eval

import (
	"context"
	"fmt"
	"slices"

	"darwarp/eval/internal/ratio"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// table is the ratios of a GPU; nil where they are not known, or it is the first.
func (s *places) table(p *place) ratio.Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	return p.ratios
}

// compare takes a kernel's times on home and on another GPU. Home may not be the first any more: times are compared
// with the first's all the same.
func (s *places) compare(home, other *place, at, on []kernels.Timing) error {
	found, err := ratio.Compare(s.table(home), at, on)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	other.ratios = found
	return nil
}

// jobOn is a job with the bar that it has on a GPU: the champion's time there.
func (s *places) jobOn(p *place, job *kernels.Job) *kernels.Job {
	if p == s.all[0] || job.Bar == nil {
		return job
	}
	here := *job
	here.Bar = job.Bar.Scaled(func(workload string) float64 { return 1 / s.table(p).At(workload).Of })
	return &here
}

// scale makes times of a GPU what they are on the first.
func (s *places) scale(p *place, times []kernels.Timing) { s.table(p).Scale(times) }

// yardstick is a kernel that is timed on all GPUs, so that times can be compared: the first that is right, and then
// each that wins a duel.
type yardstick struct {
	e  *verdict.Evaluation // what was compiled
	at *place              // where it was judged right
}

// timeOn times the yardstick on a GPU, before the candidates that wait there. It must be right there, too. What is not
// known of a ratio makes candidates' times less certain than they are, so that fewer of them may challenge: a champion
// is timed with the samples of a final measurement.
func (y yardstick) timeOn(ctx context.Context, p *place, final bool) ([]kernels.Timing, error) {
	job := *y.e.Job
	job.Bar = kernels.NewBar(y.e.Elapsed) // a GPU that hangs is not waited for as long as for a kernel that nobody knows
	t := &verdict.Evaluation{Session: p.pool.Session, Job: &job, Cubin: y.e.Cubin, Checked: y.e.Checked, Calls: y.e.Calls,
		Urgent: true}
	t.Res.Resources = slices.Clone(y.e.Res.Resources)
	if err := t.Steps(runner.Urgently(ctx), t.Gate, func(ctx context.Context) error {
		if job.Bar = nil; final {
			return t.Final(ctx, t.Cfg.Cache)
		}
		return t.Time(ctx)
	}); err != nil {
		return nil, err
	}
	if t.Res.Outcome != kernels.Unknown || !whole(t.Res.Times) {
		return nil, fmt.Errorf("it is %s there: %s", t.Res.Outcome, kernels.CleanDetail(t.Res.Detail))
	}
	return t.Res.Times, nil
}
