// Package runner has the processes of one device: the worker that runs candidates, for one caller at a time and for
// those who are urgent first, and the judge or checker of what they put out, which share memory with it. Workers that
// are lost are replaced; for what a candidate did to one it is blamed.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Setup is what a device's workers are started with.
type Setup struct {
	Log     *slog.Logger
	Trace   *trace.Recorder
	Row     string // of the trace
	Role    Role
	Open    device.Open
	Prepare device.Prepare
}

// Runner owns the device worker: one at a time, replaced after any fault, because a CUDA fault
// poisons its process for good. A call has the device to itself.
type Runner struct {
	Setup
	Library []device.Library // looked for again in every new worker
	Out     *proc.Shared     // nil where a judge on the GPU has the outputs
	Inputs  *proc.Shared     // taken where prepare says that they are given; nil: there are none
	Judge   Judge            // of the outputs

	using  atomic.Int32 // callers that have the device, 0 or 1
	mu     *turns
	worker *proc.Worker
	live   atomic.Pointer[proc.Worker] // the same, for who has not got the device
	wrote  *os.File                    // the output memory of this worker
	usage
	slots
}

// New makes what runs on a device; pools of the same GPU, by its UUID, take it in turn.
func New(s Setup, uuid string) *Runner {
	return &Runner{Setup: s, Judge: Judge{log: s.Log}, mu: turnsOf(uuid)}
}

// usage is what a runner has made of the device so far.
type usage struct {
	starts int           // of workers
	failed int           // starts in a row that failed
	busy   time.Duration // that calls have held the device
	since  time.Time     // the first call
}

// Deadlines of what is not a candidate's run.
const (
	OpenDeadline  = 60 * time.Second
	FillDeadline  = 120 * time.Second
	TruthDeadline = 10 * time.Minute
)

