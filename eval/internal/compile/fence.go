package compile

import (
	"cmp"
	"path/filepath"
	"slices"

	"darwarp/eval/internal/sandbox"
)

// mostWritten is how large a file a compiler may write: many times what a precompiled header takes.
const mostWritten = 1 << 30

// Fence allows a worker to read compiler, libraries and headers, and to write its own folder. NVRTC starts no
// process; a C++ compiler is several, and keeps its runtime in the cache.
func (c *Config) Fence(folder string) *sandbox.Profile {
	if c.Sandbox == "" {
		return nil
	}
	f := &sandbox.Profile{Mode: c.Sandbox, Read: slices.Concat(sandbox.System(), c.IncludeDirs),
		Write: []string{folder, "/dev/null"}, Files: true, FileSize: mostWritten, Memory: cmp.Or(c.Memory, usualMemory)}
	var paths []string
	if path, err := filepath.EvalSymlinks(c.Library); err == nil && c.Library != "" { // else it is the current folder
		paths = []string{c.Library, path}
	}
	for _, path := range paths {
		f.Read = append(f.Read, filepath.Dir(path))
		if c.Worker == "cxx" {
			f.Read = append(f.Read, installed(path)...)
		}
	}
	if c.Worker == "cxx" {
		f.Children = true
		f.Write = append(f.Write, c.runtimes())
	}
	return f
}

// runtimes is the folder in the cache where C++ workers share their runtime, empty without a cache. It holds nothing
// else: a compiler that a source has taken over must not write what other sources were compiled to.
func (c *Config) runtimes() string {
	if c.CacheDir == "" || c.Worker != "cxx" {
		return ""
	}
	return filepath.Join(c.CacheDir, "runtimes")
}

// installed lists where a C++ compiler that is PREFIX/bin/g++, as those of conda and of a `make install` are, keeps
// its programs, headers and libraries.
func installed(path string) (folders []string) {
	prefix := filepath.Dir(filepath.Dir(path))
	for _, name := range []string{"lib", "lib64", "libexec", "include", "*-linux-gnu*"} {
		found, _ := filepath.Glob(filepath.Join(prefix, name))
		folders = append(folders, found...)
	}
	return folders
}
