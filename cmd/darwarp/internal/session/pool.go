package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/eval/replay"
	"darwarp/templates"
)

// openAuto takes a GPU, else the processor, else a recording, and says why.
func openAuto(ctx context.Context, t Target, s *Session, say func(string, ...any)) (*Session, error) {
	var noGPU, noCPU *env.Error
	whole := s.Bundle
	err := openPool(ctx, t, s, "cuda", say)
	if err == nil || !errors.As(err, &noGPU) {
		return s, err
	}
	say("no GPU to use here: %v", noGPU)
	if env.Locate().CXX.Path != "" {
		say("device: cpu; all times are CPU times")
	}
	s.Bundle = whole // the sizes may be others there
	err = openPool(ctx, t, s, "cpu", say)
	if err == nil || !errors.As(err, &noCPU) {
		return s, err
	}
	if !slices.Contains(replay.ShippedNames(), s.Bundle.Problem.Name) {
		return nil, exit.Environmentf("no device can run %s: %v; and for --device cpu: %v", s.Bundle.Problem.Name, noGPU,
			noCPU)
	}
	say("device: replay of a recording, because the cpu device cannot be used either: %v", noCPU)
	return openShipped(t, s.Bundle)
}

// openPool readies a GPU or the processor. The processor takes small sizes unless others are named.
func openPool(ctx context.Context, t Target, s *Session, kind string, say func(string, ...any)) error {
	if kind == "cpu" && t.picked == nil && len(t.Workloads) == 0 {
		s.Workloads = s.Bundle.Problem.SmallWorkloads()
	}
	if err := s.counts(t.Objective); err != nil {
		return err
	}
	if err := s.bearable(kind); err != nil {
		return err
	}
	if err := s.fix(t); err != nil {
		return err
	}
	phases := &progress.Phases{Say: say}
	defer phases.End()
	cfg := s.config(t, phases)
	cfg.Kind, cfg.Races, cfg.Objective, cfg.CacheDir, cfg.Log = kind, t.Races, s.Objective, t.cacheDir(say), t.Log
	cfg.Trace = t.trace
	var gpus []int
	var err error
	if kind == "cuda" {
		if gpus, err = t.chooseGPUs(ctx, s.Bundle.Problem.Name, say); err != nil {
			return err
		}
	}
	closeTeller, err := s.openTeller(ctx, t, &cfg, gpus)
	if err != nil {
		return err
	}
	pool, err := openDevice(ctx, cfg, gpus)
	if err != nil {
		return refused(errors.Join(err, closeTeller()))
	}
	s.Evaluator, s.Close = pool, func() error { return errors.Join(pool.Close(), closeTeller()) }
	if s.Spaces, s.LeftOut, err = SpacesOn(s.Bundle, pool.Device(), s.DType, s.Pins, s.Workloads); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// fix makes the problem of a new run one of the sizes that its workloads have. A run has the problem that it carries.
func (s *Session) fix(t Target) (err error) {
	if t.Bundle == nil {
		s.Bundle, err = s.Bundle.For(s.Workloads)
	}
	return err
}

// Twins opens the GPU and the cpu device side by side, for the same candidates. Nothing is timed there.
func (s *Session) Twins(ctx context.Context, t Target, say func(string, ...any)) (*eval.Twins, error) {
	if s.Bundle.Problem.Reference.IsModule() {
		return nil, exit.Usagef("%s: a module of PyTorch tells its truth: two devices side by side need a reference kernel",
			s.Bundle.Problem.Name)
	}
	phases := &progress.Phases{Say: say}
	defer phases.End()
	twins, err := eval.OpenTwins(ctx, s.config(t, phases))
	if errors.Is(err, eval.ErrTooLarge) {
		return nil, exit.Usagef("%v", err)
	}
	return twins, err
}

// config is what every device of the session gets.
func (s *Session) config(t Target, phases *progress.Phases) eval.Config {
	var archs []string
	for _, f := range s.Bundle.Families {
		if !t.Few {
			archs = append(archs, f.Arch)
		}
	}
	fence := cmp.Or(t.Sandbox, string(eval.SandboxBest))
	foreign := t.Foreign || t.Bundle == nil && !slices.Contains(templates.Builtins(), t.Problem)
	began := func(phase string) {
		t.Watch.Begin(phase)
		phases.Begin(phase)
	}
	return eval.Config{
		Problem: s.Bundle.Problem, Reference: s.Bundle.ReferenceSource(s.DType), Headers: templates.Include(),
		DType: s.DType, Acc: s.Bundle.Problem.Accumulators(s.Bundle.Families, s.Pins),
		Workloads: s.Workloads, Cache: s.Cache, Version: Version(),
		Means:     eval.Means{Jobs: t.Jobs, Archs: archs},
		Trust:     eval.Trust{Sandbox: eval.SandboxMode(fence), Foreign: foreign},
		Listeners: eval.Listeners{Progress: began},
	}
}

// cacheDir is where the target's compiled candidates are kept, empty: nowhere.
func (t Target) cacheDir(say func(string, ...any)) string {
	if t.Uncached {
		return ""
	}
	dir, err := CacheDir()
	if err != nil {
		say("compiled candidates are not cached: %v", err)
		return ""
	}
	return dir
}

// CacheSwitch is the variable of the environment that switches the cache of compiled candidates off.
const CacheSwitch = "DARWARP_CACHE"

// CacheDir is where compiled candidates are kept, empty: nowhere, because nobody wants them to be.
func CacheDir() (string, error) {
	switch v := os.Getenv(CacheSwitch); v {
	case "":
	case "off":
		return "", nil
	default:
		return "", fmt.Errorf("%s is %q: expected off, or nothing", CacheSwitch, v)
	}
	base, err := os.UserCacheDir()
	return filepath.Join(base, "darwarp"), err
}
