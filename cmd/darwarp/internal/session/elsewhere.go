package session

import (
	"cmp"
	"context"
	"errors"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/eval"
	"darwarp/store"
	"darwarp/templates"
)

// openElsewhere makes a session of devices of other machines. There is none to look at before workers join, so a kind
// is taken for granted: GPUs, unless the target says otherwise.
func openElsewhere(ctx context.Context, t Target) (*Session, error) {
	kind := t.Device
	if kind == "auto" {
		kind = "cuda"
	}
	switch {
	case IsFile(t.Problem) || kind == "replay":
		return nil, exit.Usagef("a recording needs no other machines: leave out --fleet")
	case t.Races:
		return nil, exit.Usagef("--races: only --device cpu of this machine can watch every access; leave out --fleet")
	case t.TraceFile != "":
		return nil, exit.Usagef("--trace: what happens on other machines is not recorded; leave out --fleet")
	case t.GPUs != "" && t.GPUs != IdleGPUs || t.Jobs != 0:
		return nil, exit.Usagef("--gpus and --jobs are said by each worker: darwarp join ... --gpus 0,2")
	}
	s, err := t.Read()
	if err != nil {
		return nil, err
	}
	if kind == "cpu" && t.picked == nil && len(t.Workloads) == 0 {
		s.Workloads = s.Bundle.Problem.SmallWorkloads()
	}
	if err := s.counts(t.Objective); err != nil {
		return nil, err
	}
	opened, err := t.Elsewhere(ctx, s, kind)
	if err != nil {
		return nil, err
	}
	s.Evaluator, s.Close = opened, opened.Close
	if s.Spaces, s.LeftOut, err = SpacesOn(s.Bundle, opened.Device(), s.DType, s.Pins, s.Workloads); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return s, nil
}

// OpenTask opens this machine's device for what a search on another machine is about.
func OpenTask(ctx context.Context, m store.Meta, t Target, say func(string, ...any)) (*Session, error) {
	t, err := t.about(m)
	if err != nil {
		return nil, err
	}
	t.Device = m.Device.Kind
	return Open(ctx, t, say)
}

// OpenCompiler opens this machine's compilers, and no device, for what a search on another machine is about.
func OpenCompiler(ctx context.Context, m store.Meta, t Target, arch string, say func(string, ...any)) (
	*Session, *eval.CompileStation, error) {
	t, err := t.about(m)
	if err != nil {
		return nil, nil, err
	}
	s, err := t.Read()
	if err != nil {
		return nil, nil, err
	}
	fence := eval.SandboxMode(cmp.Or(t.Sandbox, string(eval.SandboxBest)))
	c, err := eval.OpenCompileStation(ctx, templates.Include(), arch, t.cacheDir(say), t.Jobs, fence)
	return s, c, refused(err)
}
