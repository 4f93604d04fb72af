package eval

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"darwarp/eval/trace"
	"darwarp/kernels"
)

// A would-be champion is emulated under so many orders of its threads, for so long at most, by so many emulators: each
// is busy on a core for seconds.
var (
	emulatedOrders = 10
	emulatedFor    = 45 * time.Second
	emulators      = max(1, min(4, runtime.NumCPU()/4))
)

// emulator is cpu devices beside the one that is searched: at the check shapes, with every access watched, by workers
// that take what time nobody else wants. They are opened when the first champion is on trial.
type emulator struct {
	mu    sync.Mutex
	pools []*Pool
	why   string // none can be had here
}

// open readies the emulators, or says why it cannot. What it lacks is no reason to end a search.
func (m *emulator) open(ctx context.Context, cfg Config) ([]*Pool, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.pools) > 0 || m.why != "" {
		return m.pools, m.why
	}
	cfg.Kind, cfg.Races, cfg.Workloads, cfg.Jobs, cfg.shared, cfg.Progress, cfg.idle = "cpu", true, nil, 1, nil, nil, true
	pools, errs := make([]*Pool, emulators), make([]error, emulators)
	var all sync.WaitGroup
	for i := range pools {
		all.Go(func() { pools[i], errs[i] = Open(ctx, cfg) })
	}
	all.Wait()
	for i, p := range pools {
		if errs[i] == nil {
			m.pools = append(m.pools, p)
		}
	}
	if len(m.pools) > 0 {
		return m.pools, ""
	}
	why := fmt.Sprintf("the cpu device cannot be used here: %v", errs[0])
	if ctx.Err() == nil {
		m.why = why
	}
	return nil, why
}

func (m *emulator) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, p := range m.pools {
		errs = append(errs, p.Close())
	}
	m.pools = nil
	return errors.Join(errs...)
}

// emulated runs a candidate's source on the cpu device, in another order of its threads each time. That the emulation
// cannot do what the source asks for is not held against it.
func (t *trial) emulated(ctx context.Context) (kernels.Doubt, error) {
	pools, why := t.emulator.open(ctx, t.cfg) // which on a busy machine takes longer than a candidate may
	if len(pools) == 0 {
		return impossible("%s", why), ctx.Err()
	}
	short, cancel := context.WithTimeout(ctx, emulatedFor)
	defer cancel()
	w := &emulation{job: *t.job, cancel: cancel}
	w.job.Bar = nil // it knows of a GPU's times
	var all sync.WaitGroup
	for _, p := range pools {
		all.Go(func() { w.on(short, p) })
	}
	all.Wait()
	switch {
	case w.found.Verdict != "":
		return w.found, nil
	case w.err == nil:
		return passed("%d orders of its threads, every access at the check shapes watched", emulatedOrders), nil
	case ctx.Err() == nil && errors.Is(short.Err(), context.DeadlineExceeded):
		return impossible("%d of %d orders in %v, in which nothing was found", w.stood, emulatedOrders, emulatedFor), nil
	}
	return kernels.Doubt{}, w.err
}

// emulation is a candidate that several emulators run.
type emulation struct {
	job    kernels.Job
	cancel context.CancelFunc

	mu    sync.Mutex
	begun int // orders
	stood int
	found kernels.Doubt // by the first that has found something
	err   error         // of the first that could not go on
}

// on runs the candidate on one of them, as long as there are orders left.
func (w *emulation) on(ctx context.Context, p *Pool) {
	lane := p.cfg.Trace.Take("emulators")
	defer lane.Free()
	ctx = trace.With(ctx, lane)
	e := &evaluation{Pool: p, job: &w.job, again: true}
	for _, step := range []func(context.Context) error{e.resolve, e.compile} {
		if err := step(ctx); err != nil {
			w.end(kernels.Doubt{}, err)
			return
		}
		if e.res.Outcome != kernels.Unknown {
			w.end(impossible("it cannot be emulated: %s", e.res.Detail), nil)
			return
		}
	}
	for n := w.next(); n > 0; n = w.next() {
		if err := e.gate(ctx); err != nil {
			w.end(kernels.Doubt{}, err)
			return
		}
		switch o := e.res.Outcome; o {
		case kernels.Unknown:
			w.passed()
		case kernels.TimedOut, kernels.Invalid, kernels.Unsupported:
			w.end(impossible("emulated: %s", e.res.Detail), nil)
			return
		default:
			w.end(failed(o, "emulated, order %d of %d: %s", n, emulatedOrders, e.res.Detail), nil)
			return
		}
	}
}

// next is the number of an order that nobody has begun; 0: there is none.
func (w *emulation) next() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun >= emulatedOrders {
		return 0
	}
	w.begun++
	return w.begun
}

func (w *emulation) passed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stood++
}

// end notes what one of them has found, or its error, and ends the others, whose errors say nothing then.
func (w *emulation) end(found kernels.Doubt, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.found.Verdict == "" && w.err == nil {
		w.found, w.err = found, err
	}
	w.cancel()
}
