package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval"
	"darwarp/eval/replay"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// target is what the flags say about where and what to evaluate.
type target struct {
	problem   string // name, folder or recording
	device    string // auto, cuda, cpu or replay
	dtype     string
	cache     string // hot or cold; empty: hot, or what was recorded
	objective string
	workloads []string
	genes     []string
	jobs      int
	races     bool              // cpu: look for races
	uncached  bool              // compile everything anew
	sandbox   string            // best, strict or off; empty: best
	bundle    *templates.Bundle // set: the problem as a run carries it
	// set with bundle
	picked []kernels.Workload
	pins   kernels.Pins
	log    *slog.Logger
}

// session is an evaluator that is ready, with what is evaluated on it.
type session struct {
	evolve.Evaluator
	bundle    *templates.Bundle
	dtype     kernels.DType
	workloads []kernels.Workload
	objective kernels.Objective
	pins      kernels.Pins
	cache     string
	spaces    []*kernels.Space
	leftOut   []string // families without a space, with why, in a few words
	races     bool     // it is about faults and not about times
	close     func() error

	hear []func(evolve.Event) // each hears the search's events, and must be quick; may be nil
	skip context.CancelFunc   // ends what follows the search; may be nil
}

var deviceNames = []string{"auto", "cuda", "cpu", "replay"}

// open readies the device that the target asks for.
func (a *app) open(ctx context.Context, t target) (*session, error) {
	if !slices.Contains(deviceNames, t.device) {
		return nil, exit.Usagef("--device %q: expected %s", t.device, strings.Join(deviceNames, ", "))
	}
	if t.cache != "" && t.cache != "hot" && t.cache != "cold" {
		return nil, exit.Usagef("--cache %q: expected hot or cold", t.cache)
	}
	if t.jobs < 0 {
		return nil, exit.Usagef("--jobs %d: expected 0 (one a core) or more", t.jobs)
	}
	if t.sandbox != "" && !slices.Contains(eval.SandboxModes(), t.sandbox) {
		return nil, exit.Usagef("--sandbox %q: expected %s", t.sandbox, strings.Join(eval.SandboxModes(), ", "))
	}
	if t.races && t.device == "auto" {
		t.device = "cpu"
	}
	if t.races && t.device != "cpu" {
		return nil, exit.Usagef("--races: only --device cpu can watch every access")
	}
	if isFile(t.problem) {
		if t.device == "cuda" || t.device == "cpu" {
			return nil, exit.Usagef("--device %s: %s is a recording: name the problem or its folder", t.device, t.problem)
		}
		return a.openRecording(t)
	}
	s, err := t.read()
	if err != nil {
		return nil, err
	}
	switch t.device {
	case "cuda", "cpu":
		return s, a.openPool(ctx, t, s, t.device)
	case "replay":
		return a.openShipped(t, s.bundle)
	}
	return a.openAuto(ctx, t, s)
}

// openAuto takes a GPU, else the processor, else a recording, and says why.
func (a *app) openAuto(ctx context.Context, t target, s *session) (*session, error) {
	var noGPU, noCPU *eval.EnvError
	err := a.openPool(ctx, t, s, "cuda")
	if err == nil || !errors.As(err, &noGPU) {
		return s, err
	}
	a.Sayf("no GPU to use here: %v", noGPU)
	if eval.Locate().CXX.Path != "" {
		a.Sayf("device: cpu; all times are CPU times")
	}
	err = a.openPool(ctx, t, s, "cpu")
	if err == nil || !errors.As(err, &noCPU) {
		return s, err
	}
	if !slices.Contains(replay.ShippedNames(), s.bundle.Problem.Name) {
		return nil, exit.Environmentf("no device can run %s: %v; and for --device cpu: %v", s.bundle.Problem.Name, noGPU, noCPU)
	}
	a.Sayf("device: replay of a recording, for the processor cannot be used either: %v", noCPU)
	return a.openShipped(t, s.bundle)
}

// read resolves what the target says about the problem.
func (t target) read() (s *session, err error) {
	s = &session{bundle: t.bundle, workloads: t.picked, pins: t.pins, cache: cmp.Or(t.cache, "hot"), close: func() error { return nil }}
	if s.bundle == nil {
		if s.bundle, err = loadBundle(t.problem); err != nil {
			return nil, err
		}
		if s.workloads, err = pickWorkloads(s.bundle.Problem, t.workloads); err != nil {
			return nil, err
		}
		if s.pins, err = parsePins(t.genes); err != nil {
			return nil, err
		}
	}
	if s.workloads == nil {
		s.workloads = s.bundle.Problem.DefaultWorkloads()
	}
	s.dtype, err = pickDType(s.bundle.Problem, t.dtype)
	return s, err
}

