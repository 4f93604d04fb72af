package background

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/files"
)

// Terminal is what a search was started from, and may outlive.
type Terminal struct {
	console *console.Console
	files   []int       // standard ones that are the terminal
	run     chan string // named once
	done    chan struct{}
	closed  chan struct{}
	hangup  chan os.Signal
}

// OutliveTerminal lets a search go on when its terminal is closed, from the first moment on: what it prints then goes
// to the log beside the run, once Log has said which, as in a search that was begun with --detach. Nothing is done
// under nohup, which says the same.
func OutliveTerminal(c *console.Console) *Terminal {
	t := &Terminal{console: c, run: make(chan string, 1), done: make(chan struct{}),
		closed: make(chan struct{}), hangup: make(chan os.Signal, 1)}
	if signal.Ignored(syscall.SIGHUP) {
		return t
	}
	for fd := range 3 {
		if term.IsTerminal(fd) { // asked now: a terminal that has hung up answers no question
			t.files = append(t.files, fd)
		}
	}
	signal.Notify(t.hangup, syscall.SIGHUP)
	go t.outlive()
	return t
}

// Log says which run the search is of.
func (t *Terminal) Log(run string) { t.run <- run }

// Closed is closed once the terminal is gone and what is printed goes to the log.
func (t *Terminal) Closed() <-chan struct{} { return t.closed }

// Release ends the watch. The terminal may end the process again.
func (t *Terminal) Release() {
	signal.Stop(t.hangup)
	close(t.done)
}

// outlive waits for the end of the terminal, and for a log.
func (t *Terminal) outlive() {
	select {
	case <-t.hangup:
	case <-t.done:
		return
	}
	select {
	case run := <-t.run:
		defer close(t.closed)
		if err := redirect(t.files, logOf(run)); err != nil {
			return // there is nobody to tell
		}
		t.console.Sayf("The terminal was closed; the search continues. %s shows it, %s ends it.",
			cmdline.Of("watch", run), cmdline.Of("stop", run))
	case <-t.done:
	}
}

// logOf is the log beside a run.
func logOf(run string) string { return strings.TrimSuffix(run, filepath.Ext(run)) + ".log" }

// redirect makes standard input empty, and lets the outputs among the descriptors go to a log.
func redirect(fds []int, path string) error {
	if len(fds) == 0 {
		return nil
	}
	log, err := files.Append(path)
	if err != nil {
		return err
	}
	defer log.Close()
	none, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer none.Close()
	for _, fd := range fds {
		to := log
		if fd == 0 {
			to = none
		}
		err = errors.Join(err, syscall.Dup3(int(to.Fd()), fd, 0))
	}
	return err
}
