package compile

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"darwarp/eval/internal/cubin"
	"darwarp/eval/internal/nvrtc"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

const (
	language   = "--std=c++17"
	sourceName = "candidate.cu"
	pchName    = "common.pch"
	preamble   = "darwarp/darwarp.cuh" // the precompiled header: every template starts with it
	maxLog     = 64 << 10              // bytes kept
	pchUnfit   = "629,630"             // warnings that a precompiled header does not fit a source
	heapIsFull = "unable to obtain mapped memory"
)

// setup is the configuration in a worker's folder.
type setup struct {
	Library     string
	IncludeDirs []string
	Arch        string
	Memory      uint64
	PCH         bool
	Checked     bool
	CacheDir    string
}

type request struct {
	Source  string `json:"source"`
	Prepare bool   `json:"prepare,omitempty"` // the source is ours: make the precompiled header with it
}

type response struct {
	Compiler  string              `json:"compiler"` // and its version
	Cubin     []byte              `json:"-"`
	Code      string              `json:"code,omitempty"`
	Log       string              `json:"log,omitempty"`
	Resources []kernels.Resources `json:"resources,omitempty"`
	Seconds   float64             `json:"seconds"`
	State     string              `json:"state,omitempty"`
	Failure   string              `json:"failure,omitempty"`
	// out of memory or an internal error: the compiler's state is now unknown
	Final bool   `json:"final,omitempty"`
	NoPCH string `json:"no_pch,omitempty"` // why there is no precompiled header

	Unsupported bool `json:"unsupported,omitempty"` // the failure is a missing feature of the device
}

// Blob attaches the cubin as raw bytes.
func (r *response) Blob() *[]byte { return &r.Cubin }

func (r *response) output() Output {
	return Output{Cubin: r.Cubin, Code: r.Code, Log: r.Log, Resources: r.Resources, Seconds: r.Seconds, State: r.State,
		Failure: r.Failure, Unsupported: r.Unsupported}
}

// hasPreamble reports whether there is anything to precompile.
func hasPreamble(headers map[string][]byte) bool {
	_, ok := headers[preamble]
	return ok
}

// readySource is the program that a new worker is tested with.
func readySource(headers map[string][]byte) string {
	const kernel = "extern \"C\" __global__ void ready(float* x) { x[threadIdx.x] *= 2.0f; }\n"
	if hasPreamble(headers) {
		return "#include <" + preamble + ">\n" + kernel
	}
	return kernel
}

// Main is the worker's main: its one argument is the folder that the parent made. It returns the exit code.
func Main(args []string) int {
	s, err := newServer(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return proc.ExitInternal
	}
	return proc.Main(s.handle)
}

// server is a worker's state.
type server struct {
	setup
	folder   string
	pch      bool // there is a precompiled header
	compiler *nvrtc.Compiler
}

func newServer(args []string) (*server, error) {
	setup, folder, err := settle(args)
	if err != nil {
		return nil, err
	}
	s := &server{setup: setup, folder: folder}
	s.compiler, err = nvrtc.Open(s.Library)
	return s, err
}

// settle reads a worker's configuration and applies its limits.
func settle(args []string) (s setup, folder string, err error) {
	if len(args) != 1 {
		return s, "", errors.New("the compile worker takes one folder")
	}
	folder = args[0]
	text, err := os.ReadFile(setupFile(folder))
	if err != nil {
		return s, folder, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, folder, fmt.Errorf("%s: %w", setupFile(folder), err)
	}
	return s, folder, confine(s.Memory)
}

// confine limits the compiler's resources, for templates that recurse and messages that do not end.
func confine(memory uint64) error {
	for _, l := range []struct {
		what  int
		bytes uint64
	}{{unix.RLIMIT_AS, memory}, {unix.RLIMIT_FSIZE, 256 << 20}, {unix.RLIMIT_CORE, 0}} {
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: l.bytes, Max: l.bytes}); err != nil {
			return fmt.Errorf("limit the compiler: %w", err)
		}
	}
	return nil
}

// limitCPU lets the process use 90 more seconds, in case no supervisor is left to end it.
func limitCPU() error {
	var used unix.Rusage
	var limit unix.Rlimit
	if err := errors.Join(unix.Getrusage(unix.RUSAGE_SELF, &used), unix.Getrlimit(unix.RLIMIT_CPU, &limit)); err != nil {
		return err
	}
	limit.Cur = min(limit.Max, uint64(used.Utime.Sec+used.Stime.Sec)+90)
	return unix.Setrlimit(unix.RLIMIT_CPU, &limit)
}

