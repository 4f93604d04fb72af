package main

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"darwarp/eval"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// What ends a search, as what the shell hears.
func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, exitDone},
		{errors.New("broken"), exitFailed},
		{fmt.Errorf("%w\nwhat was found ...", &evolve.Outage{Lost: 9, Why: "worker killed"}), exitEnvironment},
		{fmt.Errorf("the device is %w", eval.ErrGone), exitEnvironment},
		{fmt.Errorf("search: %w", &eval.EnvError{What: "libcuda.so.1"}), exitEnvironment},
		{fmt.Errorf("duel: %w", kernels.ErrLost), exitFailed},
		{fmt.Errorf("open: %w", store.ErrNotOurs), exitUsage},
		{usagef("--for"), exitUsage},
		{quietly(exitInterrupted), exitInterrupted},
	} {
		if got := (&app{err: io.Discard}).finish(tt.err); got != tt.want {
			t.Errorf("%v: exit %d, expected %d", tt.err, got, tt.want)
		}
	}
}
