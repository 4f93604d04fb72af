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
