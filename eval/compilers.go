package eval

import (
	"context"
	"errors"

	"darwarp/eval/env"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/cpu"
	"darwarp/eval/internal/sandbox"
)

// Compilers try sources outside of any search: with NVRTC, or else with the C++ compiler of the cpu device.
type Compilers struct {
	where   env.Location
	headers map[string][]byte
	cache   string
	pools   map[string]*compile.Pool // by architecture; the C++ compiler has none
	plain   bool                     // NVRTC does not work here
}

// LocateCompilers looks for compilers, and starts none. Headers are the device include library; cache is a folder for
// what is compiled, or empty.
func LocateCompilers(headers map[string][]byte, cache string) *Compilers {
	return &Compilers{where: env.Locate(), headers: headers, cache: cache, pools: map[string]*compile.Pool{}}
}

func (c *Compilers) nvrtc() bool {
	return !c.plain && c.where.NVRTC.Path != "" && c.where.Headers.Path != ""
}

// Name is which compiler is used: NVRTC, the C++ compiler's path, or empty if there is none.
func (c *Compilers) Name() string {
	if c.nvrtc() {
		return "NVRTC"
	}
	return c.where.CXX.Path
}

// Close ends the workers.
func (c *Compilers) Close() (err error) {
	for _, p := range c.pools {
		err = errors.Join(err, p.Close())
	}
	return err
}

// Compile compiles a source for an architecture. Failure is the compiler's message to the source's author; unsupported
// says that the failure is a feature that this compiler lacks. An error means that nothing can be compiled.
func (c *Compilers) Compile(ctx context.Context, arch, source string) (failure string, unsupported bool, err error) {
	p, err := c.pool(ctx, arch)
	if err != nil && c.nvrtc() && c.where.CXX.Path != "" {
		c.plain = true // headers may be missing, or not fit
		p, err = c.pool(ctx, arch)
	}
	if err != nil {
		return "", false, err
	}
	out, err := p.Compile(ctx, source)
	return out.Failure, out.Unsupported, err
}

func (c *Compilers) pool(ctx context.Context, arch string) (p *compile.Pool, err error) {
	if !c.nvrtc() {
		arch = ""
	}
	if p = c.pools[arch]; p == nil {
		if p, err = c.open(ctx, arch); err == nil {
			c.pools[arch] = p
		}
	}
	return p, err
}

// open starts a compiler in a sandbox, or without one where compilers keep their parts at places that it does not know.
func (c *Compilers) open(ctx context.Context, arch string) (*compile.Pool, error) {
	cfg := compile.Config{Library: c.where.NVRTC.Path, IncludeDirs: c.where.Include, Headers: c.headers, Arch: arch}
	if arch == "" {
		if err := c.where.CXX.Missing(); err != nil {
			return nil, err
		}
		cfg = cpu.Compiler(c.where.CXX.Path, c.headers, false)
	}
	cfg.Slots, cfg.CacheDir, cfg.Sandbox = 1, c.cache, sandbox.Best
	p, err := compile.New(ctx, cfg)
	if err != nil && env.UnusableFolder(err) == nil {
		cfg.Sandbox = ""
		p, err = compile.New(ctx, cfg)
	}
	if folder := env.UnusableFolder(err); folder != nil {
		return nil, folder
	}
	return p, err
}
