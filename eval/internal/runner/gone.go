package runner

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Respite is how long a device, or the checker, is left alone before each try to start its worker again. After the last
// it is given up: a driver that restarts, or another process that holds all memory, is gone by then.
var Respite = []time.Duration{0, 5 * time.Second, 15 * time.Second, time.Minute}

// rest waits for the next try, after so many that failed.
func rest(ctx context.Context, failed int) error {
	return Pause(ctx, Respite[min(failed, len(Respite)-1)])
}

// Pause waits, at most as long as the context goes on.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ErrGone is in the chain of an error after which nothing can be evaluated here: the device, the checker or the
// compilers could not be had for long.
var ErrGone = errors.New("gone")

// gone is the error of what was given up after so many tries.
func gone(what string, tries int, err error, do string) error {
	return fmt.Errorf("%s is %w after %d tries in a row: %w. %s", what, ErrGone, tries, err, do)
}