func (s *server) handle(_ context.Context, f proc.Frame, c *proc.Conn) error {
	var req request
	if err := f.Decode(&req); err != nil {
		return err
	}
	if err := limitCPU(); err != nil {
		return fmt.Errorf("limit the compiler: %w", err)
	}
	major, minor := s.compiler.Version()
	reply := response{Compiler: fmt.Sprintf("NVRTC %d.%d", major, minor)}
	if req.Prepare {
		reply.NoPCH = s.prepare(req.Source)
	}
	if err := s.compile(req.Source, &reply); err != nil {
		return err
	}
	if reply.Final {
		return c.Finish(&reply)
	}
	return c.Reply(&reply)
}

// prepare makes the precompiled header. It is made and used by name: the automatic mode would store another one for
// every new sequence of directives at the top of a candidate.
func (s *server) prepare(source string) (whyNot string) {
	if !s.PCH {
		return ""
	}
	if !s.compiler.HasPCH() {
		return "this NVRTC is older than 12.8"
	}
	_, err := s.compiler.Compile(source, sourceName,
		slices.Concat(s.options(), s.pchOptions(), []string{"--create-pch=" + pchName}))
	if _, statErr := os.Stat(filepath.Join(pchDir(s.folder), pchName)); err == nil {
		err = statErr
	}
	if err != nil {
		return err.Error()
	}
	s.pch = true
	return ""
}

// options are those for every program.
func (s *server) options() []string {
	opts := []string{"--gpu-architecture=" + s.Arch, language, "--ptxas-options=-v", "-I" + includeDir(s.folder)}
	for _, d := range s.IncludeDirs {
		opts = append(opts, "-I"+d)
	}
	return opts
}

// pchOptions are those with which a precompiled header is made and used; NVRTC compares them.
func (s *server) pchOptions() []string {
	return []string{"--pch-dir=" + pchDir(s.folder), "--pch-messages=false", "--diag-suppress=" + pchUnfit}
}

// translate compiles, with precompiled headers if there are any. With them, NVRTC keeps what it parses in a heap of
// fixed size; the rare source that needs more is compiled without them.
func (s *server) translate(source string) (nvrtc.Output, error) {
	opts := s.options()
	if level := Assembler(source); level != "" {
		opts = append(opts, "--ptxas-options="+level)
	}
	if !s.pch {
		return s.compiler.Compile(source, sourceName, opts)
	}
	out, err := s.compiler.Compile(source, sourceName,
		slices.Concat(opts, s.pchOptions(), []string{"--use-pch=" + pchName}))
	if err != nil && strings.Contains(out.Log, heapIsFull) {
		return s.compiler.Compile(source, sourceName, opts)
	}
	return out, err
}

// compile fills the reply. An error is our own fault; the source's is reply.Failure.
func (s *server) compile(source string, reply *response) error {
	start := time.Now()
	out, err := s.translate(source)
	reply.Seconds = time.Since(start).Seconds()
	reply.Log = s.clean(out.Log)
	var refusal *nvrtc.CompileError
	switch {
	case errors.As(err, &refusal):
		reply.Failure = s.explain(refusal.Log)
		reply.Final = strings.Contains(refusal.Log, "catastrophic error")
		return nil
	case err != nil:
		reply.Failure = s.explain("the compiler gave up: " + err.Error())
		reply.Final = true
		return nil
	}
	if reply.Failure = tooLarge("machine code and tables", uint64(len(out.Cubin))); reply.Failure != "" {
		return nil
	}
	code, err := cubin.Code(out.Cubin)
	if errors.Is(err, cubin.ErrNoCode) {
		reply.Failure = "no kernel in the source"
		return nil
	}
	if err != nil {
		return err
	}
	program, err := cubin.Inspect(out.Cubin)
	if err != nil {
		return err
	}
	if reply.Failure = cmp.Or(tooLarge("variables", program.Bytes()), foreignCalls(program)); reply.Failure != "" {
		return nil
	}
	reply.Cubin, reply.Code, reply.Resources = out.Cubin, hex.EncodeToString(code), resources(out.Log)
	reply.State = strings.Join(state(program, out.PTX), ", ")
	return nil
}

func resources(log string) []kernels.Resources {
	var list []kernels.Resources
	for _, k := range nvrtc.ParsePtxas(log) {
		list = append(list, kernels.Resources{Entry: k.Entry, Registers: k.Registers, SpillStores: k.SpillStoreBytes,
			SpillLoads: k.SpillLoadBytes, Stack: k.StackBytes, StaticSmem: k.SharedBytes})
	}
	return list
}
