package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/templates"
)

// LoadBundle reads a problem: a built-in name, or a folder. A folder that is named like a built-in
// problem is written ./NAME.
func LoadBundle(arg string) (*templates.Bundle, error) {
	if slices.Contains(templates.Builtins(), arg) {
		return templates.Builtin(arg)
	}
	info, err := os.Stat(arg)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, exit.Usagef("unknown problem %q%s: expected one of %s, or a folder with a problem.toml",
			arg, report.Meant(arg, templates.Builtins()), strings.Join(templates.Builtins(), ", "))
	case err != nil:
		return nil, exit.Usagef("%v", err)
	case !info.IsDir():
		return nil, exit.Usagef("%s is a file: expected a problem's name or its folder", arg)
	}
	dir, err := files.OpenFolder(arg)
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	defer dir.Close()
	b, err := templates.Load(dir)
	if err == nil {
		err = b.CheckReference()
	}
	return b, InFolder(arg, err)
}

// InFolder makes mistakes name their files as the user would open them.
func InFolder(dir string, err error) error {
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
