package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"darwarp/kernels"
)

// A would-be champion is emulated under so many orders of its threads, for so long at most.
var (
	emulatedOrders = 10
	emulatedFor    = 45 * time.Second
)

// emulator is the cpu device beside the one that is searched: at the check shapes, with every access watched, by workers that
// take what time nobody else wants. It is opened when the first champion is on trial.
type emulator struct {
	mu   sync.Mutex
	pool *Pool
	why  string // it cannot be had here
}

// open readies the emulator, or says why it cannot. What it lacks is no reason to end a search.
func (m *emulator) open(ctx context.Context, cfg Config) (*Pool, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pool != nil || m.why != "" {
		return m.pool, m.why
	}
	cfg.Kind, cfg.Races, cfg.Workloads, cfg.Jobs, cfg.shared, cfg.Progress, cfg.idle = "cpu", true, nil, 1, nil, nil, true
	pool, err := Open(ctx, cfg)
	if err == nil {
		m.pool = pool
		return pool, ""
	}
	why := fmt.Sprintf("the cpu device cannot be had here: %v", err)
	if ctx.Err() == nil {
		m.why = why
	}
	return nil, why
}

func (m *emulator) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pool == nil {
		return nil
	}
	err := m.pool.Close()
	m.pool = nil
	return err
}

// emulated runs a candidate's source on the cpu device, in another order of its threads each time. That the emulation
// cannot do what the source asks for is not held against it.
func (t *trial) emulated(ctx context.Context) (kernels.Doubt, error) {
	short, cancel := context.WithTimeout(ctx, emulatedFor)
	defer cancel()
	emu, why := t.emulator.open(ctx, t.cfg)
	if emu == nil {
		return impossible("%s", why), ctx.Err()
	}
	own := *t.job
	own.Bar = nil // it knows of a GPU's times
	e := &evaluation{Pool: emu, job: &own, again: true}
	for _, step := range []func(context.Context) error{e.resolve, e.compile} {
		if err := step(short); err != nil {
			return late(ctx, short, "compiling took all of %v", err, emulatedFor)
		}
		if e.res.Outcome != kernels.Unknown {
			return impossible("it cannot be emulated: %s", e.res.Detail), nil
		}
	}
	for n := range emulatedOrders {
		if err := e.gate(short); err != nil {
			return late(ctx, short, "%d of %d orders in %v, in which nothing was found", err, n, emulatedOrders, emulatedFor)
		}
		switch o := e.res.Outcome; o {
		case kernels.Unknown:
		case kernels.TimedOut, kernels.Invalid, kernels.Unsupported:
			return impossible("emulated: %s", e.res.Detail), nil
		default:
			return failed(o, "emulated, order %d of %d: %s", n+1, emulatedOrders, e.res.Detail), nil
		}
	}
	return passed("%d orders of its threads, every access at the check shapes watched", emulatedOrders), nil
}

// late is what a part has shown whose time was up: nothing. Another error is ours.
func late(ctx, short context.Context, format string, err error, args ...any) (kernels.Doubt, error) {
	if ctx.Err() == nil && errors.Is(short.Err(), context.DeadlineExceeded) {
		return impossible(format, args...), nil
	}
	return kernels.Doubt{}, err
}
