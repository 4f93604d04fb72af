// Package dl finds and opens the shared libraries of CUDA where they are commonly installed: a toolkit in /usr/local,
// a package of the distribution, pip wheels beside a Python, conda. Nothing is linked at build time, so the same
// binary runs on a machine without any of them. Searching only looks at the file system; no library is opened and no
// Python is run.
package dl

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Library is a shared library that may be on the machine.
type Library struct {
	Name    string   // for people
	Sonames []string // file names, the preferred version first
	Driver  bool     // comes with the GPU driver, never with a toolkit, a wheel or conda
}

// The libraries that darwarp opens.
var (
	CUDA     = Library{Name: "CUDA driver", Sonames: []string{"libcuda.so.1"}, Driver: true}
	NVML     = Library{Name: "NVML", Sonames: []string{"libnvidia-ml.so.1"}, Driver: true}
	NVRTC    = Library{Name: "NVRTC", Sonames: []string{"libnvrtc.so.13", "libnvrtc.so.12"}}
	CublasLt = Library{Name: "cuBLASLt", Sonames: []string{"libcublasLt.so.13", "libcublasLt.so.12"}}
)

// Finder searches one machine. Tests give it a made-up one.
type Finder struct {
	FS     fs.FS               // rooted at /
	Getenv func(string) string // os.Getenv
}

// System is the Finder of this machine.
func System() Finder { return Finder{FS: os.DirFS("/"), Getenv: os.Getenv} }

// Find is System().Find.
func Find(lib Library) (path string, tried []string, err error) { return System().Find(lib) }

// IncludeDirs is System().IncludeDirs.
func IncludeDirs(nvrtc string) (Headers, error) { return System().IncludeDirs(nvrtc) }

// Find returns the absolute path of the first copy of lib, and the folders it looked at up to there, in order; a
// pattern stands for itself when it matches no folder. An error means that there is none.
func (f Finder) Find(lib Library) (file string, tried []string, err error) {
	for _, pattern := range f.libDirs(lib) {
		dirs := f.glob(pattern)
		if len(dirs) == 0 {
			tried = append(tried, pattern)
		}
		for _, dir := range dirs {
			tried = append(tried, dir)
			for _, name := range lib.Sonames {
				if full := path.Join(dir, name); f.exists(full) {
					return full, tried, nil
				}
			}
		}
	}
	return "", tried, fmt.Errorf("%s (%s) not found in %d places; set DARWARP_CUDA to the toolkit's folder or "+
		"LD_LIBRARY_PATH to the library's",
		lib.Name, strings.Join(lib.Sonames, ", "), len(tried))
}

// libDirs lists the folders, as patterns, that may hold lib.
func (f Finder) libDirs(lib Library) []string {
	var dirs []string
	inRoots := func(roots []root) {
		for _, r := range roots {
			if !lib.Driver {
				dirs = append(dirs, r.libDirs()...)
			}
		}
	}
	inRoots(f.namedRoots())
	dirs = append(dirs, f.loaderDirs(lib.Sonames)...)
	inRoots(f.guessedRoots())
	return unique(append(dirs, driverDirs()...))
}

// root is a folder, as a pattern, that may be a toolkit or one of NVIDIA's Python packages.
type root struct {
	dir   string
	wheel bool // has lib and include, never lib64 or targets
}

func (r root) libDirs() []string {
	if r.wheel {
		return []string{r.dir + "/lib"}
	}
	return []string{r.dir + "/lib64", r.dir + "/lib", r.dir + "/targets/" + machine().target + "/lib"}
}

func (r root) includeDirs() []string {
	if r.wheel {
		return []string{r.dir + "/include"}
	}
	return []string{r.dir + "/include", r.dir + "/targets/" + machine().target + "/include"}
}

// namedRoots are the toolkit folders that the user names in the environment.
func (f Finder) namedRoots() []root {
	var roots []root
	if d := f.Getenv("DARWARP_CUDA"); d != "" {
		// The patterns serve a user who names site-packages/nvidia.
		d = quote(d)
		roots = append(roots, root{dir: d}, root{d + "/cu[1-9]*", true}, root{d + "/cuda_*", true}, root{d + "/cublas", true})
	}
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if d := f.Getenv(name); d != "" {
			roots = append(roots, root{dir: quote(d)})
		}
	}
	return roots
}

// guessedRoots are the places where installers put toolkits.
func (f Finder) guessedRoots() []root {
	roots := []root{{dir: "/usr/local/cuda*"}}
	for _, prefix := range f.pythonPrefixes() {
		roots = append(roots, root{prefix + "/lib*/python3*/*-packages/nvidia/*", true})
	}
	if d := f.Getenv("CONDA_PREFIX"); d != "" {
		roots = append(roots, root{dir: quote(d)})
	}
	return append(roots, root{dir: "/opt/conda"}, root{dir: "/usr/local/nvidia"}, root{dir: "/usr"})
}

// driverDirs are where distributions, containers, WSL and NixOS put the driver's libraries.
func driverDirs() []string {
	multiarch := machine().multiarch
	return []string{"/usr/lib/" + multiarch, "/usr/lib64", "/usr/lib", "/lib/" + multiarch, "/lib64",
		"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"}
}

type arch struct{ target, multiarch string }

// machine is how CUDA and Debian name this processor in paths.
func machine() arch {
	if runtime.GOARCH == "arm64" {
		return arch{"sbsa-linux", "aarch64-linux-gnu"}
	}
	return arch{"x86_64-linux", "x86_64-linux-gnu"}
}

// glob returns the folders that match pattern, the newest version first.
func (f Finder) glob(pattern string) []string {
	matches, err := fs.Glob(f.FS, strings.TrimPrefix(pattern, "/"))
	if err != nil || pattern == "/" {
		return nil // path.Match cannot express this folder: nobody has such a one
	}
	for i := range matches {
		matches[i] = "/" + matches[i]
	}
	slices.SortStableFunc(matches, newestFirst)
	return matches
}

func (f Finder) exists(file string) bool {
	info, err := fs.Stat(f.FS, strings.TrimPrefix(file, "/"))
	return err == nil && !info.IsDir()
}

// quote makes a folder from the environment safe inside a pattern.
func quote(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(abs)
}

func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		dup := seen[s]
		seen[s] = true
		return dup
	})
}
