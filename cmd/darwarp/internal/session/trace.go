package session

import (
	"errors"
	"os"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/eval/trace"
)

// Record has what is opened for the target recorded in the file that --trace names, until end is called.
func (t *Target) Record() (end func() error, err error) {
	if t.TraceFile == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(t.TraceFile)
	if err != nil {
		return nil, exit.Usagef("--trace: %v", err)
	}
	t.trace = trace.New(f)
	return func() error { return errors.Join(t.trace.Close(), f.Close()) }, nil
}