// follow takes up the families that came to the run while it was searched.
func (s *session) follow(run *store.Run) (err error) {
	if files := run.Meta().Files; len(files) != len(s.bundle.Files) {
		s.bundle, err = templates.FromFiles(files)
	}
	return err
}

// counts decides what counts over the session's workloads.
func (s *session) counts(objective string) error {
	s.objective = cmp.Or(kernels.Objective(objective), kernels.Geomean)
	if err := s.objective.Check(s.workloads); err != nil {
		return exit.Usagef("--objective: %v", err)
	}
	return nil
}

// openPool readies a GPU or the processor. The processor takes small sizes unless others are named.
func (a *app) openPool(ctx context.Context, t target, s *session, kind string) error {
	workloads := s.workloads
	if kind == "cpu" && t.picked == nil && len(t.workloads) == 0 {
		workloads = s.bundle.Problem.SmallWorkloads()
	}
	s.workloads = workloads
	if err := s.counts(t.objective); err != nil {
		return err
	}
	cache, err := cacheDir()
	if err != nil && !t.uncached {
		a.Sayf("compiled candidates are not cached: %v", err)
	}
	if err != nil || t.uncached {
		cache = ""
	}
	pool, err := eval.Open(ctx, eval.Config{
		Kind: kind, Races: t.races, Problem: s.bundle.Problem, Reference: s.bundle.ReferenceSource(s.dtype), Headers: templates.Include(),
		DType: s.dtype, Acc: s.bundle.Problem.Accumulators(s.bundle.Families, s.pins), Workloads: workloads, Objective: s.objective, Cache: s.cache, Jobs: t.jobs, CacheDir: cache, Version: version(),
		Sandbox: eval.SandboxMode(cmp.Or(t.sandbox, string(eval.SandboxBest))),
		Log:     t.log, Progress: func(what string) { a.Sayf("%s ...", what) },
	})
	if errors.Is(err, eval.ErrTooLarge) || errors.Is(err, eval.ErrUnfit) {
		return exit.Usagef("%v", err)
	}
	if err != nil {
		return err
	}
	s.Evaluator, s.close = pool, pool.Close
	if s.spaces, s.leftOut, err = spacesOn(s.bundle, pool.Device(), s.dtype, s.pins); err != nil {
		return errors.Join(err, pool.Close())
	}
	return nil
}

// openShipped answers from the recording that comes with darwarp.
func (a *app) openShipped(t target, b *templates.Bundle) (*session, error) {
	r, err := replay.Shipped(b.Problem.Name)
	if err != nil {
		return nil, exit.Usagef("--device replay: %v; expected one of %s, or a recording's file in place of the problem",
			err, report.OrDash(strings.Join(replay.ShippedNames(), ", ")))
	}
	return a.replay(t, r)
}

func (a *app) openRecording(t target) (*session, error) {
	r, err := readRecording(t.problem)
	if err != nil {
		return nil, err
	}
	return a.replay(t, r)
}

func readRecording(path string) (*replay.Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	r, err := replay.Open(data)
	if err != nil {
		return nil, exit.Usagef("%s: %v", path, err)
	}
	return r, nil
}

// replay makes a session of a recording: dtype, workloads and kind of times are what was recorded.
func (a *app) replay(t target, r *replay.Record) (*session, error) {
	b, err := recordedBundle(r)
	if err != nil {
		return nil, err
	}
	s := &session{bundle: b, dtype: r.DType, workloads: t.picked, cache: r.Cache, close: func() error { return nil }}
	switch {
	case t.dtype != "" && kernels.DType(t.dtype) != r.DType:
		return nil, exit.Usagef("--dtype %s: the recording is of %s", t.dtype, r.DType)
	case t.cache != "" && t.cache != r.Cache:
		return nil, exit.Usagef("--cache %s: the recording is of %s times", t.cache, r.Cache)
	}
	if s.workloads == nil {
		if s.workloads, err = recordedWorkloads(b.Problem, r, t.workloads); err != nil {
			return nil, err
		}
	}
	if err := s.counts(t.objective); err != nil {
		return nil, err
	}
	ev, err := replay.New(r, s.workloads, t.jobs)
	if err != nil {
		return nil, exit.Usagef("--workload: %v", err)
	}
	s.Evaluator = ev.By(s.objective)
	s.pins = t.pins
	if s.pins == nil {
		if s.pins, err = parsePins(t.genes); err != nil {
			return nil, err
		}
	}
	all, err := r.Spaces(b.Families)
	if err != nil {
		return nil, err
	}
	s.spaces, err = pinned(all, s.pins)
	return s, err
}

