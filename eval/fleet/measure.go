package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"darwarp/eval/internal/ratio"
	"darwarp/kernels"
)

// Workers of one model differ by percents, as GPUs of one host do, so times pass through the ratio of one kernel's
// times on both. And a worker may lie, be broken, or have other work: nobody becomes champion whom not two workers have
// timed alike (settle.go).

// first reports whether a job that came out right is the first that all workers are to time. These are its times by the
// worker that judged it.
func (f *Fleet) first(j *kernels.Job, by *member, times []kernels.Timing) bool {
	return f.facts.begin(func() *sheet {
		s := f.newSheet(j, true)
		s.know(by, slices.Clone(times))
		return s
	})
}

// begun times the naive start on all workers. The one that judged it becomes home, to whose times all others are
// compared.
func (f *Fleet) begun(ctx context.Context, by *member) {
	f.roster.lead(by)
	f.compareAll(ctx, f.facts.yardstick())
}

// welcome readies a new worker, or one that was set aside: it times the yardstick before it gets candidates. Where home
// does not agree, either is set aside.
func (f *Fleet) welcome(m *member) {
	for range deliveries {
		s, all := f.facts.yardstick(), f.roster.ready()
		if s == nil || !m.times || len(all) == 0 {
			f.roster.setReady(m, f.roster.ratiosOf(m))
			return
		}
		home := all[0]
		s.drop(m) // of when it was here before
		err := f.compare(f.ctx, s, home, m)
		if err == nil || f.ctx.Err() != nil || !f.roster.isHere(m) {
			return
		}
		if errors.Is(err, kernels.ErrLost) {
			continue
		}
		if !f.setAsideOutlier(s, home, m, err) {
			return
		}
	}
}

// compareAll times a kernel on all workers, at the same time, and compares them with home.
func (f *Fleet) compareAll(ctx context.Context, s *sheet) {
	all := f.roster.ready()
	if len(all) < 2 || !all[0].times {
		return
	}
	var work sync.WaitGroup
	for _, m := range all[1:] {
		work.Go(func() {
			if err := f.compare(ctx, s, all[0], m); err != nil && ctx.Err() == nil {
				f.cfg.Say("%v: what was known before stays", err)
			}
		})
	}
	work.Wait()
}

// compare takes the ratios of a worker from a kernel's times there and at home.
func (f *Fleet) compare(ctx context.Context, s *sheet, home, m *member) error {
	s.on(home) // beside
	here, err := s.wait(ctx, m)
	if err != nil {
		return err
	}
	at, err := s.wait(ctx, home)
	if err != nil {
		return err
	}
	found, err := ratio.Compare(f.roster.ratiosOf(home), at, here)
	if err != nil {
		return fmt.Errorf("times of worker %s cannot be compared with those of %s: %w", m.name, home.name, err)
	}
	f.roster.setReady(m, found)
	return nil
}
