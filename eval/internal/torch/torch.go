// Package torch runs what a user of torch would run instead, in a Python process of its own, where a small helper
// uses the same frames as a worker. It is the user's Python with the user's torch; it never sees a candidate.
package torch

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

//go:embed fresh.py
var fresh string

//go:embed helper.py
var helper string

// Deadlines: importing torch reads a gigabyte, and torch.compile with autotuning takes minutes.
const (
	openDeadline    = 2 * time.Minute
	prepareDeadline = 5 * time.Minute
	sampleDeadline  = time.Minute
)

// Failure is a fault of torch or of a declared call: the baseline is missing, darwarp is not broken.
type Failure struct{ Why string }

func (f *Failure) Error() string { return f.Why }

// Helper is a running Python with torch.
type Helper struct {
	worker *proc.Worker
	python string
	about  string
}

// Call is a baseline at one size.
type Call struct {
	Call    string           `json:"call"`
	Backend string           `json:"backend"`
	TF32    bool             `json:"tf32"`             // products in fp32 may round to tf32
	Module  string           `json:"module,omitempty"` // that the call sees besides
	Dims    kernels.Dims     `json:"dims"`
	Buffers []kernels.Buffer `json:"buffers"`
	Maker   string           `json:"maker,omitempty"` // gives the inputs that follow from the others, as a tuple
}

// Run says how a call is timed: in graphs of calls over a number of sets of buffers.
type Run struct {
	Call
	Key      string  `json:"key"`
	Class    string  `json:"class"` // of inputs
	Cache    string  `json:"cache"`
	Sets     int     `json:"sets"`
	Flush    int     `json:"flush"`  // bytes, at cold
	Region   float64 `json:"region"` // ns that a graph should last
	MaxCalls int     `json:"max_calls"`
}

// Python is the interpreter that has torch: DARWARP_PYTHON, else python3.
func Python() (path string, err error) {
	name := os.Getenv("DARWARP_PYTHON")
	if name == "" {
		name = "python3"
	}
	if path, err = exec.LookPath(name); err != nil {
		return "", &Failure{fmt.Sprintf("%s not found: set DARWARP_PYTHON to a Python that has torch", name)}
	}
	return path, nil
}

// fromUser are the variables that Python and torch.compile need besides those that every worker inherits.
var fromUser = []string{"HOME", "USER", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME",
	"PYENV_VERSION", "CC", "CXX"}

// Environ is what Python and torch get of the environment beside what every worker inherits.
func Environ() []string {
	// One thread compiles: a pool of processes would outlive the helper.
	env := []string{"TORCHINDUCTOR_COMPILE_THREADS=1", "PYTHONDONTWRITEBYTECODE=1"}
	for _, name := range fromUser {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// Load starts the helper and has it import torch, and what compiles where some baseline does. It does not touch a GPU.
// A *Failure says in one line what is missing.
func Load(ctx context.Context, compiles bool) (*Helper, error) {
	python, err := Python()
	if err != nil {
		return nil, err
	}
	w, err := proc.Start(ctx, proc.Spec{Exe: python, Args: []string{"-c", Frames + fresh + helper}, Env: Environ()})
	if err != nil {
		return nil, &Failure{fmt.Sprintf("%s does not start: %v", python, err)}
	}
	h := &Helper{worker: w, python: python}
	if err := h.ready(ctx, "load", map[string]bool{"compiles": compiles}); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return h, nil
}

// Open takes a GPU. A *Failure says in one line what is missing.
func (h *Helper) Open(ctx context.Context, gpu int) error {
	return h.ready(ctx, "open", map[string]int{"index": gpu})
}

// ready has the helper do what comes before all baselines.
func (h *Helper) ready(ctx context.Context, what string, req any) error {
	var done reply
	_, err := h.call(ctx, what, req, nil, &done, openDeadline)
	var f *Failure
	if errors.As(err, &f) {
		return &Failure{fmt.Sprintf("%s: %s (DARWARP_PYTHON names another Python)", h.python, f.Why)}
	}
	h.about = "torch " + done.Version
	return err
}

// About is torch's version.
func (h *Helper) About() string { return h.about }

// Alive reports whether the process can be asked, as far as is known.
func (h *Helper) Alive() bool { return h.worker.Alive() }

// Close ends the process.
func (h *Helper) Close() error { return h.worker.Close() }

// reply has all that the helper may answer.
type reply struct {
	Failure  string    `json:"failure,omitempty"`
	Version  string    `json:"version,omitempty"`
	Device   string    `json:"device,omitempty"`
	Estimate float64   `json:"estimate,omitempty"`
	Samples  []float64 `json:"samples,omitempty"`
	Bytes    []byte    `json:"-"`
}

// Blob holds raw bytes.
func (r *reply) Blob() *[]byte { return &r.Bytes }

// call asks the helper. A helper that died or hung is the baseline's failure too.
func (h *Helper) call(ctx context.Context, what string, req any, blob []byte, into *reply,
	deadline time.Duration) (*reply, error) {
	err := h.worker.Call(ctx, NewRequest(what, req, blob), into, deadline, nil)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &Failure{err.Error()}
	case into.Failure != "":
		return nil, &Failure{kernels.CleanDetail(into.Failure)}
	}
	return into, nil
}

// Check runs a call once on given inputs, concatenated in order, and returns its outputs likewise.
func (h *Helper) Check(ctx context.Context, c Call, inputs []byte) ([]byte, error) {
	got, err := h.call(ctx, "check", c, inputs, &reply{}, prepareDeadline)
	if err != nil {
		return nil, err
	}
	return got.Bytes, nil
}

// Prepare compiles and captures a run, in place of the one before, and returns its estimated ns per call.
func (h *Helper) Prepare(ctx context.Context, r Run) (float64, error) {
	got, err := h.call(ctx, "prepare", r, nil, &reply{}, prepareDeadline)
	if err != nil {
		return 0, err
	}
	return got.Estimate, nil
}

// Sample takes samples of the prepared run, in ns per call.
func (h *Helper) Sample(ctx context.Context, key string, count int) ([]float64, error) {
	got, err := h.call(ctx, "sample", map[string]any{"key": key, "count": count}, nil, &reply{}, sampleDeadline)
	if err != nil {
		return nil, err
	}
	if len(got.Samples) != count {
		return nil, &Failure{fmt.Sprintf("%d samples arrived, %d were requested", len(got.Samples), count)}
	}
	for _, ns := range got.Samples {
		if !(ns > 0 && ns < 1e13) {
			return nil, &Failure{fmt.Sprintf("a sample of %g ns", ns)}
		}
	}
	return got.Samples, nil
}
