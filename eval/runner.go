package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/sandbox"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// runner owns the device worker: one at a time, replaced after any fault, because a CUDA fault
// poisons its process for good. A call has the device to itself.
type runner struct {
	log     *slog.Logger
	role    role
	open    device.Open
	prepare device.Prepare
	library []device.Library // looked for again in every new worker
	out     *proc.Shared     // nil where a judge on the GPU has the outputs
	inputs  *proc.Shared     // taken where prepare says that they are given; nil: there are none
	judge   *judges
	trace   *trace.Recorder

	using  atomic.Int32 // callers that have the device, 0 or 1
	mu     turns
	worker *proc.Worker
	wrote  *os.File // the output memory of this worker
	usage
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
	openDeadline  = 60 * time.Second
	fillDeadline  = 120 * time.Second
	truthDeadline = 10 * time.Minute
)

// startWorker starts a device worker and opens its device.
func startWorker(ctx context.Context, r role, open device.Open, args []string, files ...*os.File) (
	*proc.Worker, device.OpenReply, error) {
	var reply device.OpenReply
	w, err := proc.Start(ctx, proc.Spec{Args: append([]string{"worker", r.worker}, args...), Files: files, Env: r.env,
		Fence: r.fence(open), Nice: r.nice})
	if err != nil {
		return nil, reply, err
	}
	if err := w.Call(ctx, device.Request{Open: &open}, &reply, openDeadline, nil); err != nil {
		return nil, reply, errors.Join(fmt.Errorf("open the device: %w", err), w.Close())
	}
	return w, reply, nil
}

// role is the kind of worker that drives a device.
type role struct {
	worker   string
	env      []string
	devices  []string     // to control
	local    bool         // needs sockets within this machine
	children bool         // starts addr2line, which tells the lines of accesses
	nice     int          // added to its niceness
	sandbox  sandbox.Mode // empty: off
}

// in is the role inside of a sandbox.
func (r role) in(m sandbox.Mode) role {
	r.sandbox = m
	return r
}

// fence lets a device worker read the system and the driver's folder, and control its devices. It
// writes no file, and starts no process unless it looks for races.
func (r role) fence(open device.Open) *sandbox.Profile {
	if r.sandbox == "" {
		return nil
	}
	f := &sandbox.Profile{Mode: r.sandbox, Read: sandbox.System(), Write: append([]string{"/dev/null"}, r.devices...),
		Local: r.local, Children: r.children, FileSize: 1 << 28}
	for _, lib := range []string{open.Driver, open.Library} {
		if path, err := filepath.EvalSymlinks(lib); err == nil && lib != "" {
			f.Read = append(f.Read, filepath.Dir(path), filepath.Dir(lib))
		}
	}
	return f
}

var (
	// The driver must not compile or cache anything beside the measurements: candidates come as machine
	// code. Kernels are loaded when they are asked for, which a candidate's are before the gate: EAGER would load all of
	// cuBLASLt into every fresh worker, 1.1 s of the 1.3 s that one took to be ready on an H200.
	gpuRole = role{
		worker: "gpu",
		env:    []string{"CUDA_DISABLE_PTX_JIT=1", "CUDA_CACHE_DISABLE=1", "CUDA_MODULE_LOADING=LAZY"},
		// devices have more names than a list could hold; the driver names its threads in /proc
		devices: []string{"/dev", "/proc"},
		local:   true,
	}
	cpuRole = role{worker: "cpu"}
)

// respite is how long a device, or the checker, is left alone before each try to start its worker anew. After the last
// it is given up: a driver that restarts, or another process that holds all memory, is gone by then.
var respite = []time.Duration{0, 5 * time.Second, 15 * time.Second, time.Minute}

