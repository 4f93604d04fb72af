package search

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// The measurement at the end has the time that was said before, and no more.
func TestWithin(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		take time.Duration
		fail error
		stop time.Duration // somebody interrupts; 0: nobody
		want error
		said bool
		took time.Duration
	}{
		{"in time", time.Minute, nil, 0, nil, false, time.Minute},
		{"broken", time.Minute, broken, 0, broken, false, time.Minute},
		{"too long", time.Hour, broken, 0, nil, true, finalFor(1)},
		{"interrupted", time.Hour, broken, time.Second, nil, false, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.stop > 0 {
					time.AfterFunc(tt.stop, cancel)
				}
				begun, said := time.Now(), false
				err := within(ctx, finalFor(1), func(string, ...any) { said = true }, func(ctx context.Context) error {
					select {
					case <-time.After(tt.take):
					case <-ctx.Done():
					}
					return tt.fail
				})
				if took := time.Since(begun); !errors.Is(err, tt.want) || said != tt.said || took != tt.took {
					t.Errorf("%v after %v, said: %v", err, took, said)
				}
			})
		})
	}
}

// TestAheadIn: what the measurement begins with is begun in time, and not long before.
func TestAheadIn(t *testing.T) {
	for _, tt := range []struct{ all, spent, want time.Duration }{
		{0, 0, 0}, {0, time.Hour, 0}, {25 * time.Second, 0, 0}, {10 * time.Minute, 0, 570 * time.Second},
		{10 * time.Minute, 4 * time.Minute, 330 * time.Second}, {10 * time.Minute, time.Hour, 0},
	} {
		if got := aheadIn(tt.all, tt.spent); got != tt.want {
			t.Errorf("%v of %v: in %v, want %v", tt.spent, tt.all, got, tt.want)
		}
	}
}
