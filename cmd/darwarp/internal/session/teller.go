package session

import (
	"cmp"
	"context"
	"errors"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/eval"
	"darwarp/eval/module"
)

// openTeller starts who tells the truth of a problem whose reference is a module of PyTorch: a Python in the sandbox,
// which computes on the first of the GPUs. Another problem has a reference kernel, and nothing is started.
func (s *Session) openTeller(ctx context.Context, t Target, cfg *eval.Config, gpus []int) (
	closing func() error, err error) {
	p := s.Bundle.Problem
	if !p.Reference.IsModule() {
		return func() error { return nil }, nil
	}
	if len(s.Bundle.Families) == 0 {
		return nil, exit.Usagef("%s has no family: write NAME.toml and NAME.cu.tmpl beside its problem.toml", p.Name)
	}
	cfg.Progress("starting Python, which runs the module")
	gpu := module.NoGPU
	if len(gpus) > 0 {
		gpu = gpus[0]
	}
	teller, err := module.NewTeller(ctx, p, s.Bundle.Reference,
		eval.SandboxMode(cmp.Or(t.Sandbox, string(eval.SandboxBest))), gpu)
	var missing *module.Missing
	var refused *module.Refused
	switch {
	case errors.As(err, &missing):
		return nil, exit.Environmentf("%s: a module of PyTorch tells the truth of %s", missing.Why, p.Name)
	case errors.As(err, &refused):
		return nil, exit.Usagef("%s: %s", p.Reference.File, refused.Why)
	case err != nil:
		return nil, err
	}
	cfg.Teller = teller
	return teller.Close, nil
}
