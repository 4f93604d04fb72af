package proc

import (
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestReadAfterADeadline: what was written before somebody looked is read, however late that is, but no more than a
// pipe holds; the end is the end.
func TestReadAfterADeadline(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	p := &pipe{file: r}
	read := func(want int, wantErr error) {
		t.Helper()
		b := make([]byte, 100)
		if n, err := p.Read(b); n != want || !errors.Is(err, wantErr) {
			t.Errorf("%d bytes, %v: expected %d, %v", n, err, want, wantErr)
		}
	}
	write := func() {
		t.Helper()
		if _, err := w.Write(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
	}
	read(0, os.ErrDeadlineExceeded)
	write()
	read(10, nil)
	read(0, os.ErrDeadlineExceeded)
	write()
	p.late = pipeRoom - 4
	read(4, nil)
	read(0, os.ErrDeadlineExceeded)
	p.late = 0
	read(6, nil)
	w.Close()
	read(0, io.EOF)
}

// TestStopped: a worker that somebody has stopped is killed long before its deadline.
func TestStopped(t *testing.T) {
	w := start(t, Spec{stops: 10 * time.Millisecond})
	_, err := do(t, w, "stop", 0, time.Hour)
	if d := new(*Died); !errors.As(err, d) || (*d).Signal != syscall.SIGKILL {
		t.Errorf("%v: expected that it was killed", err)
	}
}
