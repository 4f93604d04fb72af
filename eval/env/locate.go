// Package env says what this machine has for evaluating candidates: CUDA's libraries, compilers and GPUs, and what it
// lacks and how that is put right.
package env

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"darwarp/eval/internal/dl"
)

// Error says that this machine lacks something that a device needs, and what to do about it.
type Error struct {
	What  string   // libcuda.so.1
	Fault string   // what is wrong with it; empty: it was not found
	Why   string   // what it is needed for
	Tried []string // where it was looked for
	Do    string

	cause error // whose text Why is; may be nil
}

func (e *Error) Unwrap() error { return e.cause }

func (e *Error) Error() string {
	text := fmt.Sprintf("%s %s: %s. %s", e.What, cmp.Or(e.Fault, "not found"), e.Why, e.Do)
	switch n := len(e.Tried); n {
	case 0:
	case 1:
		text += " (looked in one place: darwarp doctor names it)"
	default:
		text += fmt.Sprintf(" (looked in %d places: darwarp doctor lists them)", n)
	}
	return text
}

// Found is one library or folder that a device needs, as the doctor shows it.
type Found struct {
	Name  string   `json:"name"`
	Path  string   `json:"path,omitempty"` // empty: not found
	Tried []string `json:"tried,omitempty"`
	Why   string   `json:"why"`
	Do    string   `json:"do"`
}

// Location is where everything is on this machine.
type Location struct {
	Driver  Found    `json:"driver"`
	NVRTC   Found    `json:"nvrtc"`
	Headers Found    `json:"headers"`
	BLASLt  Found    `json:"cublaslt"`
	NVML    Found    `json:"nvml"`
	CXX     Found    `json:"cxx"`
	Include []string `json:"include,omitempty"` // for the compiler, in order
}

// Locate looks for the CUDA libraries without opening one, and for a C++ compiler.
func Locate() Location {
	var l Location
	find := func(into *Found, lib dl.Library, name, why, do string) {
		*into = Found{Name: name, Why: why, Do: do}
		path, tried, err := dl.Find(lib)
		if into.Tried = tried; err == nil {
			into.Path = path
		}
	}
	find(&l.Driver, dl.CUDA, "libcuda.so.1", "needed to run candidates", "Install the NVIDIA driver")
	find(&l.NVRTC, dl.NVRTC, "libnvrtc.so", "it compiles candidates",
		"Install the CUDA toolkit, or: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt")
	find(&l.BLASLt, dl.CublasLt, "libcublasLt.so", "needed for the cuBLASLt baseline",
		"Install the CUDA toolkit, or: pip install nvidia-cublas")
	find(&l.NVML, dl.NVML, "libnvidia-ml.so.1", "monitors clocks and temperature", "It comes with the NVIDIA driver")
	l.Headers = Found{Name: "cuda_fp16.h", Why: "candidates include it",
		Do: "Install the CUDA toolkit, or: pip install nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt; or set " +
			"DARWARP_CUDA to the toolkit's folder"}
	l.CXX = findCXX()
	h, err := dl.IncludeDirs(l.NVRTC.Path)
	if l.Headers.Tried = h.Tried; err == nil {
		l.Headers.Path, l.Include = strings.Join(h.Dirs, ":"), h.Dirs
	}
	return l
}

// findCXX looks for the C++ compiler of the cpu device: $CXX, else the usual names.
func findCXX() Found {
	f := Found{Name: "C++ compiler", Why: "compiles candidates for the cpu device, and exported benches with nvcc",
		Do: "Install g++ or clang++, or set CXX to one"}
	names := []string{"g++", "clang++", "c++"}
	if set := os.Getenv("CXX"); set != "" {
		names = []string{set}
	}
	for _, name := range names {
		f.Tried = append(f.Tried, name+" in PATH")
		if path, err := exec.LookPath(name); err == nil {
			if f.Path, err = filepath.Abs(path); err == nil {
				break
			}
		}
	}
	return f
}

// Missing turns what was not found into the error that the user sees.
func (f Found) Missing() error {
	if f.Path != "" {
		return nil
	}
	return &Error{What: f.Name, Why: f.Why, Tried: f.Tried, Do: f.Do}
}
