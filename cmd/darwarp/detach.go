package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
)

// detachedEnv tells a search that it is in the background: its value is the log.
const detachedEnv = "DARWARP_DETACHED"

// startedFD is where a detached search says that it has begun.
const startedFD = 3

// detached is what `search --detach` prints.
type detached struct {
	Run string `json:"run"`
	Log string `json:"log"`
	PID int    `json:"pid"`
}

// detach starts the same search in a session of its own and waits until it has its first verdict. When
// it fails before, its error and exit code are this command's.
func (a *app) detach(ctx context.Context, f searchFlags) error {
	d := detached{Run: record.Locate(f.resume)}
	args := slices.DeleteFunc(slices.Clone(a.args), func(s string) bool { return s == "--json" || strings.HasPrefix(s, "--detach") })
	if d.Run == "" {
		if d.Run = f.store; d.Run == "" {
			name, _, _ := strings.Cut(filepath.Base(f.Problem), ".")
			d.Run = defaultStore(name)
			args = append(args, "--store", d.Run)
		}
	}
	d.Log = logOf(d.Run)
	log, err := os.OpenFile(d.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	from, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	a.Sayf("starting in the background; the log is %s", d.Log)
	code, err := a.background(ctx, args, log, &d)
	switch {
	case err != nil:
		return err
	case code != nil:
		return a.relay(d, from, *code)
	case f.json:
		return a.PrintJSON(d)
	}
	report.Fields(a.Out, "", [2]string{"run", d.Run}, [2]string{"pid", fmt.Sprint(d.PID)}, [2]string{"log", d.Log},
		[2]string{"watch", "darwarp watch " + d.Run}, [2]string{"stop", "darwarp stop " + d.Run})
	return nil
}

func defaultStore(problem string) string {
	return fmt.Sprintf("%s-%s.db", problem, time.Now().Format("20060102-150405"))
}

// background starts the search and waits for its word. The exit code is that of one that ended before it
// gave any.
func (a *app) background(ctx context.Context, args []string, log *os.File, d *detached) (code *int, err error) {
	word, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer word.Close()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = os.Args[0] // what ps shows
	cmd.Env = append(os.Environ(), detachedEnv+"="+d.Log)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = log, log, []*os.File{tell}
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
func (a *app) relay(d detached, from int64, code int) error {
	data, err := os.ReadFile(d.Log)
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
		a.Sayf("the search has ended already:")
		_, err := a.Out.Write(text)
		return err
	}
	why := fmt.Sprintf("the search ended with exit code %d before its first verdict; its log is %s", code, d.Log)
	if at := bytes.LastIndex(append([]byte("\n"), text...), []byte("\ndarwarp: ")); at >= 0 {
		why = strings.TrimSpace(strings.TrimPrefix(string(text[at:]), "darwarp: "))
	}
	return &exit.Error{Code: max(code, exit.Failed), Err: errors.New(why)}
}

// starting tells the command that started this search in the background, once, that it has begun. It is
// nil in a search that nobody detached.
func (a *app) starting(path string) func(evolve.Event) {
	if a.log == "" {
		return nil
	}
	word := os.NewFile(startedFD, "started")
	return func(e evolve.Event) {
		if word == nil || e.Kind != evolve.KindResult || e.Champion.IsZero() {
			return
		}
		// The command that waits may have been killed: the search goes on.
		_ = json.NewEncoder(word).Encode(detached{Run: path, Log: a.log, PID: os.Getpid()})
		_ = word.Close()
		word = nil
	}
}

// noteDetached notes that this process was detached, and keeps that from its own children.
func (a *app) noteDetached() {
	if a.log = os.Getenv(detachedEnv); a.log != "" {
		_ = os.Unsetenv(detachedEnv)
		syscall.CloseOnExec(startedFD)
	}
}
