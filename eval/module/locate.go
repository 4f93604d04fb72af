package module

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"time"

	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/sandbox"
	"darwarp/eval/internal/torch"
	"darwarp/kernels"
)

// where asks a Python for the folders that it reads, and for torch's, without importing anything of either.
const where = `import importlib.util, json, sys
spec = importlib.util.find_spec("torch")
print(json.dumps({"torch": spec.origin if spec else "", "python": sys.executable,
                  "folders": [sys.prefix, sys.base_prefix, *filter(None, sys.path)]}))`

// askDeadline bounds the question.
const askDeadline = 30 * time.Second

// python is an interpreter that has torch, and what it reads.
type python struct {
	path    string
	folders []string
}

// locate finds the interpreter. It runs nothing of a stranger's. A *Missing says what is not here.
func locate(ctx context.Context) (p python, err error) {
	if p.path, err = torch.Python(); err != nil {
		return p, missing(err)
	}
	if p.path, err = filepath.Abs(p.path); err != nil {
		return p, err
	}
	told, err := introduced(ctx, p.path)
	if err != nil {
		return p, err
	}
	if told.Torch == "" {
		return p, &Missing{p.path + " has no torch: install it, or set DARWARP_PYTHON to a Python that has it"}
	}
	p.path = cmp.Or(told.Python, p.path)
	p.folders = append(folders(told.Folders), filepath.Dir(p.path), filepath.Dir(filepath.Dir(told.Torch)))
	return p, nil
}

// itself is what a Python tells of itself.
type itself struct {
	Torch   string
	Python  string // what was found may be a script that starts it, which the sandbox does not allow
	Folders []string
}

// introduced has a Python tell of itself. A *Missing says that it is none, or that it does not run.
func introduced(ctx context.Context, path string) (told itself, err error) {
	within, cancel := context.WithTimeout(ctx, askDeadline)
	defer cancel()
	cmd := exec.CommandContext(within, path, "-c", where)
	cmd.Dir = "/" // a Python looks for modules where it starts
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	why := "it does not answer as a Python does"
	switch known := new(fs.PathError); {
	case ctx.Err() != nil:
		return told, ctx.Err()
	case within.Err() != nil:
		why = fmt.Sprintf("it does not answer within %v", askDeadline)
	case errors.As(err, &known):
		why = known.Err.Error() // without what Go tried
	case err != nil:
		why = err.Error()
	case json.Unmarshal(out, &told) == nil:
		return told, nil
	}
	return told, &Missing{fmt.Sprintf("%s does not run as a Python (%s): set DARWARP_PYTHON to a Python that has torch",
		path, why)}
}

// folders leaves out what holds more than a Python: an entry of its path that is /, or relative.
func folders(all []string) (kept []string) {
	for _, f := range all {
		if filepath.IsAbs(f) && filepath.Clean(f) != "/" {
			kept = append(kept, f)
		}
	}
	return kept
}

// memory is what a process may take: torch itself takes about one, exports hold no tensors.
const memory = 8 << 30

// fence lets Python read itself, write its own folder, and start nothing; and drive a GPU, if it computes there.
func (p python) fence(mode sandbox.Mode, own string, gpu int) *sandbox.Profile {
	if mode == sandbox.Off {
		return nil
	}
	f := &sandbox.Profile{Mode: mode, Program: p.path, Files: true, FileSize: 64 << 20, Memory: memory,
		Read: append(sandbox.System(), p.folders...), Write: []string{own, "/dev/null"}}
	if gpu != NoGPU {
		f.Driver, f.Memory = true, driverMemory
		f.Write = append(f.Write, runner.GPU.Devices()...)
	}
	return f
}

// driverMemory is what a process may take that also drives a GPU: torch's libraries for it and the driver map some.
const driverMemory = 32 << 30

// Missing says in a line what this machine lacks.
type Missing struct{ Why string }

func (m *Missing) Error() string { return m.Why }

// missing turns what the search for torch says into it.
func missing(err error) error {
	var f *torch.Failure
	if errors.As(err, &f) {
		return &Missing{f.Why}
	}
	return err
}

// Refused says in a line why a module is not taken: its file's fault, or that of what it computes.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

// refused is a reason of foreign making.
func refused(why string) error { return &Refused{kernels.CleanLine(why, longestReason)} }

// longestReason in bytes is a line or three on a terminal.
const longestReason = 400
