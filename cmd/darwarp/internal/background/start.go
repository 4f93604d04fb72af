// Package background lets a search go on without the terminal that it was started from.
package background

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/secret"
	"darwarp/evolve"
)

// maxLog bounds what is read of a log in bytes.
const maxLog = 256 << 20

// detachedEnv tells a search that it is in the background: its value is the log.
const detachedEnv = "DARWARP_DETACHED"

// startedFD is where a detached search says that it has begun.
const startedFD = 3

// Started is what `search --detach` prints.
type Started struct {
	Run string `json:"run"`
	Log string `json:"log"`
	PID int    `json:"pid"`
}

// Start starts the same search, as its arguments say, in a session of its own and waits until it has its first verdict.
// When it fails before, its error and exit code are this command's; nil when it ended well before, which has been told.
// The keys go to it through a pipe: an environment can be read by others.
func Start(ctx context.Context, c *console.Console, args []string, run string, keys secret.Env) (*Started, error) {
	d := &Started{Run: run, Log: logOf(run)}
	log, err := files.Append(d.Log)
	if err != nil {
		return nil, fmt.Errorf("the log %s cannot be written: %w", d.Log, files.Reason(err))
	}
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	c.Sayf("starting in the background; the log is %s", d.Log)
	code, err := spawn(ctx, args, log, d, keys)
	if err != nil {
		return nil, err
	}
	if code != nil {
		return nil, relay(c, d, from, *code)
	}
	return d, nil
}

// spawn starts the search and waits for its word. The exit code is that of one that ended before it
// gave any.
func spawn(ctx context.Context, args []string, log *os.File, d *Started, keys secret.Env) (code *int, err error) {
	handed, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	word, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer word.Close()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = os.Args[0] // what ps shows
	cmd.Env = append(os.Environ(), detachedEnv+"="+d.Log, cmdline.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = bytes.NewReader(handed), log, log, []*os.File{tell}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal whose end could end it
	err = errors.Join(cmd.Start(), tell.Close())
	if err != nil {
		return nil, err
	}
	stop := console.OnInterrupt(ctx)
	defer stop.Release()
	// Waiting has not been given up yet, so the search is not left behind either.
	defer context.AfterFunc(stop.Soft, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })()
	if err := json.NewDecoder(word).Decode(d); err == nil {
		return nil, cmd.Process.Release()
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		return nil, err
	}
	n := cmd.ProcessState.ExitCode()
	return &n, nil
}

// relay tells how a detached search ended before it had a verdict, as it said itself in the log.
func relay(c *console.Console, d *Started, from int64, code int) error {
	data, err := files.Read(d.Log, maxLog)
	if err != nil {
		return err
	}
	text := data[min(from, int64(len(data))):]
	if _, err := os.Stat(d.Run); errors.Is(err, os.ErrNotExist) && from == 0 { // nothing was begun: nothing stays
		if err := os.Remove(d.Log); err != nil {
			return err
		}
	}
	if code == exit.Done {
		c.Sayf("the search has ended already:")
		_, err := c.Out.Write(text)
		return err
	}
	why := fmt.Sprintf("the search ended with exit code %d before its first verdict; its log is %s", code, d.Log)
	if at := bytes.LastIndex(append([]byte("\n"), text...), []byte("\ndarwarp: ")); at >= 0 {
		why = strings.TrimSpace(strings.TrimPrefix(string(text[at:]), "darwarp: "))
	}
	return &exit.Error{Code: max(code, exit.Failed), Err: errors.New(why)}
}

// Announce gives what tells the command that started this search in the background, once, that it has begun: log is
// what Inherited said. It is nil in a search that nobody detached.
func Announce(log, run string) func(evolve.Event) {
	if log == "" {
		return nil
	}
	word := os.NewFile(startedFD, "started")
	return func(e evolve.Event) {
		if word == nil || e.Kind != evolve.KindResult || e.Champion.IsZero() {
			return
		}
		// The command that waits may have been killed: the search goes on.
		_ = json.NewEncoder(word).Encode(Started{Run: run, Log: log, PID: os.Getpid()})
		_ = word.Close()
		word = nil
	}
}

// Inherited is the log of this process where it was started in the background, else empty. It keeps that from its own
// children. The keys that come on standard input are added to the others.
func Inherited(stdin io.Reader, keys secret.Env) (log string) {
	if log = os.Getenv(detachedEnv); log == "" {
		return ""
	}
	_ = os.Unsetenv(detachedEnv)
	syscall.CloseOnExec(startedFD)
	_ = json.NewDecoder(stdin).Decode(&keys) // nothing comes where there are none
	return log
}