// ready starts and prepares a worker when there is none. The caller holds mu.
func (r *Runner) ready(ctx context.Context) error {
	args, files, err := r.inherited(ctx)
	if err != nil {
		return err
	}
	if r.worker != nil && r.worker.Alive() && r.wrote == files[0] {
		return nil
	}
	if r.worker != nil {
		if err := r.worker.Close(); err != nil { // unkillable: the device is suspect
			return fmt.Errorf("the device hangs, and so is %w: %w. It may take a restart of the machine", ErrGone, err)
		}
		r.worker = nil
	}
	if err := rest(ctx, r.failed); err != nil {
		return err
	}
	defer trace.Begin(ctx, "start a device worker").End()
	w, _, err := Start(ctx, r.Role, r.Open, args, files...)
	if err == nil {
		if err = r.fill(ctx, w); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err != nil {
		switch r.failed++; {
		case ctx.Err() != nil:
			return err
		case r.failed < len(Respite):
			return fmt.Errorf("%w: %w", kernels.ErrLost, err)
		}
		return gone("the device", r.failed, err, "See nvidia-smi and darwarp doctor")
	}
	r.starts++
	r.failed, r.worker, r.wrote = 0, w, files[0]
	r.live.Store(w)
	return nil
}

// inherited are the arguments and files of a worker: the output memory, which is the judge's where one works on the
// GPU, and the input memory.
func (r *Runner) inherited(ctx context.Context) (args []string, files []*os.File, err error) {
	if r.Out == nil {
		out, err := r.Judge.outputs(ctx)
		return nil, []*os.File{out}, err
	}
	return []string{"inputs"}, []*os.File{r.Out.File(), r.Inputs.File()}, nil
}

func (r *Runner) fill(ctx context.Context, w *proc.Worker) error {
	if err := w.Call(ctx, device.Request{Prepare: &r.Prepare}, nil, FillDeadline, nil); err != nil {
		return fmt.Errorf("prepare the device: %w", err)
	}
	for i := range r.Library {
		if err := w.Call(ctx, device.Request{Library: &r.Library[i]}, nil, FillDeadline, nil); err != nil {
			return fmt.Errorf("cuBLASLt: %w", err)
		}
	}
	return nil
}

// Lost says that a call ended without a reply: the worker died or had to be killed.
type Lost struct {
	Phase   string
	Timeout bool
	Err     error
}

func (l *Lost) Error() string { return l.Err.Error() }

// Call asks the device worker. A *lost error is to be blamed on what it was doing; other errors are
// ours.
func (r *Runner) Call(ctx context.Context, req device.Request, reply any, deadline time.Duration) error {
	_, err := r.CallAt(ctx, req, reply, deadline)
	return err
}

// CallAt is call that says when the caller got the device.
func (r *Runner) CallAt(ctx context.Context, req device.Request, reply any, deadline time.Duration) (
	start time.Time, err error) {
	return r.callThen(ctx, req, reply, deadline, func() error { return nil })
}

// callThen is callAt that does something more, after a reply, before anybody else gets the device.
func (r *Runner) callThen(ctx context.Context, req device.Request, reply any, deadline time.Duration,
	then func() error) (start time.Time, err error) {
	frame, err := proc.Encode(&req) // before the turn, of whose time it takes milliseconds
	if err != nil {
		return start, err
	}
	if err := r.turn(ctx, &frame); err != nil {
		return start, err
	}
	defer r.mu.Unlock()
	r.using.Add(1)
	defer r.using.Add(-1)
	if err := r.ready(ctx); err != nil {
		return start, err
	}
	seen := r.visit(ctx, req.Name())
	defer seen.end()
	start = time.Now()
	if r.since.IsZero() {
		r.since = start
	}
	phase := ""
	err = r.worker.Call(ctx, frame, reply, deadline, func(p string) {
		phase = p
		seen.next(p)
	})
	seen.next("judge")
	defer func() { r.busy += time.Since(start) }()
	var died *proc.Died
	var late *proc.Deadline
	switch {
	case err == nil:
		return start, then()
	case errors.As(err, &late):
		return start, &Lost{phase, true, err}
	// else somebody killed it
	case errors.As(err, &died) && died.ExitCode != proc.ExitInternal && (died.Signal == 0 || died.Crash()):
		return start, &Lost{phase, false, err}
	case ctx.Err() != nil:
		return start, ctx.Err()
	}
	r.Log.Warn("device worker lost", "phase", phase, "error", err)
	return start, fmt.Errorf("%w: %w", kernels.ErrLost, err)
}

// turn waits for the device. Who has to wait sends the request to its worker ahead: for the worker of a GPU takes
// longer to receive and parse it than a small call runs. The cpu device is timed by the clock, and does nothing beside.
// Where nobody waits for the answer any more the device is given back: the worker would be killed with the call.
func (r *Runner) turn(ctx context.Context, frame *proc.Frame) error {
	defer trace.Begin(ctx, "wait for the device").End()
	if w := r.live.Load(); w != nil && r.Role.Worker == GPU.Worker && r.using.Load() > 0 {
		*frame = w.Ahead(*frame)
	}
	if err := r.mu.take(ctx, callerOf(ctx)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		r.mu.Unlock()
		return err
	}
	kernels.WatchOf(ctx).Begin()
	return nil
}

// Alone does something else on the device while no call does.
func (r *Runner) Alone(what string, do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.visit(context.Background(), what)
	defer seen.end()
	do()
}

// Wake starts a worker where there is none.
func (r *Runner) Wake(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ready(ctx)
}

// Restart ends the worker; the next call starts another.
func (r *Runner) Restart() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.worker == nil {
		return nil
	}
	err := r.worker.Close()
	r.worker = nil
	return err
}

// InUse reports whether somebody has the device.
func (r *Runner) InUse() bool { return r.using.Load() > 0 }

// Close ends the workers.
func (r *Runner) Close() error { return errors.Join(r.Restart(), r.Judge.close()) }

// Load is the share of the time since the first call that the device worker was busy, and how many
// workers were started.
func (r *Runner) Load() (share float64, starts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		return 0, r.starts
	}
	return r.busy.Seconds() / time.Since(r.since).Seconds(), r.starts
}

// SetLibrary tells the runner what to look for again in a fresh worker.
func (r *Runner) SetLibrary(found []device.Library) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Library = found
}