// rest waits for the next try, after so many that failed.
func rest(ctx context.Context, failed int) error {
	return pause(ctx, respite[min(failed, len(respite)-1)])
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ErrGone is in the chain of an error after which nothing can be evaluated here: the device, the checker or the
// compilers could not be had for long.
var ErrGone = errors.New("gone")

// gone is the error of what was given up after so many tries.
func gone(what string, tries int, err error, do string) error {
	return fmt.Errorf("%s is %w after %d tries in a row: %w. %s", what, ErrGone, tries, err, do)
}

// ready starts and prepares a worker when there is none. The caller holds mu.
func (r *runner) ready(ctx context.Context) error {
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
	w, _, err := startWorker(ctx, r.role, r.open, args, files...)
	if err == nil {
		if err = r.fill(ctx, w); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err != nil {
		switch r.failed++; {
		case ctx.Err() != nil:
			return err
		case r.failed < len(respite):
			return fmt.Errorf("%w: %w", kernels.ErrLost, err)
		}
		return gone("the device", r.failed, err, "See nvidia-smi and darwarp doctor")
	}
	r.starts++
	r.failed, r.worker, r.wrote = 0, w, files[0]
	return nil
}

// inherited are the arguments and files of a worker: the output memory, which is the judge's where one works on the
// GPU, and the input memory.
func (r *runner) inherited(ctx context.Context) (args []string, files []*os.File, err error) {
	if r.out == nil {
		out, err := r.judge.outputs(ctx)
		return nil, []*os.File{out}, err
	}
	return []string{"inputs"}, []*os.File{r.out.File(), r.inputs.File()}, nil
}

func (r *runner) fill(ctx context.Context, w *proc.Worker) error {
	if err := w.Call(ctx, device.Request{Prepare: &r.prepare}, nil, fillDeadline, nil); err != nil {
		return fmt.Errorf("prepare the device: %w", err)
	}
	for i := range r.library {
		if err := w.Call(ctx, device.Request{Library: &r.library[i]}, nil, fillDeadline, nil); err != nil {
			return fmt.Errorf("cuBLASLt: %w", err)
		}
	}
	return nil
}

// lost says that a call ended without a reply: the worker died or had to be killed.
type lost struct {
	phase   string
	timeout bool
	err     error
}

func (l *lost) Error() string { return l.err.Error() }

// call asks the device worker. A *lost error is to be blamed on what it was doing; other errors are
// ours.
func (r *runner) call(ctx context.Context, req device.Request, reply any, deadline time.Duration) error {
	_, err := r.callAt(ctx, req, reply, deadline)
	return err
}

// callAt is call that says when the caller got the device.
func (r *runner) callAt(ctx context.Context, req device.Request, reply any, deadline time.Duration) (
	start time.Time, err error) {
	return r.callThen(ctx, req, reply, deadline, func() error { return nil })
}

// callThen is callAt that does something more, after a reply, before anybody else gets the device.
func (r *runner) callThen(ctx context.Context, req device.Request, reply any, deadline time.Duration,
	then func() error) (start time.Time, err error) {
	frame, err := proc.Encode(&req) // before the turn, of whose time it takes milliseconds
	if err != nil {
		return start, err
	}
	r.turn(ctx)
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
		return start, &lost{phase, true, err}
	// else somebody killed it
	case errors.As(err, &died) && died.ExitCode != proc.ExitInternal && (died.Signal == 0 || died.Crash()):
		return start, &lost{phase, false, err}
	case ctx.Err() != nil:
		return start, ctx.Err()
	}
	r.log.Warn("device worker lost", "phase", phase, "error", err)
	return start, fmt.Errorf("%w: %w", kernels.ErrLost, err)
}

// turn waits for the device.
func (r *runner) turn(ctx context.Context) {
	defer trace.Begin(ctx, "wait for the device").End()
	if isUrgent(ctx) {
		r.mu.LockFirst()
	} else {
		r.mu.Lock()
	}
}

// visit is what a trace shows of somebody who has the device: in the caller's row, and with each phase in the device's.
type visit struct {
	lane                 *trace.Lane
	caller, whole, phase *trace.Span
}

func (r *runner) visit(ctx context.Context, what string) *visit {
	lane := r.trace.Take("device")
	return &visit{lane: lane, caller: trace.Begin(ctx, "on the device"), whole: lane.Begin(what),
		phase: lane.Begin("send")}
}

func (v *visit) next(phase string) {
	v.phase.End()
	v.phase = v.lane.Begin(phase)
}

func (v *visit) end() {
	v.phase.End()
	v.whole.End()
	v.caller.End()
	v.lane.Free()
}

// alone does something else on the device while no call does.
func (r *runner) alone(what string, do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.visit(context.Background(), what)
	defer seen.end()
	do()
}

// restart ends the worker; the next call starts another.
func (r *runner) restart() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.worker == nil {
		return nil
	}
	err := r.worker.Close()
	r.worker = nil
	return err
}

// load is the share of the time since the first call that the device worker was busy, and how many
// workers were started.
func (r *runner) load() (share float64, starts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since.IsZero() {
		return 0, r.starts
	}
	return r.busy.Seconds() / time.Since(r.since).Seconds(), r.starts
}

// setLibrary tells the runner what to look for again in a fresh worker.
func (r *runner) setLibrary(found []device.Library) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.library = found
}
