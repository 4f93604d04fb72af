package proc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// PoolConfig says how a pool runs its workers.
type PoolConfig struct {
	Slots    int                                                  // workers at once, at least 1
	MaxCalls int                                                  // a worker is replaced after so many calls; 0: never
	Start    func(ctx context.Context, slot int) (*Worker, error) // starts and prepares the worker of a slot
	Stop     func(slot int)                                       // tidies up behind a worker that is gone; may be nil
}

const (
	startAttempts = 3
	startBackoff  = 100 * time.Millisecond // times the number of failures so far
)

// Pool keeps a worker in each of its slots: started when first needed, replaced when dead or worn.
type Pool struct {
	cfg    PoolConfig
	ctx    context.Context // done when the pool is closed
	cancel context.CancelFunc
	free   chan *slot

	mu   sync.Mutex
	live map[*Worker]struct{}
}

// slot is owned by the call that took it from Pool.free.
type slot struct {
	number int
	worker *Worker
}

// NewPool makes a pool; no worker is started yet.
func NewPool(cfg PoolConfig) *Pool {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Pool{cfg: cfg, ctx: ctx, cancel: cancel, free: make(chan *slot, max(1, cfg.Slots)), live: map[*Worker]struct{}{}}
	for i := range cap(p.free) {
		p.free <- &slot{number: i}
	}
	return p
}

// Busy is how many slots are in use.
func (p *Pool) Busy() int { return cap(p.free) - len(p.free) }

// Do waits for a slot and lends its worker to fn. A worker that fn leaves dead is replaced before
// the next use. An error that is not fn's own means that no worker can be started.
func (p *Pool) Do(ctx context.Context, fn func(*Worker) error) error {
	select {
	case s := <-p.free:
		defer func() { p.free <- s }()
		if p.ctx.Err() != nil {
			return ErrClosed
		}
		if err := p.fill(ctx, s); err != nil {
			return err
		}
		err := fn(s.worker)
		if !s.worker.Alive() || p.cfg.MaxCalls > 0 && s.worker.Calls() >= p.cfg.MaxCalls {
			err = errors.Join(err, p.empty(s))
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.ctx.Done():
		return ErrClosed
	}
}

// Wake starts the workers of all slots beside whatever else is done, and lends each to fn. That one cannot be started
// is for who needs it to find out.
func (p *Pool) Wake(fn func(*Worker)) {
	for range cap(p.free) { // slots are taken in turn, so that each gets one
		go func() {
			_ = p.Do(p.ctx, func(w *Worker) error {
				fn(w)
				return nil
			})
		}()
	}
}

// fill puts a live worker into a slot.
func (p *Pool) fill(ctx context.Context, s *slot) error {
	if s.worker != nil && s.worker.Alive() {
		return nil
	}
	if err := p.empty(s); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ctx, func() { cancel(ErrClosed) })()
	var err error
	for n := range startAttempts {
		if n > 0 && !sleep(ctx, time.Duration(n)*startBackoff) {
			break
		}
		if s.worker, err = p.cfg.Start(ctx, s.number); err == nil {
			return p.adopt(s)
		}
		s.worker = nil
		p.tidy(s)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%d attempts: %w", startAttempts, err)
}

// adopt registers a new worker, so that Close finds it.
func (p *Pool) adopt(s *slot) error {
	p.mu.Lock()
	p.live[s.worker] = struct{}{}
	p.mu.Unlock()
	if p.ctx.Err() == nil { // else Close may have looked before
		return nil
	}
	return errors.Join(ErrClosed, p.empty(s))
}

// empty ends a slot's worker, if it has one.
func (p *Pool) empty(s *slot) error {
	if s.worker == nil {
		return nil
	}
	err := s.worker.Close()
	p.mu.Lock()
	delete(p.live, s.worker)
	p.mu.Unlock()
	s.worker = nil
	p.tidy(s)
	return err
}

func (p *Pool) tidy(s *slot) {
	if p.cfg.Stop != nil {
		p.cfg.Stop(s.number)
	}
}

// Close kills all workers and waits for the calls in progress to notice. The only error is
// ErrUnkillable.
func (p *Pool) Close() error {
	if p.ctx.Err() != nil {
		return nil
	}
	p.cancel()
	p.mu.Lock()
	for w := range p.live {
		w.end(ErrClosed)
		w.kill()
	}
	p.mu.Unlock()
	var errs []error
	for range cap(p.free) {
		errs = append(errs, p.empty(<-p.free))
	}
	return errors.Join(errs...)
}

// sleep reports whether it was not cut short.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
