package judge

import (
	"context"
	"fmt"
	"os"

	"darwarp/eval/internal/proc"
)

// Main is the judge: it serves requests until its parent closes the pipe. Its inherited files are the channel to the parent
// and the host memory.
func Main([]string) int {
	channel, err := proc.Inherited(0)
	if err != nil {
		return fail(err)
	}
	f, err := proc.Inherited(1)
	if err != nil {
		return fail(err)
	}
	host, err := proc.OpenShared(f)
	if err != nil {
		return fail(err)
	}
	s := NewSession(channel, host.Map())
	return proc.Main(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		var req Request
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

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return proc.ExitInternal
}
