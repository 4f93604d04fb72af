package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/kernels"
	"darwarp/templates"
)

// loadBundle reads a problem: a built-in name, or a folder. A folder that is named like a built-in
// problem is written ./NAME.
func loadBundle(arg string) (*templates.Bundle, error) {
	if slices.Contains(templates.Builtins(), arg) {
		return templates.Builtin(arg)
	}
	info, err := os.Stat(arg)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, exit.Usagef("unknown problem %q: expected one of %s, or a folder with a problem.toml",
			arg, strings.Join(templates.Builtins(), ", "))
	case err != nil:
		return nil, exit.Usagef("%v", err)
	case !info.IsDir():
		return nil, exit.Usagef("%s is a file: expected a problem's name or its folder", arg)
	}
	b, err := templates.Load(os.DirFS(arg))
	return b, inFolder(arg, err)
}

// inFolder makes mistakes name their files as the user would open them.
func inFolder(dir string, err error) error {
	var ms kernels.Mistakes
	if !errors.As(err, &ms) {
		return err
	}
	out := slices.Clone(ms)
	for i := range out {
		out[i].File = filepath.Join(dir, out[i].File)
	}
	return out
}

// pickWorkloads reads the --workload flags; none means the problem's default set.
func pickWorkloads(p *kernels.Problem, flags []string) ([]kernels.Workload, error) {
	if len(flags) == 0 {
		return p.DefaultWorkloads(), nil
	}
	var out []kernels.Workload
	seen := map[string]bool{}
	for _, s := range flags {
		found, err := p.FindWorkload(s)
		if err != nil {
			return nil, exit.Usagef("--workload: %v", err)
		}
		for _, w := range found {
			if !seen[w.Name] {
				seen[w.Name] = true
				out = append(out, w)
			}
		}
	}
	return out, nil
}

func pickDType(p *kernels.Problem, flag string) (kernels.DType, error) {
	t, err := p.PickDType(flag)
	if err != nil {
		return "", exit.Usagef("--dtype: %v", err)
	}
	return t, nil
}

// parsePins reads the --gene NAME=VALUE,VALUE flags.
func parsePins(flags []string) (kernels.Pins, error) {
	pins := kernels.Pins{}
	for _, s := range flags {
		name, list, ok := strings.Cut(s, "=")
		if !ok || name == "" || list == "" {
			return nil, exit.Usagef("--gene %q: expected NAME=VALUE or NAME=VALUE,VALUE", s)
		}
		for _, v := range strings.Split(list, ",") {
			pins[name] = append(pins[name], kernels.ParseValue(strings.TrimSpace(v)))
		}
	}
	return pins, nil
}