// recordedBundle is the problem that a recording carries, or the built-in one of its name.
func recordedBundle(r *replay.Record) (*templates.Bundle, error) {
	if files := r.Bundle(); files != nil {
		return templates.FromFiles(files)
	}
	return templates.Builtin(r.Problem)
}

// recordedWorkloads are those that the flags name, all recorded ones without flags.
func recordedWorkloads(p *kernels.Problem, r *replay.Record, flags []string) ([]kernels.Workload, error) {
	if len(flags) == 0 {
		return r.Workloads, nil
	}
	return pickWorkloads(p, flags)
}

// spacesOn makes the space of every family that the device can run and that has the pinned genes. leftOut are the others,
// with why, in a few words.
func spacesOn(b *templates.Bundle, dev kernels.Device, t kernels.DType, pins kernels.Pins) (out []*kernels.Space, leftOut []string, err error) {
	var why []string
	for _, f := range b.Families {
		if !f.Runs(dev) {
			why = append(why, fmt.Sprintf("family %s needs %s", f.Name, f.Arch))
			leftOut = append(leftOut, fmt.Sprintf("%s (needs %s)", f.Name, f.Arch))
			continue
		}
		if kernels.Grown(f.Name) { // what is fixed are the problem's genes
			pins = nil
		}
		s, err := kernels.NewSpace(f, dev, t, pins)
		if err != nil {
			why = append(why, err.Error())
			leftOut = append(leftOut, fmt.Sprintf("%s (%s)", f.Name, unsuited(f, pins, err)))
			continue
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, nil, exit.Usagef("nothing to search on %s: %s", dev.Arch, strings.Join(why, "; "))
	}
	return out, leftOut, nil
}

// unsuited says in a few words why a family has no space with such pins.
func unsuited(f *kernels.Family, pins kernels.Pins, err error) string {
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		if !slices.Contains(f.GeneNames(), name) { // the error lists those that it has
			return "no gene " + name
		}
	}
	return report.FirstLine(err.Error())
}

// pinned keeps the points of recorded spaces whose genes have one of the pinned values.
func pinned(spaces []*kernels.Space, pins kernels.Pins) ([]*kernels.Space, error) {
	if len(pins) == 0 {
		return spaces, nil
	}
	var out []*kernels.Space
	var why []string
	for _, s := range spaces {
		if _, err := kernels.NewSpace(s.Family, s.Device, s.DType, pins); err != nil && !errors.Is(err, kernels.ErrNoLegalPoint) {
			why = append(why, err.Error())
			continue
		}
		var points [][]uint8
		for i := range s.Len() {
			if p := s.At(i); allows(pins, s.Genome(p)) {
				points = append(points, p)
			}
		}
		if len(points) == 0 {
			why = append(why, fmt.Sprintf("no recorded point of family %s has these values", s.Family.Name))
			continue
		}
		kept, err := kernels.NewSpaceFromPoints(s.Family, s.Device, s.DType, points)
		if err != nil {
			return nil, err
		}
		out = append(out, kept)
	}
	if len(out) == 0 {
		return nil, exit.Usagef("--gene: %s", strings.Join(why, "; "))
	}
	return out, nil
}

func allows(pins kernels.Pins, g kernels.Genome) bool {
	for name, values := range pins {
		if v, ok := g[name]; !ok || !slices.Contains(values, v) {
			return false
		}
	}
	return true
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// sessionOf opens the device that a run was made on, with what the run was about.
func (a *app) sessionOf(ctx context.Context, m store.Meta, t target) (*session, error) {
	b, err := templates.FromFiles(m.Files)
	if err != nil {
		return nil, fmt.Errorf("the problem that the run carries cannot be read by this darwarp: %w", err)
	}
	t.cache, t.dtype, t.bundle, t.picked, t.pins, t.objective = m.Cache, string(m.DType), b, m.Workloads, m.Pins, string(m.Objective)
	if t.races && m.Device.Kind != "cpu" { // a search for faults, not a comparison of times
		t.picked = nil
		return a.open(ctx, t)
	}
	if t.device == "auto" && m.Device.Kind != "" {
		t.device = m.Device.Kind
	}
	s, err := a.open(ctx, t)
	if err != nil {
		return nil, err
	}
	if d := s.Device(); d.Name != m.Device.Name || d.Kind != m.Device.Kind || d.Arch != m.Device.Arch {
		return nil, errors.Join(exit.Usagef("the run was made on %s %s, this is %s %s: times of two devices do not compare", m.Device.Label(), m.Device.Arch, d.Label(), d.Arch), s.close())
	}
	return s, nil
}
