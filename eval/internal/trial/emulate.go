package trial

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/verdict"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// emulator is cpu devices beside the one that is searched: at the check shapes, with every access watched, by workers
// that take what time nobody else wants. They are opened when the first champion is on trial.
type emulator struct {
	mu   sync.Mutex
	rigs []*rig.Rig
	why  string // none can be had here
}

// open readies the emulators, or says why it cannot. What it lacks is no reason to end a search.
func (m *emulator) open(ctx context.Context, cfg rig.Config) ([]*rig.Rig, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.rigs) > 0 || m.why != "" {
		return m.rigs, m.why
	}
	cfg.Kind, cfg.Races, cfg.Workloads, cfg.Jobs, cfg.Progress = "cpu", true, nil, 1, nil
	rigs, errs := make([]*rig.Rig, Usual.Emulators), make([]error, Usual.Emulators)
	var all sync.WaitGroup
	for i := range rigs {
		all.Go(func() {
			rigs[i], errs[i] = rig.Open(ctx, cfg, rig.Options{Idle: true})
			if errors.Is(errs[i], rig.ErrUnfit) { // inputs are few here, and a draw of them may tell too little
				rigs[i], errs[i] = rig.Open(ctx, cfg, rig.Options{Idle: true})
			}
		})
	}
	all.Wait()
	for i, p := range rigs {
		if errs[i] == nil {
			m.rigs = append(m.rigs, p)
		}
	}
	if len(m.rigs) > 0 {
		return m.rigs, ""
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
	for _, p := range m.rigs {
		errs = append(errs, p.Close())
	}
	m.rigs = nil
	return errors.Join(errs...)
}

// emulated runs a candidate's source on the cpu device, in another order of its threads each time. That the emulation
// cannot do what the source asks for is not held against it.
func (t *trial) emulated(ctx context.Context) (kernels.Doubt, error) {
	rigs, why := t.on.emulator.open(ctx, t.Cfg) // which on a busy machine takes longer than a candidate may
	if len(rigs) == 0 {
		return impossible("%s", why), ctx.Err()
	}
	short, cancel := context.WithTimeout(ctx, Usual.EmulatedFor)
	defer cancel()
	w := &emulation{job: *t.Job, cancel: cancel}
	w.job.Bar = nil // it knows of a GPU's times
	var all sync.WaitGroup
	for _, p := range rigs {
		all.Go(func() { w.on(short, p) })
	}
	all.Wait()
	switch {
	case w.found.Verdict != "":
		return w.found, nil
	case w.err == nil:
		return passed("%d orders of its threads, every access at the check shapes watched", Usual.EmulatedOrders), nil
	case ctx.Err() == nil && errors.Is(short.Err(), context.DeadlineExceeded):
		return impossible("%d of %d orders in %v, in which nothing was found", w.stood, Usual.EmulatedOrders,
			Usual.EmulatedFor), nil
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
func (w *emulation) on(ctx context.Context, p *rig.Rig) {
	lane := p.Cfg.Trace.Take("emulators")
	defer lane.Free()
	ctx = trace.With(ctx, lane)
	e := &verdict.Evaluation{Session: verdict.NewSession(p), Job: &w.job, Again: true}
	for _, step := range []func(context.Context) error{e.Resolve, e.Compile} {
		if err := step(ctx); err != nil {
			w.end(kernels.Doubt{}, err)
			return
		}
		if e.Res.Outcome != kernels.Unknown {
			w.end(impossible("it cannot be emulated: %s", e.Res.Detail), nil)
			return
		}
	}
	for n := w.next(); n > 0; n = w.next() {
		if err := e.Gate(ctx); err != nil {
			w.end(kernels.Doubt{}, err)
			return
		}
		switch o := e.Res.Outcome; o {
		case kernels.Unknown:
			w.passed()
		case kernels.TimedOut, kernels.Invalid, kernels.Unsupported:
			w.end(impossible("emulated: %s", e.Res.Detail), nil)
			return
		default:
			w.end(failed(o, "emulated, order %d of %d: %s", n, Usual.EmulatedOrders, e.Res.Detail), nil)
			return
		}
	}
}

// next is the number of an order that nobody has begun; 0: there is none.
func (w *emulation) next() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun >= Usual.EmulatedOrders {
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
