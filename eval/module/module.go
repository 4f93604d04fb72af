// Package module reads modules of PyTorch from files of strangers. A Python process in the sandbox runs the file, on
// tensors without memory, exports what the module computes, and runs it in fp64 on small inputs. Nothing that it sends
// is believed beyond its type.
package module

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/sandbox"
	"darwarp/eval/internal/torch"
	"darwarp/kernels"
)

//go:embed python/*.py
var scripts embed.FS

// Deadlines: importing torch reads a gigabyte.
const (
	startDeadline   = 2 * time.Minute
	computeDeadline = time.Minute
)

// readDeadline is for a file that is run some forty times, to see what follows its sizes. Tests make it shorter.
var readDeadline = 3 * time.Minute

// Reader is a running Python that reads one module.
type Reader struct {
	worker  *proc.Worker
	own     string // folder, removed at the end
	version string
}

// Question asks for a module.
type Question struct {
	Source string         `json:"source"` // text of the file
	Name   string         `json:"name"`   // of the problem
	Class  string         `json:"class"`  // empty: Model, or the only one
	Dims   map[string]int `json:"dims"`   // sizes in place of the file's, by name
	Eval   bool           `json:"eval"`   // in evaluation, where dropout does nothing

	Precision string `json:"precision,omitempty"` // one of Precisions, of all floating numbers; empty: the file's own
}

// Precisions are what a module can be read in. In tf32 numbers are fp32, and products may round their operands.
func Precisions() []string { return []string{"fp32", "tf32", "fp16", "bf16"} }

// Answer is a module that was read.
type Answer struct {
	Graph []byte            // JSON, in the format that templates/graph reads
	Notes []string          // what the user should know
	Paths map[string]string // a tensor's name to its name in the module
}

// Buffer is a tensor of a call of Compute: its name in the module, what it is (input, parameter, buffer), and the type
// of its numbers, as in a graph.
type Buffer struct {
	Torch string `json:"torch"`
	Kind  string `json:"kind"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
}

// NoGPU stands in the place of a GPU's index: a module runs on the processor.
const NoGPU = -1

// Start starts Python with torch, in the sandbox as mode (eval.SandboxBest, ...) says. The truth of a case is computed
// on the GPU of that index, as the driver counts them, and on the processor where torch does not work there. A *Missing
// says what is not here.
func Start(ctx context.Context, mode sandbox.Mode, gpu int) (*Reader, error) {
	if err := sandbox.Check(mode); err != nil {
		return nil, &Missing{err.Error()}
	}
	if mode != sandbox.Off && !sandbox.Here().Files() {
		return nil, &Missing{"this kernel has no Landlock, so the module could read and write every file of this user " +
			"(--sandbox off allows that)"}
	}
	p, err := locate(ctx)
	if err != nil {
		return nil, err
	}
	r, err := prepared()
	if err != nil {
		return nil, err
	}
	err = r.start(ctx, p, mode, gpu)
	if err != nil && gpu != NoGPU && ctx.Err() == nil { // its driver may end a process that it does not like
		_ = r.end()
		err = r.start(ctx, p, mode, NoGPU)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// prepared is a reader with its folder, without a process.
func prepared() (*Reader, error) {
	own, err := os.MkdirTemp("", "darwarp-module-")
	if err != nil {
		return nil, err
	}
	r := &Reader{own: own}
	err = errors.Join(os.CopyFS(own, subFS()), os.WriteFile(filepath.Join(own, "frames.py"), []byte(torch.Frames), 0o644))
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Reader) start(ctx context.Context, p python, mode sandbox.Mode, gpu int) error {
	spec := proc.Spec{Args: []string{filepath.Join(r.own, "main.py")}, Dir: r.own, Fence: p.fence(mode, r.own, gpu),
		Env: append(torch.Environ(), "HOME="+r.own, "TMPDIR="+r.own, "USER=darwarp", "TORCHINDUCTOR_CACHE_DIR="+r.own)}
	if gpu == NoGPU {
		spec.Env = append(spec.Env, "CUDA_VISIBLE_DEVICES=")
	}
	if spec.Fence == nil {
		spec.Exe = p.path
	}
	var got reply
	var err error
	if r.worker, err = proc.Start(ctx, spec); err != nil {
		err = r.failure(ctx, err)
	} else {
		req := map[string]int{"threads": min(runtime.NumCPU(), maxThreads), "gpu": gpu}
		err = r.call(ctx, "start", req, nil, &got, startDeadline)
	}
	if no := new(Refused); errors.As(err, &no) { // no module was shown to it yet
		return &Missing{p.path + ": " + no.Why}
	}
	r.version = kernels.CleanLine(got.Version, 40)
	return err
}

// maxThreads is more than small tensors keep busy.
const maxThreads = 8

func subFS() fs.FS {
	sub, err := fs.Sub(scripts, "python")
	if err != nil {
		panic(err) // the name is no path
	}
	return sub
}

// Version is torch's.
func (r *Reader) Version() string { return r.version }

// Close ends the process and removes its folder.
func (r *Reader) Close() error { return errors.Join(r.end(), os.RemoveAll(r.own)) }

func (r *Reader) end() (err error) {
	if r.worker != nil {
		err = r.worker.Close()
	}
	r.worker = nil
	return err
}

// reply has all that may be answered.
type reply struct {
	Refused string            `json:"refused"`
	Version string            `json:"version"`
	Graph   json.RawMessage   `json:"graph"`
	Notes   []string          `json:"notes"`
	Torch   map[string]string `json:"torch"`
	Shapes  [][]int           `json:"shapes"`
	Unfit   string            `json:"unfit"`
	Terms   int               `json:"terms"`
	Bytes   []byte            `json:"-"`
}

// Blob holds raw bytes.
func (r *reply) Blob() *[]byte { return &r.Bytes }

// call asks. A process that dies, hangs or sends garbage is the file's fault.
func (r *Reader) call(ctx context.Context, what string, req any, blob []byte, into *reply,
	deadline time.Duration) error {
	err := r.worker.Call(ctx, torch.NewRequest(what, req, blob), into, deadline, nil)
	if err != nil {
		return r.failure(ctx, err)
	}
	if into.Refused != "" {
		return refused(into.Refused)
	}
	return nil
}

func (r *Reader) failure(ctx context.Context, err error) error {
	var late *proc.Deadline
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, proc.ErrUnkillable):
		return err
	case errors.As(err, &late):
		return refused("it does not end")
	}
	return refused("its process ended: " + err.Error())
}
