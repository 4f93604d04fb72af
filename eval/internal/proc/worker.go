package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Worker is the parent's handle of a worker process. Its methods may be called from several
// goroutines; calls are served one at a time.
type Worker struct {
	spec   Spec
	pid    int
	cmd    *exec.Cmd
	stderr tail
	memory shortage

	pipes

	calling sync.Mutex // held by the one Call in progress, which reads, and by Close's polite part
	lastID  uint64
	phase   string // announced last

	writing sync.Mutex // held while something is written to the worker, ahead of a call too
	ahead   aheads

	life
}

// pipes are what a worker is asked and answers by.
type pipes struct {
	to     *os.File // requests
	from   *os.File // replies
	unread *pipe    // the same
	in     *bufio.Reader
}

// life is what has become of a worker.
type life struct {
	gone chan struct{} // closed once the process was reaped and its output read

	mu    sync.Mutex // guards what follows
	dead  bool       // the process ended: its id may not be signalled any more
	ended error      // why no further call is possible
	calls int        // that were answered
}

// pipeRoom is how many bytes a pipe holds, where the system allows it.
const pipeRoom = 1 << 20

// Start starts a worker and waits for its hello. The worker lives until it fails, Close is called,
// or this process ends; ctx only bounds the start.
func Start(ctx context.Context, spec Spec) (*Worker, error) {
	w := &Worker{spec: spec.withDefaults(), life: life{gone: make(chan struct{})}, phase: "start"}
	if err := w.spawn(); err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	hello, _, err := w.receive(ctx, time.Now().Add(w.spec.Hello))
	if err == nil && (hello.Kind != kindHello || hello.Version != version) {
		err = fmt.Errorf("%w: the worker speaks protocol %d, this is %d (was the program replaced?)", errGarbage,
			hello.Version,
			version)
	}
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", w.fail(ctx, err, w.spec.Hello))
	}
	w.phase = ""
	w.memory.look()
	return w, nil
}

// spawn makes the pipes and starts the process.
func (w *Worker) spawn() error {
	var pipes []*os.File
	for range 3 {
		r, wr, err := os.Pipe()
		if err != nil {
			closeAll(pipes)
			return err
		}
		pipes = append(pipes, r, wr)
		widen(wr)
	}
	requests, to, from, replies, errR, errW := pipes[0], pipes[1], pipes[2], pipes[3], pipes[4], pipes[5]
	w.to, w.from, w.unread = to, from, &pipe{file: from}
	w.in = bufio.NewReader(w.unread)
	cmd, err := w.spec.command(requests, replies, errW)
	if err == nil {
		w.cmd = cmd
		started := make(chan error)
		go w.own(started, errR)
		err = <-started
	}
	closeAll([]*os.File{requests, replies, errW})
	if err != nil {
		closeAll([]*os.File{to, from, errR})
	}
	return err
}

// widen makes room in a pipe, so that a request with its machine code goes at once, not in parts for each of which the
// reader is woken. Where the system does not allow it, it goes in parts.
func widen(pipe *os.File) {
	if c, err := pipe.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeRoom) })
	}
}

// own starts the process and waits for its end, on a thread of its own: Pdeathsig fires when the
// thread that forked ends, and niceness is a thread's. The thread is never unlocked, so it ends
// with this goroutine, after the process.
func (w *Worker) own(started chan<- error, errR *os.File) {
	runtime.LockOSThread()
	if w.spec.Nice > 0 {
		// A worker that is not nice still works.
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, w.spec.Nice)
	}
	if err := w.cmd.Start(); err != nil {
		started <- err
		return
	}
	w.pid = w.cmd.Process.Pid
	outputRead := make(chan struct{})
	go func() {
		defer close(outputRead)
		_, _ = io.Copy(&w.stderr, &pipe{file: errR}) // ends with the pipe or its deadline
		errR.Close()
	}()
	started <- nil
	w.reap()
	_ = errR.SetReadDeadline(time.Now().Add(drain))
	<-outputRead
	close(w.gone)
}

// reap waits for the end of the process and kills what is left of its group. It looks before it
// reaps, so that the id still belongs to the group when the group is killed.
func (w *Worker) reap() {
	for errors.Is(unix.Waitid(unix.P_PID, w.pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	w.mu.Lock()
	_ = syscall.Kill(-w.pid, syscall.SIGKILL)
	w.dead = true
	// A child that left the group may keep the pipe open; what the worker wrote is in it already.
	_ = w.from.SetReadDeadline(time.Now().Add(drain))
	w.mu.Unlock()
	_ = w.cmd.Wait() // the state is read from ProcessState
}

// kill ends the process group, if it still exists.
func (w *Worker) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.dead {
		_ = w.spec.kill(w.pid)
	}
}

// await waits until the process is gone, at most d.
func (w *Worker) await(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-w.gone:
		return true
	case <-timer.C:
	}
	select { // both were ready
	case <-w.gone:
		return true
	default:
		return false
	}
}

// destroy kills and waits, boundedly, and only once for a worker that cannot be killed.
func (w *Worker) destroy() error {
	w.kill()
	patience := w.spec.reap
	if errors.Is(w.endedBy(), ErrUnkillable) {
		patience = 0
	}
	if !w.await(patience) {
		return fmt.Errorf("%w (process %d)", ErrUnkillable, w.pid)
	}
	w.to.Close()
	w.from.Close()
	return nil
}

// Close asks the worker to end, waits a second, and kills it. A call in progress is cut short. The
// only error is ErrUnkillable.
func (w *Worker) Close() error {
	w.end(ErrClosed)
	if w.calling.TryLock() {
		w.to.Close() // the worker takes the end of its requests as the order to end
		w.await(grace)
		w.calling.Unlock()
	}
	return w.destroy()
}

// Alive reports whether the worker can take another call, as far as is known.
func (w *Worker) Alive() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.dead && w.ended == nil
}

// Calls is the number of calls that were answered.
func (w *Worker) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// PID is the process id, which is also its group's.
func (w *Worker) PID() int { return w.pid }

// Stderr is the end of what the worker wrote to standard error, at most 8 KiB.
func (w *Worker) Stderr() string { return w.stderr.String() }

// end records why no further call is possible; the first reason stays.
func (w *Worker) end(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = why
	}
}

func (w *Worker) endedBy() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
