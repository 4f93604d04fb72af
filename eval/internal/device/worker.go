package device

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"

	"darwarp/eval/internal/proc"
)

// Serve is a worker's main loop: it answers requests until its parent closes the pipe, and gives the exit code. phase
// is told what is about to be done. An error is ours; what a candidate does wrong is a Fault in the reply. After a
// sticky one the worker replies and ends. What is in after is done once a reply was sent: nobody waits for it unless
// the next request comes sooner.
func Serve[R any](handle func(req *R, phase func(string)) (reply any, err error), after ...func() error) int {
	parse := func(f proc.Frame) (any, error) {
		req := new(R)
		return req, f.Decode(req)
	}
	return proc.MainParsed(func(_ context.Context, f proc.Frame, c *proc.Conn) error {
		req, err := f.Parsed()
		if err != nil {
			return err
		}
		reply, err := handle(req.(*R), c.Phase)
		if err != nil {
			return err
		}
		if sticky(reply) {
			return c.Finish(reply)
		}
		err = c.Reply(reply)
		for _, do := range after {
			err = errors.Join(err, do())
		}
		return err
	}, parse)
}

// garbagePercent is how much garbage a worker that drives a GPU lets come together, in hundredths of what it keeps or
// of 4 MiB. It keeps little, and who looks for garbage while a candidate holds the GPU wants processors that are busy.
const garbagePercent = 400

// TolerateGarbage has a worker that drives a GPU look for garbage less often.
func TolerateGarbage() { debug.SetGCPercent(garbagePercent) }

// Files are what a device worker inherits: the output memory, and what its arguments name, in this order. "inputs" is
// the input memory, "truth" the truth memory, which only a process has that runs no candidate.
type Files struct {
	Out    *os.File
	Inputs []byte
	Truth  []byte
}

// Inherit opens the files of a worker with the given arguments. The output memory may be the device's: it is opened
// when Prepare has told so.
func Inherit(args []string) (f Files, err error) {
	if f.Out, err = proc.Inherited(0); err != nil {
		return f, err
	}
	next := 1
	for name, into := range map[string]*[]byte{"inputs": &f.Inputs, "truth": &f.Truth} {
		at := slices.Index(args, name)
		if at < 0 {
			continue
		}
		if *into, err = Mapped(next + at); err != nil {
			return f, err
		}
	}
	return f, nil
}

// Mapped is the memory of an inherited file.
func Mapped(i int) ([]byte, error) {
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

// sticky reports whether the process is lost for its device.
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
