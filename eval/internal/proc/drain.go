package proc

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipe reads what a worker writes. What stands in the pipe at a deadline is read after it, too: a busy machine may keep
// this process waiting for longer than the worker took, and a file whose deadline has passed gives nothing.
type pipe struct {
	file *os.File
	late int // bytes that were read after the deadline: more than a pipe holds would be no end
}

func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || p.late >= pipeRoom {
		return n, err
	}
	conn, connErr := p.file.SyscallConn()
	if connErr != nil {
		return 0, err
	}
	got, readErr := 0, error(nil)
	// A pipe that os.Pipe made does not block.
	connErr = conn.Control(func(fd uintptr) { got, readErr = unix.Read(int(fd), b[:min(len(b), pipeRoom-p.late)]) })
	switch {
	case connErr != nil || readErr != nil:
		return 0, err
	case got == 0:
		return 0, io.EOF
	}
	p.late += got
	return got, nil
}
