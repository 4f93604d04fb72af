package session

import (
	"errors"
	"fmt"
	"os"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/eval/trace"
)

// Record has what is opened for the target recorded in the file that --trace names, until end is called.
func (t *Target) Record() (end func() error, err error) {
	if t.TraceFile == "" {
		return func() error { return nil }, nil
	}
	if err := console.CheckFile(t.TraceFile); err != nil {
		return nil, exit.Usagef("--trace: %w", err)
	}
	f := &late{path: t.TraceFile}
	t.trace = trace.New(f)
	return func() error { return errors.Join(t.trace.Close(), f.close()) }, nil
}

// late is a file that is made when something is written: what was there stays where a command is refused.
type late struct {
	path string
	file *os.File
}

func (l *late) Write(p []byte) (n int, err error) {
	if l.file == nil {
		if l.file, err = os.Create(l.path); err != nil {
			return 0, exit.Usagef("--trace: %s: %w", l.path, files.Reason(err))
		}
	}
	if n, err = l.file.Write(p); err != nil {
		err = fmt.Errorf("--trace: %s cannot be written: %w", l.path, files.Reason(err))
	}
	return n, err
}

func (l *late) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
