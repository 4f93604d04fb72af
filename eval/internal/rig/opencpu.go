package rig

import (
	"context"
	"errors"
	"fmt"

	"darwarp/eval/env"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/cpu"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/sandbox"
)

// idleNice is the niceness of workers that take what time nobody else wants.
const idleNice = 19

// openCPU readies this machine's processor: the same sources, compiled against the emulation.
func (p *Rig) openCPU(ctx context.Context, where env.Location) (err error) {
	if err := where.CXX.Missing(); err != nil {
		return err
	}
	p.role, p.Device = runner.CPU.In(p.Cfg.fence()), cpu.Describe()
	p.role.Children = p.Cfg.Races
	if p.Idle {
		p.role.Nice = idleNice
	}
	p.Cfg.Say("starting compilers, which compile the emulation of CUDA the first time")
	fence := p.Cfg.fence()
	if p.Compiler, err = p.cxx(ctx, where, false, fence); err != nil && fence == sandbox.Best {
		inside := err
		if p.Compiler, err = p.cxx(ctx, where, false, ""); err == nil { // compilers keep their parts where they like
			fence = ""
			err = p.Cfg.unfenced("the compiler", "compilers", inside)
		}
	}
	var refused *env.Error
	if ctx.Err() != nil || errors.As(err, &refused) {
		return errors.Join(err, ctx.Err())
	}
	if err == nil && p.Cfg.Races {
		p.Checkers, err = p.cxx(ctx, where, true, fence)
	}
	if err := env.UnusableFolder(err); err != nil {
		return err
	}
	if err != nil {
		return &env.Error{What: "a working C++17 compiler", Why: fmt.Sprintf("%s cannot serve the cpu device: %v",
			where.CXX.Path, err), Tried: where.CXX.Tried, Do: where.CXX.Do}
	}
	return nil
}

func (p *Rig) cxx(ctx context.Context, where env.Location, checked bool, fence sandbox.Mode) (*compile.Pool, error) {
	cfg := cpu.Compiler(where.CXX.Path, p.Cfg.Headers, checked)
	cfg.Slots, cfg.CacheDir, cfg.Log, cfg.Sandbox = p.Cfg.jobs(), p.Cfg.CacheDir, p.Log, fence
	return compile.New(ctx, cfg)
}
