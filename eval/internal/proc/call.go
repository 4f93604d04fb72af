package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"darwarp/kernels"
)

// patient is a context that ends with ctx, unless somebody far faster has overtaken what the call is for.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if why := context.Cause(ctx); !errors.Is(why, kernels.ErrOvertaken) {
			cancel(why)
		}
	})
	return out, func() { stop(); cancel(nil) }
}

// Call sends req and fills reply, both JSON and, where Attached, with raw bytes; a nil reply ignores
// the answer. onPhase, when not nil, hears what the worker announces; it must not block. After
// any error the worker is dead, or (with ErrUnkillable in the chain) beyond reach: *Died, *Deadline,
// *Garbage, or the context's error. A deadline of 0 waits as long as ctx. A call that somebody far faster has overtaken
// (kernels.ErrOvertaken) goes on to its end.
func (w *Worker) Call(ctx context.Context, req, reply any, deadline time.Duration, onPhase func(string)) error {
	w.calling.Lock()
	defer w.calling.Unlock()
	if err := w.endedBy(); err != nil {
		return err
	}
	frame, err := Encode(req)
	if err != nil {
		return err // nothing was sent
	}
	w.lastID++
	w.phase = ""
	w.memory.look()
	defer w.watchStops()()
	ctx, end := patient(ctx)
	defer end()
	answer, err := w.exchange(ctx, frame, deadline, onPhase)
	if err == nil {
		if err = answer.Decode(reply); err != nil {
			err = fmt.Errorf("%w: reply: %v", errGarbage, err)
		}
	}
	if errors.Is(err, errTooLong) {
		return err // nothing was sent
	}
	if err != nil {
		return w.fail(ctx, err, deadline)
	}
	w.mu.Lock()
	w.calls++
	w.mu.Unlock()
	return nil
}

// exchange sends a request and receives until its reply.
func (w *Worker) exchange(ctx context.Context, f Frame, deadline time.Duration, onPhase func(string)) (Frame, error) {
	var until time.Time
	if deadline > 0 {
		until = time.Now().Add(deadline)
	}
	w.unread.late = 0
	if err := w.send(ctx, f, until); err != nil {
		return Frame{}, err
	}
	for range maxPhases {
		e, blob, err := w.receive(ctx, until)
		switch {
		case err != nil:
			return Frame{}, err
		case e.ID != w.lastID:
			return Frame{}, fmt.Errorf("%w: id %d, asked for %d", errGarbage, e.ID, w.lastID)
		case e.Kind == kindPhase:
			w.phase = printable(e.Phase)
			if onPhase != nil {
				onPhase(w.phase)
			}
		case e.Kind == kindReply:
			if e.Final {
				w.end(fmt.Errorf("%w: it has sent its last reply", ErrClosed))
			}
			return Frame{Body: e.Body, Blob: blob}, nil
		default:
			return Frame{}, fmt.Errorf("%w: a %q", errGarbage, e.Kind)
		}
	}
	return Frame{}, fmt.Errorf("%w: more than %d phases", errGarbage, maxPhases)
}

// send writes the frame of a call.
func (w *Worker) send(ctx context.Context, f Frame, until time.Time) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	e, blob, err := w.request(f)
	if err != nil {
		return err
	}
	_ = w.to.SetWriteDeadline(until)
	defer context.AfterFunc(ctx, func() { _ = w.to.SetWriteDeadline(time.Unix(1, 0)) })()
	return writeFrame(w.to, e, blob)
}

// receive reads one frame; the zero time is no deadline.
func (w *Worker) receive(ctx context.Context, until time.Time) (envelope, []byte, error) {
	w.mu.Lock()
	if !w.dead { // else reap's own short deadline stands
		_ = w.from.SetReadDeadline(until)
	}
	w.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { _ = w.from.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	return readFrame(w.in)
}

// fail turns a broken exchange into the error that says whose fault it is, and makes sure that the
// worker is gone.
func (w *Worker) fail(ctx context.Context, cause error, deadline time.Duration) error {
	w.mu.Lock()
	dead, closed := w.dead, w.ended
	w.mu.Unlock()
	var why error
	switch {
	case closed != nil:
		why = closed
	case ctx.Err() != nil:
		why = context.Cause(ctx)
	case errors.Is(cause, errGarbage):
		why = &Garbage{Phase: w.phase, Reason: cause.Error()}
	case errors.Is(cause, os.ErrDeadlineExceeded) && !dead:
		why = &Deadline{Phase: w.phase, After: deadline}
	default:
		// The pipe ended, so the process is about to. One that closed its pipe and lives on is killed.
		w.await(ending)
	}
	if err := w.destroy(); err != nil {
		w.end(err)
		return errors.Join(why, err)
	}
	if why == nil {
		why = w.died()
	}
	w.end(why)
	return why
}

// died reads the verdict from the reaped process.
func (w *Worker) died() *Died {
	d := &Died{Phase: w.phase, Stderr: w.Stderr(), Fatal: fatalSignal(w.stderr.begin())}
	if status, ok := w.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		d.Signal = status.Signal()
		d.Memory = w.memory.struck(d.Signal)
	} else {
		d.ExitCode = w.cmd.ProcessState.ExitCode()
	}
	return d
}

// printable bounds a phase: it reaches logs and terminals.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s[:min(len(s), maxPhase)])
}
