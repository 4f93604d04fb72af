// Package nvrtc compiles CUDA C++ to machine code in this process with NVIDIA's runtime compiler.
//
// NVRTC holds a lock for the whole process, so threads do not make it faster, and it can crash on
// hostile input: run it in worker processes, one program at a time each.
package nvrtc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"darwarp/eval/internal/dl"
)

// procs are the functions of nvrtc.h. CUDA 12.8 brought the PCH ones.
type procs struct {
	GetErrorString      dl.Proc `c:"nvrtcGetErrorString"`
	Version             dl.Proc `c:"nvrtcVersion"`
	Create              dl.Proc `c:"nvrtcCreateProgram"`
	Destroy             dl.Proc `c:"nvrtcDestroyProgram"`
	Compile             dl.Proc `c:"nvrtcCompileProgram"`
	CubinSize           dl.Proc `c:"nvrtcGetCUBINSize"`
	Cubin               dl.Proc `c:"nvrtcGetCUBIN"`
	PTXSize             dl.Proc `c:"nvrtcGetPTXSize"`
	PTX                 dl.Proc `c:"nvrtcGetPTX"`
	LogSize             dl.Proc `c:"nvrtcGetProgramLogSize"`
	Log                 dl.Proc `c:"nvrtcGetProgramLog"`
	PCHCreateStatus     dl.Proc `c:"nvrtcGetPCHCreateStatus,optional"`
	PCHHeapSizeRequired dl.Proc `c:"nvrtcGetPCHHeapSizeRequired,optional"`
	SetPCHHeapSize      dl.Proc `c:"nvrtcSetPCHHeapSize,optional"`
}

// Results of nvrtc.h that are handled separately.
const (
	resultCompilation      = 6
	resultPCHHeapExhausted = 14
)

// Compiler is an open NVRTC.
type Compiler struct {
	p     procs
	major int
	minor int
}

// Open loads the NVRTC at path. Its companion library with the built-in functions lies in the same
// folder, but NVRTC itself only asks the loader for it by name; it is therefore loaded first.
func Open(path string) (*Compiler, error) {
	lib, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	c := &Compiler{}
	if err := lib.Bind(&c.p); err != nil {
		return nil, err
	}
	var major, minor int32
	if err := c.check(c.p.Version,
		c.p.Version.Call(uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))); err != nil {
		return nil, err
	}
	c.major, c.minor = int(major), int(minor)
	builtins := filepath.Join(filepath.Dir(path), fmt.Sprintf("libnvrtc-builtins.so.%d.%d", major, minor))
	if _, err := os.Stat(builtins); err == nil {
		if _, err := dl.Open(builtins); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Version is NVRTC's own, such as 13, 0.
func (c *Compiler) Version() (major, minor int) { return c.major, c.minor }

// HasPCH reports whether this NVRTC can keep parsed headers between programs.
func (c *Compiler) HasPCH() bool {
	return c.p.PCHCreateStatus.Ok() && c.p.PCHHeapSizeRequired.Ok() && c.p.SetPCHHeapSize.Ok()
}

// CompileError means that the program is at fault: it does not compile.
type CompileError struct {
	Log string // the compiler's messages, with lines of the source
}

// Error is the first message of the log that is an error.
func (e *CompileError) Error() string {
	for line := range strings.Lines(e.Log) {
		if strings.Contains(line, "error") || strings.Contains(line, "fatal") {
			return "compile: " + strings.TrimSpace(line)
		}
	}
	return "compile: " + strings.TrimSpace(e.Log)
}

// Output is the result of compiling one program.
type Output struct {
	Cubin []byte // machine code for one architecture
	PTX   []byte // what the assembler made it from
	Log   string // warnings, and what --ptxas-options=-v prints (see ParsePtxas)
}

// Compile compiles the program src to machine code. Messages refer to it by name. opts are NVRTC's and must
// name a real architecture, as in --gpu-architecture=sm_90a. A program that does not compile is a *CompileError;
// any other error is the installation's or the caller's. The Output holds the log in either case.
//
// With --pch and --pch-dir=DIR the headers are parsed once per process. Give every process its own
// DIR: NVRTC crashes when processes that start together share one. An NVRTC without PCH compiles
// without it.
func (c *Compiler) Compile(src, name string, opts []string) (out Output, err error) {
	if !c.HasPCH() {
		opts = withoutPCH(opts)
	}
	prog, err := c.newProgram(src, name)
	if err != nil {
		return Output{}, err
	}
	defer func() { prog.destroy() }()
	if out.Log, err = prog.compile(opts); err != nil {
		return out, err
	}
	if usesPCH(opts) && prog.growPCHHeap() {
		// The headers did not fit. This program compiled all the same. Compiling it again stores the headers, which
		// saves time for the thousands of programs that follow.
		if again, err := c.newProgram(src, name); err == nil {
			prog.destroy()
			prog = again
			if out.Log, err = prog.compile(opts); err != nil {
				return out, err
			}
		}
	}
	if out.Cubin, err = prog.cubin(); err != nil {
		return out, err
	}
	out.PTX, err = prog.bytes(c.p.PTXSize, c.p.PTX)
	return out, err
}

func usesPCH(opts []string) bool {
	return len(withoutPCH(opts)) < len(opts)
}

// withoutPCH drops the options about precompiled headers. NVRTC takes one or two dashes.
func withoutPCH(opts []string) []string {
	var rest []string
	for _, o := range opts {
		bare := strings.TrimLeft(o, "-")
		if bare != "pch" && !strings.HasPrefix(bare, "pch-") && !strings.HasPrefix(bare, "instantiate-templates-in-pch") {
			rest = append(rest, o)
		}
	}
	return rest
}

// check turns a result that is not success into an error.
func (c *Compiler) check(p dl.Proc, result int32) error {
	if result == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s (%d)", p.Name, c.p.GetErrorString.CallString(uintptr(result)), result)
}
