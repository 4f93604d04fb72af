package runner

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

func TestInsist(t *testing.T) {
	silent := func(error) {}
	sigkill, segv := &proc.Died{Signal: syscall.SIGKILL}, &proc.Died{Signal: syscall.SIGSEGV}
	for _, test := range []struct {
		fails []error
		left  error
	}{
		{nil, nil}, {[]error{sigkill}, nil}, {[]error{fmt.Errorf("%w: x", kernels.ErrLost), sigkill}, nil},
		{[]error{sigkill, sigkill, sigkill}, sigkill}, {[]error{segv}, segv}, {[]error{cases.ErrUnfit}, cases.ErrUnfit},
	} {
		done := 0
		err := Insist(t.Context(), silent, func() error {
			if done++; done <= len(test.fails) {
				return test.fails[done-1]
			}
			return nil
		})
		if !errors.Is(err, test.left) || done > tries {
			t.Errorf("%v: %v after %d tries", test.fails, err, done)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	done := 0
	if err := Insist(ended, silent, func() error { done++; return sigkill }); err == nil || done != 1 {
		t.Errorf("of a session that was given up: %v after %d tries", err, done)
	}
}
