package gpu

import (
	"context"
	"fmt"
	"os"
	"slices"

	"darwarp/eval/internal/proc"
)

// Main is the device worker: it serves requests until its parent closes the pipe. Its first
// inherited file is the output memory; with the argument "truth" the second is the truth memory.
// After a sticky fault it replies and ends, since the process is lost for CUDA.
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
	s := NewSession(out, truth)
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		var req Request
		if err := f.Decode(&req); err != nil {
			return err
		}
		reply, err := s.Handle(&req, c.Phase)
		if err != nil {
			return err
		}
		if sticky(reply) {
			return c.Finish(reply)
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

func sticky(reply any) bool {
	var f *Fault
	switch r := reply.(type) {
	case *GateReply:
		f = r.Fault
	case *TimeReply:
		f = r.Fault
	case *DisturbReply:
		f = r.Fault
	case *DuelReply:
		f = r.Fault
	}
	return f != nil && f.Sticky
}
