// Package importer turns a module of PyTorch into a problem folder: it has the module read in the sandbox, the folder
// made from its graph, and the folder's truth held against the module itself.
package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/files"
	"darwarp/eval/module"
	"darwarp/kernels"
	"darwarp/templates"
	"darwarp/templates/graph"
)

// Made is a problem folder.
type Made struct {
	Files  []string // their names
	Notes  []string
	Torch  string           // version that read the module
	Report templates.Report // what check says
	Cases  int              // on which the reference kernel agrees with the module, or which the module was run on
	// Alone says why no family takes the module whole, which tells the truth itself then; empty: one does
	Alone    string
	Pipeline bool   // a family of several stages takes such a module
	Whole    string // the workload with the module's own size, where a part is searched
}

// ModuleFile is the file of a problem folder that has the module it was made of, as it was.
const ModuleFile = "model.py"

// Names of the other files that are made.
const (
	graphFile   = "graph.json"
	problemFile = "problem.toml"
)

// Run imports a module. The error is a *module.Refused if the module is not taken, a *module.Missing where there is no
// torch, an *env.Error where there is no C++ compiler.
func Run(ctx context.Context, req Request) (made *Made, err error) {
	req.Say("starting Python")
	r, err := module.Start(ctx, req.Sandbox, module.NoGPU)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return run(ctx, r, req)
}

// run imports a module with a Python that was started.
func run(ctx context.Context, r *module.Reader, req Request) (made *Made, err error) {
	req.Say("reading the module")
	read, err := readScaled(ctx, r, req)
	if err != nil {
		return nil, err
	}
	made = &Made{Torch: r.Version(), Notes: read.Notes}
	all, err := req.Convert(read.Graph)
	if err != nil {
		why := kernels.CleanLine(err.Error(), kernels.MaxLine)
		if all, err = alone(ctx, r, read, req, why); err != nil {
			return nil, err
		}
		made.Alone, made.Pipeline = why, graph.HasPipeline(all)
	}
	all = maps.Clone(all)
	if err := read.complete(all, req.Source); err != nil {
		return nil, err
	}
	made.Files = slices.Sorted(maps.Keys(all))
	if read.whole != nil {
		made.Whole = wholeName
	}
	err = write(req.Dir, all, func(dir string) error {
		if made.Report, err = check(dir, req.Devices); err != nil {
			return err
		}
		if made.Alone != "" {
			req.Say("running the module on the check shapes")
			made.Cases, err = tried(ctx, r, read, dir, req)
			return err
		}
		req.Say("comparing the reference kernel with the module")
		made.Cases, err = verify(ctx, r, read, dir, req)
		return err
	})
	return made, err
}

// alone makes the folder of a module that no family takes whole, and says why where that is not wanted or not possible.
func alone(ctx context.Context, r *module.Reader, read *reading, req Request, why string) (map[string][]byte, error) {
	if !req.Alone {
		if g, err := graph.Parse(read.Graph); err != nil || !g.Staged() {
			return nil, &module.Refused{Why: why}
		}
	}
	req.Say("looking for sizes at which the module runs")
	all, err := told(ctx, r, read, req)
	if err != nil {
		return nil, unfit(ctx, why, err)
	}
	if !req.Alone && !graph.HasPipeline(all) {
		return nil, &module.Refused{Why: why}
	}
	return all, nil
}

// unfit refuses a module that no family takes, and that cannot tell the truth either.
func unfit(ctx context.Context, why string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	why += "; and it cannot be its own reference: " + err.Error()
	return &module.Refused{Why: kernels.CleanLine(why, kernels.MaxLine)}
}

// write makes a folder that appears under its name when it is whole, and was looked at.
func write(dir string, all map[string][]byte, look func(dir string) error) error {
	hidden, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(hidden)
	if err := os.Chmod(hidden, 0o755); err != nil {
		return err
	}
	for name, text := range all {
		if !fs.ValidPath(name) || strings.Contains(name, "/") {
			return fmt.Errorf("the folder would have a file %q", name)
		}
		if err := os.WriteFile(filepath.Join(hidden, name), text, 0o644); err != nil {
			return err
		}
	}
	if err := look(hidden); err != nil {
		return err
	}
	return os.Rename(hidden, dir)
}

// check looks for mistakes, as the command does.
func check(dir string, devices []kernels.Device) (templates.Report, error) {
	folder, err := files.OpenFolder(dir)
	if err != nil {
		return templates.Report{}, err
	}
	defer folder.Close()
	r := templates.Check(folder, devices)
	if len(r.Mistakes) > 0 {
		return r, fmt.Errorf("the folder that was made has mistakes: %w", r.Mistakes)
	}
	return r, nil
}

// reading is a module that was read, at the sizes that are searched.
type reading struct {
	*module.Answer
	*outline
	whole map[string]int // the sizes that are not searched, nil: all are
}

// readScaled reads a module, and reads it again where it is searched at other sizes than its own.
func readScaled(ctx context.Context, r *module.Reader, req Request) (*reading, error) {
	q := req.Question
	read, err := readOnce(ctx, r, q)
	if err != nil || req.Scale == 1 {
		return read, err
	}
	name, value, err := read.scaled(req.Scale)
	if err != nil {
		return nil, err
	}
	whole := read.sizes()
	q.Dims = maps.Clone(whole)
	q.Dims[name] = value
	if read, err = readOnce(ctx, r, q); err != nil {
		return nil, err
	}
	if !slices.Equal(slices.Sorted(maps.Keys(read.sizes())), slices.Sorted(maps.Keys(whole))) {
		return nil, &module.Refused{Why: fmt.Sprintf("at %s = %d it has other sizes", name, value)}
	}
	read.whole = whole
	read.Notes = append(read.Notes, fmt.Sprintf("searched at %s = %d; the workload %s has %d", name, value, wholeName,
		whole[name]))
	return read, nil
}

func readOnce(ctx context.Context, r *module.Reader, q module.Question) (*reading, error) {
	answer, err := r.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	o, err := parse(answer.Graph)
	if err != nil {
		return nil, &module.Refused{Why: "its process sends a graph that is none: " + kernels.CleanLine(err.Error(),
			kernels.MaxLine)}
	}
	return &reading{Answer: answer, outline: o}, nil
}
