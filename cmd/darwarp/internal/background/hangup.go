package background

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/files"
)

// OutliveTerminal lets a search go on when its terminal is closed: from then on what it prints goes to the log
// beside the run, as in a search that was begun with --detach. Nothing is done under nohup, which says the same.
func OutliveTerminal(c *console.Console, run string) (release func()) {
	if signal.Ignored(syscall.SIGHUP) {
		return func() {}
	}
	var gone []int // asked now: a terminal that has hung up answers no question
	for fd := range 3 {
		if term.IsTerminal(fd) {
			gone = append(gone, fd)
		}
	}
	hangup, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		select {
		case <-hangup:
		case <-done:
			return
		}
		if err := redirect(gone, logOf(run)); err != nil {
			return // there is nobody to tell
		}
		c.Sayf("The terminal was closed; the search continues. darwarp watch %s shows it, darwarp stop %s ends it.", run, run)
	}()
	return func() {
		signal.Stop(hangup)
		close(done)
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
