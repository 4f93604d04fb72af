package main

import (
	"errors"
	"os"

	"darwarp/eval/trace"
)

// traced has what is opened for the target recorded in the file that --trace names, until end is called.
func (t *target) traced() (end func() error, err error) {
	if t.traceFile == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(t.traceFile)
	if err != nil {
		return nil, usagef("--trace: %v", err)
	}
	t.trace = trace.New(f)
	return func() error { return errors.Join(t.trace.Close(), f.Close()) }, nil
}
