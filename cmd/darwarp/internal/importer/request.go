package importer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/eval"
	"darwarp/eval/module"
	"darwarp/kernels"
	"darwarp/templates/graph"
)

// Request says what is imported.
type Request struct {
	module.Question
	Dir      string           // the folder to write, which does not exist
	Scale    float64          // of the first size of the first input: that part is searched; 1: all of it
	Sandbox  eval.SandboxMode // of the module and of compilers
	Convert  Convert          // from a graph to a folder
	Alone    bool             // a module that no family takes, whole or in stages, becomes a folder without families
	Devices  []kernels.Device // that the folder is checked for
	Say      func(string)     // hears what takes long
	Version  string           // darwarp's own
	CacheDir string           // of what is compiled; empty: nothing is kept
}

// Convert makes the files of a problem folder from a graph. Its error says in one line what it does not take.
type Convert func(graph []byte) (files map[string][]byte, err error)

// Folder is the Convert for all that has a generic family.
func Folder(text []byte) (map[string][]byte, error) {
	g, err := graph.Parse(text)
	if err != nil {
		return nil, err
	}
	return g.Folder()
}

// Read reads the file and refuses what could not be imported or written, before anything is started.
func (req *Request) Read(path string) error {
	if req.Dir == "" {
		return exit.Usagef("-o is missing: name a new folder, as in %s", cmdline.Of("import", "torch", path, "-o", "DIR"))
	}
	if _, err := os.Lstat(req.Dir); err == nil {
		return exit.Usagef("%s exists: choose another name", req.Dir)
	}
	if above, err := os.Stat(filepath.Dir(req.Dir)); err != nil || !above.IsDir() {
		return exit.Usagef("%s: there is no folder %s", req.Dir, filepath.Dir(req.Dir))
	}
	req.Name = filepath.Base(req.Dir)
	if err := kernels.CheckLabel(req.Name); err != nil || len(req.Name) > kernels.MaxName {
		return exit.Usagef("-o %s: the folder's name is the problem's: expected letters, digits, and _ . + -", req.Dir)
	}
	if err := req.Check(); err != nil {
		return err
	}
	text, err := files.Read(path, module.MaxSource)
	if err != nil {
		return exit.Usagef("%v", err)
	}
	req.Source = string(text)
	return nil
}

// Check refuses what no file could be imported with.
func (req *Request) Check() error {
	if !(req.Scale > 0 && req.Scale <= 1) {
		return exit.Usagef("--scale %g: expected more than 0, and 1 at most", req.Scale)
	}
	if req.Precision != "" && !slices.Contains(module.Precisions(), req.Precision) {
		return exit.Usagef("--precision %q: expected one of %s", req.Precision, strings.Join(module.Precisions(), ", "))
	}
	for name, n := range req.Dims {
		if n < 1 {
			return exit.Usagef("--dims %s=%d: expected 1 or more", name, n)
		}
	}
	if !slices.Contains(eval.SandboxModes(), string(req.Sandbox)) {
		return exit.Usagef("--sandbox %q: expected %s", req.Sandbox, strings.Join(eval.SandboxModes(), ", "))
	}
	return nil
}
