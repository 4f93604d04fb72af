package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"darwarp/eval/internal/ratio"
	"darwarp/kernels"
)

// Workers of one model differ by percents, as GPUs of one host do, so times pass through the ratio of one kernel's
// times on both. And a worker may lie, or be broken: nobody reigns whom not two workers have timed alike, and where two
// do not agree a third decides.

// claim is a candidate's times, as they are compared, by whoever judged it.
type claim struct {
	by    *member
	times []kernels.Timing
}

// mostClaims bounds the memory of claims; a challenger's is a few verdicts old.
const mostClaims = 4096

func (f *Fleet) note(id kernels.ID, m *member, times []kernels.Timing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.claims) >= mostClaims {
		clear(f.claims)
	}
	f.claims[id] = claim{m, slices.Clone(times)}
}

func (f *Fleet) forget(id kernels.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claims, id)
}

// first reports whether a job that came out right is the first that all workers are to time.
func (f *Fleet) first(j *kernels.Job) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.yard != nil {
		return false
	}
	f.yard = j
	return true
}

func (f *Fleet) yardstick() *kernels.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.yard
}

// begun times the naive start on all workers. The one that judged it becomes home, to whose times all others are
// compared.
func (f *Fleet) begun(ctx context.Context, j *kernels.Job, by *member) {
	f.crew.lead(by)
	f.compareAll(ctx, j)
}

// welcome readies a new worker: it times the yardstick before it gets candidates. One that home does not agree with,
// where nobody else can decide, waits for a third.
func (f *Fleet) welcome(m *member) {
	for range deliveries {
		j, all := f.yardstick(), f.crew.ready()
		if j == nil || !m.times || len(all) == 0 {
			f.crew.setReady(m, f.crew.ratiosOf(m))
			return
		}
		home := all[0]
		err := f.compare(f.ctx, j, home, m, f.timeOnce(f.ctx, home, j))
		if err == nil || f.ctx.Err() != nil || !f.crew.isHere(m) {
			return
		}
		if errors.Is(err, kernels.ErrLost) {
			continue
		}
		if f.cfg.Say("%v", err); f.settle(f.ctx, j, home, m, nil) != "" {
			return
		}
	}
}

// compareAll times a kernel at home, once, and on all other workers at the same time.
func (f *Fleet) compareAll(ctx context.Context, j *kernels.Job) {
	all := f.crew.ready()
	if len(all) < 2 || !all[0].times {
		return
	}
	var work sync.WaitGroup
	at := f.timeOnce(ctx, all[0], j)
	for _, m := range all[1:] {
		work.Go(func() {
			if err := f.compare(ctx, j, all[0], m, at); err != nil && ctx.Err() == nil {
				f.cfg.Say("%v: what was known before stays", err)
			}
		})
	}
	work.Wait()
}

// timed is what timeOn says.
type timed func() ([]kernels.Timing, error)

// timeOnce begins to time a kernel on a worker. Whoever asks for the result waits for it.
func (f *Fleet) timeOnce(ctx context.Context, m *member, j *kernels.Job) timed {
	once := sync.OnceValues(func() ([]kernels.Timing, error) { return f.timeOn(ctx, m, j) })
	go func() { _, _ = once() }()
	return once
}

// compare takes the ratios of a worker from a kernel's times there and at home.
func (f *Fleet) compare(ctx context.Context, j *kernels.Job, home, m *member, atHome timed) error {
	here, err := f.timeOn(ctx, m, j)
	if err != nil {
		return err
	}
	at, err := atHome()
	if err != nil {
		return err
	}
	found, err := ratio.Compare(f.crew.ratiosOf(home), at, here)
	if err != nil {
		return fmt.Errorf("times of worker %s cannot be compared with those of %s: %w", m.name, home.name, err)
	}
	f.crew.setReady(m, found)
	return nil
}

// timeOn times a kernel on one worker, as its clock says. A recording has but one time; then there are none.
func (f *Fleet) timeOn(ctx context.Context, m *member, j *kernels.Job) ([]kernels.Timing, error) {
	packed, err := f.packer.pack(j)
	if err != nil {
		return nil, err
	}
	packed.Bar = nil
	a, err := f.askAt(ctx, m, request{Do: doFinal, Jobs: []*job{packed}})
	if err != nil {
		return nil, err
	}
	r, err := a.verdict(&m.proof)
	if err == nil && r.Outcome != kernels.OK {
		err = fmt.Errorf("%s is %s on %s: %s", j.ID.Short(), r.Outcome, m.name, r.Detail)
	}
	return slices.DeleteFunc(r.Times, func(t kernels.Timing) bool { return t.Cache != f.cfg.Cache }), err
}

// settle asks who of two workers is right about a kernel's times: a third decides, and whoever is alone is left out.
// undecided says why nobody was: there is no third, or not all have answered.
func (f *Fleet) settle(ctx context.Context, j *kernels.Job, one, other *member, claimed []kernels.Timing) (
	undecided string) {
	times := map[*member][]kernels.Timing{}
	if claimed != nil {
		times[other] = claimed
	}
	ask := append([]*member{one, other}, f.crew.others(one, other)...)
	for _, m := range ask {
		if times[m] == nil {
			at, err := f.timeOn(ctx, m, j)
			if err != nil {
				return err.Error()
			}
			f.crew.ratiosOf(m).Scale(at)
			times[m] = at
		}
		if odd := alone(times); len(times) == 2 && len(odd) == 0 {
			return ""
		} else if len(times) == 3 {
			f.leaveOutAll(odd, j)
			return ""
		}
	}
	return fmt.Sprintf("workers %s and %s do not agree on the times of %s, and no third is there to decide", one.name,
		other.name, j.ID.Short())
}

// leaveOutAll goes on without the workers that are alone with their times, and looks again at those that wait.
func (f *Fleet) leaveOutAll(odd []*member, j *kernels.Job) {
	for _, m := range odd {
		f.leaveOut(m, fmt.Sprintf("it timed %s otherwise than two others", j.ID.Short()))
	}
	for _, m := range f.crew.waiting() {
		f.work.Go(func() { f.welcome(m) })
	}
}

// alone are those whose times are further from the middle than devices of one model are. Of two both are.
func alone(times map[*member][]kernels.Timing) (odd []*member) {
	for i, w := range slices.Collect(maps.Values(times))[0] {
		var all []float64
		for _, of := range times {
			if i < len(of) && of[i].Workload == w.Workload {
				all = append(all, of[i].Median)
			}
		}
		slices.Sort(all)
		middle := math.Sqrt(all[(len(all)-1)/2] * all[len(all)/2])
		most := ratio.Most
		if len(all) == 2 { // each is half as far from the middle as from the other
			most = math.Sqrt(most)
		}
		for m, of := range times {
			if i >= len(of) || !(of[i].Median < most*middle && of[i].Median > middle/most) {
				odd = append(odd, m)
			}
		}
	}
	return odd
}
