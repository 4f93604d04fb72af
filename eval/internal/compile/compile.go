// Package compile turns sources into machine code in worker processes, one NVRTC each: NVRTC holds a lock for its
// whole process, crashes and hangs on some programs, and cannot share a folder of precompiled headers. This process
// never opens NVRTC. Compiled programs are kept on disk. For the cpu device a worker runs the machine's C++ compiler
// instead (cxx.go).
package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/sandbox"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Config says how to compile. Library, IncludeDirs and Arch are required; a C++ compiler takes no
// IncludeDirs.
type Config struct {
	Worker      string            // kind of the workers: compile (NVRTC, the default) or cxx (a C++ compiler)
	Library     string            // path of NVRTC or of the C++ compiler
	IncludeDirs []string          // CUDA's own headers
	Headers     map[string][]byte // the device include library, by the name a source includes it by
	Overlay     map[string][]byte // headers that replace CUDA's and some of Headers; a source need not name them
	Checked     bool              // C++ compiler: programs report every access to memory
	Arch        string            // such as sm_90a
	Slots       int               // compiles at once, 0: one per core
	Timeout     time.Duration     // limit of one compile, 0: 60 s; less once the usual time is known
	Memory      uint64            // bytes of address space a worker may take, 0: 8 GiB
	CacheDir    string            // of compiled programs, empty: none
	CacheSize   int64             // bytes that the cache may have, 0: UsualCache
	Log         *slog.Logger      // nil: silent
	Sandbox     sandbox.Mode      // of the workers; empty: off

	without string // what tests compare: pch (precompiled headers) or kept (memory from one compile for the next)
}

// Output is the result of one source. Failure is the message for the source's author; it is empty exactly if there is
// a cubin.
type Output struct {
	Cubin     []byte
	Code      string              // hash of the machine code: equal for sources that behave the same
	Log       string              // warnings and the assembler's figures
	Resources []kernels.Resources // one per kernel; what depends on the launch is not set
	Seconds   float64             // duration, without waiting for a slot
	Cached    bool
	Failure   string
	// State names variables in device memory that a kernel can write and a later call can read, with their size. A
	// candidate must not have any.
	State string `json:",omitempty"`
	// Unsupported means that the Failure is a missing feature of this device, not a mistake of the source.
	Unsupported bool `json:",omitempty"`
}

const (
	usualMemory = 8 << 30 // bytes
	maxSource   = 1 << 20 // bytes
	maxCalls    = 500     // before a worker is replaced, so that NVRTC's leftovers do not accumulate
	maxCrashes  = 2       // of the compiler on one source, each in a fresh worker
	maxDeaths   = 3       // for any reason
	niceness    = 10      // so that compiling yields to launching and timing
)

// Pool compiles. Its methods may be called from many goroutines.
type Pool struct {
	cfg     Config
	log     *slog.Logger
	home    *home
	workers *proc.Pool
	cache   *cache
	patience

	installed string // the state of the compiler's files

	mu       sync.Mutex
	compiler string // its version, from the first worker
	plain    bool   // precompiled headers do not work here
}

// New starts a first worker, which checks that the compiler and the include library work together. The end of ctx ends
// that, which takes a while where an emulation is compiled first.
func New(ctx context.Context, cfg Config) (*Pool, error) {
	cfg.Slots = cmp.Or(cfg.Slots, runtime.NumCPU())
	cfg.Timeout = cmp.Or(cfg.Timeout, LongestTimeout)
	cfg.Memory = cmp.Or(cfg.Memory, usualMemory)
	cfg.CacheSize = cmp.Or(cfg.CacheSize, UsualCache)
	p := &Pool{cfg: cfg, log: cfg.Log, plain: cfg.without == "pch", installed: cfg.installed()}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.cap = cfg.Timeout
	var err error
	if p.home, err = newHome(); err != nil {
		return nil, err
	}
	if p.cache, err = openCache(cfg.CacheDir, cfg.CacheSize, p.log); err != nil {
		return nil, errors.Join(err, p.home.close())
	}
	p.cache.check, p.cfg.CacheDir = p.recheck, p.cache.dir
	if dir := p.cfg.runtimes(); dir != "" {
		if err := makeCache(dir); err != nil {
			return nil, errors.Join(err, p.home.close())
		}
	}
	p.workers = proc.NewPool(proc.PoolConfig{Slots: cfg.Slots, MaxCalls: maxCalls, Start: p.start, Stop: p.home.clear})
	closed := make(chan error, 1)
	waits := context.AfterFunc(ctx, func() { closed <- p.workers.Close() })
	err = p.workers.Do(ctx, func(*proc.Worker) error { return nil })
	if !waits() {
		err = errors.Join(context.Cause(ctx), <-closed)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("compiler: %w", err), p.Close())
	}
	return p, nil
}

