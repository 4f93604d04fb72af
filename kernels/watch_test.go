package kernels

import (
	"context"
	"testing"
)

func TestWatch(t *testing.T) {
	var w Watch
	ctx := w.With(context.Background())
	WatchOf(context.Background()).Tell("nobody reads this")
	WatchOf(context.Background()).Begin()
	if w.Begun() || w.Step() != "" {
		t.Errorf("told before it was: %v, %q", w.Begun(), w.Step())
	}
	inner, cancel := context.WithCancel(ctx)
	cancel()
	WatchOf(inner).Begin()
	WatchOf(inner).Tell("fresh, 3 pairs")
	if !w.Begun() || w.Step() != "fresh, 3 pairs" {
		t.Errorf("%v, %q", w.Begun(), w.Step())
	}
}
