package kernels

import (
	"context"
	"errors"
	"sync/atomic"
)

// ErrOvertaken is the cause of a context whose work nobody waits for any more, while the evaluator goes on with others.
// A call that a worker has begun ends first: the worker would be killed with it, and another has to be made ready.
var ErrOvertaken = errors.New("somebody far faster has overtaken it")

// Watch is how far something is that an evaluator was asked for. The evaluator tells, and whoever asked reads,
// meanwhile, from any goroutine. The zero value is ready.
type Watch struct {
	begun atomic.Bool
	step  atomic.Pointer[string]
}

// watchKey is under which a context has its Watch.
type watchKey struct{}

// With is a context through which w is told.
func (w *Watch) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// WatchOf is the context's Watch, or one that nobody reads.
func WatchOf(ctx context.Context) *Watch {
	if w, ok := ctx.Value(watchKey{}).(*Watch); ok {
		return w
	}
	return &Watch{}
}

// Begin notes that the device works on it: what was spent on it until then is kept in caches, or is little.
func (w *Watch) Begin() { w.begun.Store(true) }

// Begun reports whether the device has begun.
func (w *Watch) Begun() bool { return w.begun.Load() }

// Tell says how far it is, in a few words: "fresh, 40 pairs".
func (w *Watch) Tell(step string) { w.step.Store(&step) }

// Step is what was told last, empty before.
func (w *Watch) Step() string {
	if s := w.step.Load(); s != nil {
		return *s
	}
	return ""
}
