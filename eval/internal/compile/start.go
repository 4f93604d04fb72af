package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"darwarp/eval/internal/proc"
)

// start starts the worker of a slot and lets it compile a program of ours.
func (p *Pool) start(ctx context.Context, slot int) (*proc.Worker, error) {
	p.mu.Lock()
	plain := p.plain
	p.mu.Unlock()
	folder, err := p.home.fill(slot, p.setup(plain), p.cfg.Headers, p.cfg.overlay())
	if err != nil {
		return nil, err
	}
	w, err := proc.Start(ctx, proc.Spec{
		Args: []string{"worker", cmp.Or(p.cfg.Worker, "compile"), folder},
		Dir:  workDir(folder),
		Env:  append([]string{"TMPDIR=" + tempDir(folder), "GOMAXPROCS=2"}, p.cfg.allocator()...),
		Nice: niceness, Fence: p.cfg.Fence(folder),
	})
	if err != nil {
		return nil, err
	}
	var ready response
	if err := w.Call(ctx, &request{Source: readySource(p.cfg.Headers), Prepare: true}, &ready,
		readyTimeout, nil); err != nil {
		if !plain && ctx.Err() == nil {
			p.goPlain(err.Error()) // the next attempt shows whether this was the reason
		}
		return nil, errors.Join(err, w.Close())
	}
	if ready.Failure != "" {
		if !plain {
			p.goPlain(ready.Failure)
		}
		return nil, errors.Join(fmt.Errorf("%s does not compile the include library: %s", ready.Compiler,
			ready.Failure), w.Close())
	}
	if ready.NoPCH != "" {
		p.goPlain(ready.NoPCH)
	}
	return w, p.meet(ready.Compiler)
}

// keptMemory has glibc keep what a compile frees for the next one. Otherwise NVRTC, which allocates and frees some tens
// of megabytes for each source, gets them from the kernel page by page every time, each page zeroed. Other C libraries
// do not read it. The processor time with and without: docs/results/compile.md.
const keptMemory = "GLIBC_TUNABLES=glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=33554432:" +
	"glibc.malloc.top_pad=4194304:glibc.malloc.arena_max=1"

// allocator is what a worker's environment says to its allocator. A C++ compiler is a process for each source.
func (c *Config) allocator() []string {
	if c.Worker == "cxx" || c.without == "kept" {
		return nil
	}
	return []string{keptMemory}
}

// overlay is what replaces headers, for NVRTC in most sources.
func (c *Config) overlay() map[string][]byte {
	if c.Worker == "cxx" {
		return c.Overlay
	}
	return stubs
}

// goPlain gives up precompiled headers, and says so once.
func (p *Pool) goPlain(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.plain {
		p.log.Warn("compiling without precompiled headers", "reason", why)
	}
	p.plain = true
}

// meet records the version of a worker's compiler, which must not change: it is part of IDs.
func (p *Pool) meet(compiler string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.compiler != "" && p.compiler != compiler {
		return fmt.Errorf("the compiler at %s was %s and is now %s", p.cfg.Library, p.compiler, compiler)
	}
	p.compiler = compiler
	return nil
}

// setup is the configuration of a worker.
func (p *Pool) setup(plain bool) setup {
	return setup{Library: p.cfg.Library, IncludeDirs: p.cfg.IncludeDirs, Arch: p.cfg.Arch, Memory: p.cfg.Memory,
		PCH: !plain && hasPreamble(p.cfg.Headers), Checked: p.cfg.Checked, CacheDir: p.cfg.runtimes()}
}
