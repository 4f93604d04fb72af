package importer

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/report"
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
	req.Dir = filepath.Clean(req.Dir)
	if _, err := os.Lstat(req.Dir); err == nil {
		return exit.Usagef("%s exists: choose another name", req.Dir)
	}
	if above, err := os.Stat(filepath.Dir(req.Dir)); err != nil || !above.IsDir() {
		return exit.Usagef("%s: there is no folder %s", req.Dir, filepath.Dir(req.Dir))
	}
	if err := files.Writable(filepath.Dir(req.Dir)); err != nil {
		return exit.Usagef("-o %s: %w: name a folder elsewhere", req.Dir, err)
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
	return req.hasClass(path)
}

var (
	classRE = regexp.MustCompile(`(?m)^class[ \t]+([\pL_][\pL\pN_]*)`)
	nameRE  = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
)

// hasClass refuses a class whose name the file does not have anywhere, before Python has told: that takes seconds.
func (req *Request) hasClass(path string) error {
	switch {
	case strings.TrimSpace(req.Source) == "":
		return exit.Usagef("%s is empty: expected a module of PyTorch", path)
	case strings.Contains(req.Source, "\x00"):
		return exit.Usagef("%s is no text: expected a module of PyTorch", path)
	}
	if req.Class == "" || slices.Contains(nameRE.FindAllString(req.Source, -1), req.Class) {
		return nil
	}
	var known []string
	for _, m := range classRE.FindAllStringSubmatch(req.Source, -1) {
		known = append(known, m[1])
	}
	if len(known) == 0 {
		return exit.Usagef("--class %q: %s has no class of that name, and no other", req.Class, path)
	}
	return exit.Usagef("--class %q: %s has no class of that name%s: choose one of %s", req.Class, path,
		report.Meant(req.Class, known), strings.Join(known[:min(len(known), mostClasses)], ", "))
}

// mostClasses fit a line.
const mostClasses = 8

// Check refuses what no file could be imported with.
func (req *Request) Check() error {
	if !(req.Scale > 0 && req.Scale <= 1) {
		return exit.Usagef("--scale %g: expected more than 0, and 1 at most", req.Scale)
	}
	if req.Precision != "" && !slices.Contains(module.Precisions(), req.Precision) {
		return exit.Usagef("--precision %q: expected one of %s", req.Precision, strings.Join(module.Precisions(), ", "))
	}
	for name, n := range req.Dims {
		if name == "" {
			return exit.Usagef("--dims =%d: expected NAME=SIZE, as in batch=4096", n)
		}
		if n < 1 || n > math.MaxInt32 {
			return exit.Usagef("--dims %s=%d: expected 1 or more, and %d at most", name, n, math.MaxInt32)
		}
	}
	if !slices.Contains(eval.SandboxModes(), string(req.Sandbox)) {
		return exit.Usagef("--sandbox %q: expected %s", req.Sandbox, strings.Join(eval.SandboxModes(), ", "))
	}
	return nil
}
