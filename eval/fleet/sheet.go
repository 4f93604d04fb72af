package fleet

import (
	"context"
	"slices"
	"sync"

	"darwarp/kernels"
)

// sheet is a kernel's times on the workers that were asked for them, each once: whoever doubts a winner, and whoever
// compares devices by it, look at the same times. A device stands still for everybody else meanwhile.
type sheet struct {
	f     *Fleet
	job   *kernels.Job
	brief bool // of few samples
	mu    sync.Mutex
	of    map[*member]timed
}

// timed waits for times.
type timed func() ([]kernels.Timing, error)

func (f *Fleet) newSheet(j *kernels.Job, brief bool) *sheet {
	return &sheet{f: f, job: j, brief: brief, of: map[*member]timed{}}
}

// know enters times that are known already.
func (s *sheet) know(m *member, times []kernels.Timing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[m] = func() ([]kernels.Timing, error) { return times, nil }
}

// drop has a worker asked again.
func (s *sheet) drop(m *member) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of, m)
}

// on has a worker asked, unless it was before and did not fail.
func (s *sheet) on(m *member) timed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[m] == nil {
		once := sync.OnceValues(func() ([]kernels.Timing, error) {
			times, err := s.f.timeOn(s.f.ctx, m, s.job, s.brief)
			if err != nil {
				s.drop(m)
			}
			return times, err
		})
		go func() { _, _ = once() }()
		s.of[m] = once
	}
	return s.of[m]
}

// wait is a worker's times, which the caller may change.
func (s *sheet) wait(ctx context.Context, m *member) ([]kernels.Timing, error) {
	on, done := s.on(m), make(chan struct{})
	go func() { defer close(done); _, _ = on() }()
	select {
	case <-done:
		times, err := on()
		return slices.Clone(times), err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// timeOn times a kernel on one worker, as its clock says. A recording has but one time; then there are none.
func (f *Fleet) timeOn(ctx context.Context, m *member, j *kernels.Job, brief bool) ([]kernels.Timing, error) {
	packed, err := f.packer.pack(j)
	if err != nil {
		return nil, err
	}
	packed.Bar = nil
	a, err := f.askAt(ctx, m, request{Do: doTime, Jobs: []*job{packed}, Brief: brief})
	if err != nil {
		return nil, err
	}
	r, err := a.verdict(m.key)
	return r.Times, err
}
