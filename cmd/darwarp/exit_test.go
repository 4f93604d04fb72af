package main

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/eval"
	"darwarp/eval/env"
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
		{nil, exit.Done},
		{errors.New("broken"), exit.Failed},
		{fmt.Errorf("%w\nwhat was found ...", &evolve.Outage{Lost: 9, Why: "worker killed"}), exit.Environment},
		{fmt.Errorf("the device is %w", eval.ErrGone), exit.Environment},
		{fmt.Errorf("search: %w", &env.Error{What: "libcuda.so.1"}), exit.Environment},
		{fmt.Errorf("duel: %w", kernels.ErrLost), exit.Failed},
		{fmt.Errorf("open: %w", store.ErrNotOurs), exit.Usage},
		{fmt.Errorf("r.db: %w (process 7)", store.ErrLocked), exit.Usage},
		{fmt.Errorf("r.db: %w", store.ErrNewer), exit.Usage},
		{fmt.Errorf("r.db: %w", store.ErrNetwork), exit.Usage},
		{fmt.Errorf("r.db: %w", store.ErrDenied), exit.Usage},
		{fmt.Errorf("r.db: %w", store.ErrNoSpace), exit.Failed},
		{exit.Usagef("--for"), exit.Usage},
		{exit.Quietly(exit.Interrupted), exit.Interrupted},
	} {
		if got := newApp(&console.Console{Err: io.Discard}).finish(tt.err); got != tt.want {
			t.Errorf("%v: exit %d, expected %d", tt.err, got, tt.want)
		}
	}
}
