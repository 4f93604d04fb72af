package compile

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	preamble   = "darwarp/darwarp.cuh" // the precompiled header: every template starts with it
	maxLog     = 64 << 10              // bytes kept
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

const readyKernel = "extern \"C\" __global__ void ready(float* x) { x[threadIdx.x] *= 2.0f; }\n"

// readySource is the program that a new worker is tested with.
func readySource(headers map[string][]byte) string {
	if hasPreamble(headers) {
		return "#include <" + preamble + ">\n" + readyKernel
	}
	return readyKernel
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
	pch      map[head]bool // whether a precompiled header can be used, of those that were tried
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
		reply.NoPCH = s.prepare()
	}
	if err := s.compile(req.Source, &reply); err != nil {
		return err
	}
	if reply.Final {
		return c.Finish(&reply)
	}
	return c.Reply(&reply)
}

// options are those for every program of a head.
func (s *server) options(h head) []string {
	opts := []string{"--gpu-architecture=" + s.Arch, language, "--ptxas-options=-v"}
	if h.lean {
		opts = append(append(opts, leanOptions...), "-I"+overlayDir(s.folder))
	}
	opts = append(opts, "-I"+includeDir(s.folder))
	for _, d := range s.IncludeDirs {
		opts = append(opts, "-I"+d)
	}
	return opts
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
	var program cubin.Program
	reply.Code, program, reply.Failure, err = inspect(out.Cubin)
	if reply.Failure = cmp.Or(reply.Failure, counted(out.PTX)); err != nil || reply.Failure != "" {
		return err
	}
	reply.Cubin, reply.Resources = out.Cubin, resources(out.Log)
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
