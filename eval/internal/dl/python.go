package dl

import (
	"io/fs"
	"path"
	"strings"
)

// pythonPrefixes lists the installation folders, as patterns, of the Pythons that are cheap to
// guess: active environments, the python3 on PATH and the one it was made from, and the usual places.
func (f Finder) pythonPrefixes() []string {
	var list []string
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if d := f.Getenv(name); d != "" {
			list = append(list, quote(d))
		}
	}
	list = append(list, f.pathPrefixes()...)
	if home := f.Getenv("HOME"); home != "" {
		for _, d := range []string{"/.local", "/.pyenv/versions/*", "/miniconda3", "/miniforge3", "/anaconda3"} {
			list = append(list, quote(home)+d)
		}
	}
	return unique(append(list, "/opt/*", "/opt/*/.venv", "/opt/*/venv", "/usr", "/usr/local"))
}

// pathPrefixes follows the first python3 on PATH: the folder above its bin, the same for what its
// links lead to, and the home that a pyvenv.cfg names.
func (f Finder) pathPrefixes() []string {
	for _, dir := range strings.Split(f.Getenv("PATH"), ":") {
		file := path.Join(dir, "python3")
		if !path.IsAbs(file) || !f.exists(file) {
			continue
		}
		var list []string
		for range 10 { // deeper than any real chain of links
			prefix := path.Dir(path.Dir(file))
			list = append(list, quote(prefix))
			if home := f.venvHome(prefix); home != "" {
				list = append(list, quote(path.Dir(home)))
			}
			next, ok := f.readLink(file)
			if !ok {
				break
			}
			file = next
		}
		return unique(list)
	}
	return nil
}

// venvHome is the bin folder of the Python that the virtual environment at prefix was made from.
func (f Finder) venvHome(prefix string) string {
	text, err := fs.ReadFile(f.FS, strings.TrimPrefix(prefix, "/")+"/pyvenv.cfg")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "home" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (f Finder) readLink(file string) (target string, ok bool) {
	target, err := fs.ReadLink(f.FS, strings.TrimPrefix(file, "/"))
	if err != nil {
		return "", false
	}
	if !path.IsAbs(target) {
		target = path.Join(path.Dir(file), target)
	}
	return path.Clean(target), true
}
