package cpu

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/proc"
)

// Main is the device worker: it serves requests until its parent closes the pipe. Its first inherited
// file is the output memory; with the argument "truth" the second is the truth memory.
func Main(args []string) int {
	out, err := inherit(0)
	if err != nil {
		return fail(err)
	}
	var truth []byte
	if slices.Contains(args, "truth") {
		if truth, err = inherit(1); err != nil {
			return fail(err)
		}
	}
	runtime.LockOSThread() // a thread's stack and place in the caches are part of what is timed
	s := NewSession(out, truth)
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		var req gpu.Request
		if err := f.Decode(&req); err != nil {
			return err
		}
		reply, err := s.Handle(&req, c.Phase)
		if err != nil {
			return err
		}
		return c.Reply(reply)
	})
}

func inherit(i int) ([]byte, error) {
	f, err := proc.Inherited(i)
	if err != nil {
		return nil, err
	}
	m, err := proc.OpenShared(f)
	if err != nil {
		return nil, err
	}
	return m.Map(), nil
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return proc.ExitInternal
}
