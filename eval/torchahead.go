package eval

import (
	"context"
	"errors"
	"slices"
	"sync"

	"darwarp/eval/internal/torch"
)

// Ahead has a Python import torch beside a search, which the measurement of these baselines (none: of all) begins with.
// It does not touch the GPU.
func (p *baselines) Ahead(names []string) {
	wanted, compiles := false, false
	for i := range p.Cfg.Problem.Baselines {
		b := &p.Cfg.Problem.Baselines[i]
		if b.Kind == "torch" && (len(names) == 0 || slices.Contains(names, b.Name)) {
			wanted, compiles = true, compiles || b.Compiles()
		}
	}
	if wanted && p.Device.Kind == "cuda" {
		p.early.begin(compiles)
	}
}

// early is a Python that imports torch while there is something else to wait for.
type early struct {
	mu   sync.Mutex
	over bool // it is not wanted any more: it was taken, or all is closed
	stop context.CancelFunc
	got  chan loaded // gets one; nil: none was begun, or it was taken
}

type loaded struct {
	helper *torch.Helper
	err    error
}

func (e *early) begin(compiles bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over || e.got != nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	got := make(chan loaded, 1)
	e.stop, e.got = stop, got
	go func() {
		h, err := torch.Load(ctx, compiles)
		got <- loaded{h, err}
	}()
}

// take gives the Python that was begun, or one that is begun now.
func (e *early) take(ctx context.Context) (*torch.Helper, error) {
	got, stop := e.end()
	if got == nil {
		return torch.Load(ctx, false) // torch.compile imports what it needs
	}
	defer stop()
	select {
	case l := <-got:
		if l.err == nil && !l.helper.Alive() { // nobody has called it for long
			return torch.Load(ctx, false)
		}
		return l.helper, l.err
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), discard(got, stop))
	}
}

// end has nothing begin any more.
func (e *early) end() (got chan loaded, stop context.CancelFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	got, stop = e.got, e.stop
	e.over, e.got, e.stop = true, nil, nil
	return got, stop
}

// close ends a Python that nobody has taken.
func (e *early) close() error {
	got, stop := e.end()
	if got == nil {
		return nil
	}
	return discard(got, stop)
}

func discard(got <-chan loaded, stop context.CancelFunc) error {
	stop()
	l := <-got
	if l.helper == nil {
		return nil // why there is none matters to nobody any more
	}
	return l.helper.Close()
}
