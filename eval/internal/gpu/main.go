package gpu

import (
	"context"
	"fmt"
	"os"

	"darwarp/eval/internal/proc"
)

// Main is the device worker: it serves requests until its parent closes the pipe. Its inherited files are those of
// Files. After a sticky fault it replies and ends, since the process is lost for CUDA.
func Main(args []string) int {
	files, err := Inherit(args)
	if err != nil {
		return fail(err)
	}
	s := NewSession(files)
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