// Close ends all workers and removes their folders. Compiles in progress return proc.ErrClosed.
func (p *Pool) Close() error { return errors.Join(p.workers.Close(), p.home.close()) }

// Slots is how many compiles run at once.
func (p *Pool) Slots() int { return p.cfg.Slots }

// Busy is how many compiles are running.
func (p *Pool) Busy() int { return p.workers.Busy() }

// Toolchain names what else decides the machine code, besides the source, the architecture and the include library:
// the compiler's version and the options.
func (p *Pool) Toolchain() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cfg.Worker == "cxx" {
		return p.compiler // which includes the options
	}
	return fmt.Sprint(p.compiler, " ", language)
}

// Compile compiles one source. The source's faults, including a compiler crash or timeout, are Output.Failure; an
// error means that compiling is impossible, or that ctx ended.
func (p *Pool) Compile(ctx context.Context, source string) (Output, error) {
	start := time.Now()
	if complaint := Check(source, p.cfg.Headers); complaint != "" {
		return Output{Failure: complaint}, nil
	}
	key := p.key(source)
	if out, ok := p.cache.get(key); ok {
		out.Cached, out.Seconds = true, time.Since(start).Seconds()
		return out, nil
	}
	if out, ok := p.made(ctx); ok {
		return out, nil
	}
	out, lasting, err := p.run(ctx, source)
	if err == nil && lasting {
		p.cache.put(key, out)
	}
	return out, err
}

// run compiles in a worker. Lasting outcomes are the compiler's own verdicts, which would be the same again; timeouts
// and crashes may be due to this machine.
func (p *Pool) run(ctx context.Context, source string) (out Output, lasting bool, err error) {
	crashes := 0
	for range maxDeaths {
		limit := p.limit()
		reply, fault, err := p.call(ctx, source, limit)
		var died *proc.Died
		switch isDied := errors.As(fault, &died); {
		case err != nil:
			return Output{}, false, fmt.Errorf("compile: %w", err)
		case fault == nil:
			p.learn(reply.Seconds)
			return reply.output(), !reply.Final, nil
		case errors.As(fault, new(*proc.Deadline)):
			return Output{Failure: fmt.Sprintf("compiling took longer than %v", limit), Seconds: limit.Seconds()}, false, nil
		case isDied && died.ExitCode != proc.ExitInternal, errors.As(fault, new(*proc.Garbage)):
			p.log.Warn("compile worker died", "error", fault)
			if isDied && died.Crash() {
				crashes++
			}
			if crashes == maxCrashes {
				return Output{Failure: fmt.Sprintf("the compiler crashed on it, %d times", crashes)}, false, nil
			}
		default:
			return Output{}, false, fmt.Errorf("compile: %w", fault)
		}
	}
	// Each of these workers had just compiled a program of ours, so this source is what kills them.
	return Output{Failure: fmt.Sprintf("the compiler was killed on it, %d times (out of memory?)", maxDeaths)}, false, nil
}

// call compiles in one worker. A fault is that worker's; an error means that there is no worker.
func (p *Pool) call(ctx context.Context, source string, limit time.Duration) (reply response, fault, err error) {
	called := false
	wait := trace.Begin(ctx, "wait for a compiler")
	err = p.workers.Do(ctx, func(w *proc.Worker) error {
		wait.End()
		defer trace.Begin(ctx, "compiler").End()
		called = true
		fault = w.Call(ctx, &request{Source: source}, &reply, limit, nil)
		return nil
	})
	if called && err != nil {
		p.log.Warn("compile worker left behind", "error", err)
		err = nil
	}
	return reply, fault, err
}
