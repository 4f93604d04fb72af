package cpu

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/proc"
)

// Main is the device worker: it serves requests until its parent closes the pipe. Its inherited files are those of
// gpu.Files.
func Main(args []string) int {
	files, err := gpu.Inherit(args)
	if err != nil {
		return fail(err)
	}
	out, err := proc.OpenShared(files.Out)
	if err != nil {
		return fail(err)
	}
	runtime.LockOSThread() // a thread's stack and place in the caches are part of what is timed
	s := NewSession(out.Map(), files)
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

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return proc.ExitInternal
}
