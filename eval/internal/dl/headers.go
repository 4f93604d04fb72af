package dl

import (
	"fmt"
	"path"
	"slices"
)

// Headers says where CUDA's own headers are.
type Headers struct {
	Root  string   // the toolkit's folder (for wheels, the package's)
	Dirs  []string // for -I, in order: the one with cuda_fp16.h, and its cccl when it has one
	Tried []string // the folders looked at, in order
}

// IncludeDirs finds the folder that holds cuda_fp16.h, preferring the headers that belong to the
// NVRTC library at the given path: headers of another version may not compile. An empty path, or
// one without headers beside it, falls back to the general search.
func (f Finder) IncludeDirs(nvrtc string) (Headers, error) {
	var h Headers
	var patterns []string
	for _, r := range slices.Concat(besides(nvrtc), f.namedRoots(), f.guessedRoots()) {
		patterns = append(patterns, r.includeDirs()...)
	}
	for _, pattern := range unique(patterns) {
		dirs := f.glob(pattern)
		if len(dirs) == 0 {
			h.Tried = append(h.Tried, pattern)
		}
		for _, dir := range dirs {
			h.Tried = append(h.Tried, dir)
			if f.exists(dir + "/cuda_fp16.h") {
				h.Root, h.Dirs = rootOf(dir), f.withCCCL(dir)
				return h, nil
			}
		}
	}
	return h, fmt.Errorf("cuda_fp16.h not found in %d places; set DARWARP_CUDA to a folder whose include/ holds it",
		len(h.Tried))
}

// withCCCL adds include/cccl, where CUDA 13 moved the C++ library; nvcc adds it by itself, NVRTC does not.
func (f Finder) withCCCL(dir string) []string {
	if f.glob(quote(dir)+"/cccl") == nil {
		return []string{dir}
	}
	return []string{dir, dir + "/cccl"}
}

// besides lists the roots that a library at lib may belong to: root/lib/x, root/targets/T/lib/x, and
// for the wheels of CUDA 12, which spread one toolkit over packages, the sibling with the headers.
func besides(lib string) []root {
	if !path.IsAbs(lib) {
		return nil
	}
	dir := path.Dir(path.Dir(lib))
	return []root{{dir: quote(dir)}, {quote(path.Dir(dir)) + "/cuda_runtime", true}}
}

// rootOf is the toolkit that an include folder belongs to.
func rootOf(include string) string {
	root := path.Dir(include)
	if path.Base(path.Dir(root)) == "targets" {
		return path.Dir(path.Dir(root))
	}
	return root
}
