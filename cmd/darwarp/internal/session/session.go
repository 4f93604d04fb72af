// Package session opens what candidates are evaluated on: a GPU, the processor or a recording, with the problem,
// the sizes and the spaces that flags or a run ask for.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// Session is an evaluator that is ready, with what is evaluated on it.
type Session struct {
	evolve.Evaluator
	Bundle    *templates.Bundle
	DType     kernels.DType
	Workloads []kernels.Workload
	Objective kernels.Objective
	Pins      kernels.Pins
	Cache     string
	Spaces    []*kernels.Space
	LeftOut   []string // families without a space, with why, in a few words
	Close     func() error
}

// Open readies the device that the target asks for. What it does meanwhile it says to people.
func Open(ctx context.Context, t Target, say func(string, ...any)) (*Session, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Elsewhere != nil {
		return openElsewhere(ctx, t)
	}
	if t.Races && IsFile(t.Problem) {
		return nil, exit.Usagef("--races: %s is a recording, and nothing is run: name the problem or its folder", t.Problem)
	}
	if t.Races && t.Device == "auto" {
		t.Device = "cpu"
	}
	if t.Device == "auto" && t.GPUs != "" && t.GPUs != IdleGPUs {
		t.Device = "cuda" // no other would do
	}
	if t.Races && t.Device != "cpu" {
		return nil, exit.Usagef("--races: only --device cpu can watch every access")
	}
	if IsFile(t.Problem) {
		if t.Device == "cuda" || t.Device == "cpu" {
			return nil, exit.Usagef("--device %s: %s is a recording: name the problem or its folder", t.Device, t.Problem)
		}
		return openRecording(t)
	}
	s, err := t.Read()
	if err != nil {
		return nil, err
	}
	switch t.Device {
	case "cuda", "cpu":
		return s, openPool(ctx, t, s, t.Device, say)
	case "replay":
		return openShipped(t, s.Bundle)
	}
	return openAuto(ctx, t, s, say)
}

// Follow takes over the families that were added to the run while it was searched.
func (s *Session) Follow(run *store.Run) (err error) {
	if files := run.Meta().Files; len(files) != len(s.Bundle.Files) {
		s.Bundle, err = templates.FromFiles(files)
	}
	return err
}

// counts decides what counts over the session's workloads.
func (s *Session) counts(objective string) error {
	s.Objective = cmp.Or(kernels.Objective(objective), kernels.Geomean)
	if err := s.Objective.Check(s.Workloads); err != nil {
		known := []string{string(kernels.Geomean), string(kernels.Worst)}
		for _, w := range s.Workloads {
			known = append(known, w.Name)
		}
		return exit.Usagef("--objective: %v%s", err, report.Meant(objective, known))
	}
	return nil
}

// IsFile reports whether a path is that of a file: a recording, and neither a folder nor the name of a problem.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// about is the target of a device that is opened for what a run is about.
func (t Target) about(m store.Meta) (Target, error) {
	b, err := templates.FromFiles(m.Files)
	if err != nil {
		return t, fmt.Errorf("this version of darwarp cannot read the problem stored in the run: %w", err)
	}
	if err := b.Problem.Fits(m.Workloads, m.DType); err != nil {
		return t, exit.Usagef("what the run is about does not fit its own problem: %v", err)
	}
	t.Bundle, t.picked, t.pins = b, m.Workloads, m.Pins
	t.Foreign = true // whoever may have made the run
	t.Cache, t.DType, t.Objective = m.Cache, string(m.DType), string(m.Objective)
	return t, nil
}

// OpenFor opens the device that a run was made on, with what the run was about.
func OpenFor(ctx context.Context, m store.Meta, t Target, say func(string, ...any)) (*Session, error) {
	t, err := t.about(m)
	if err != nil {
		return nil, err
	}
	if t.Problem != "" && (m.Device.Kind == "cuda" || m.Device.Kind == "cpu") {
		return nil, exit.Usagef("the run was made on %s, and not on a recording: leave out %s", m.Device.Label(), t.Problem)
	}
	if _, err := os.Stat(t.Problem); t.Problem != "" && !IsFile(t.Problem) {
		why := "no regular file"
		if err != nil {
			why = files.Reason(err).Error()
		}
		return nil, exit.Usagef("%s: %s: expected the recording that the run was made on", t.Problem, why)
	}
	if t.Races && m.Device.Kind != "cpu" { // a search for faults, not a comparison of times
		t.picked = nil
		return Open(ctx, t, say)
	}
	if t.Device == "auto" && m.Device.Kind != "" {
		t.Device = m.Device.Kind
	}
	s, err := Open(ctx, t, say)
	if err != nil {
		return nil, err
	}
	if d := s.Device(); d.Name != m.Device.Name || d.Kind != m.Device.Kind || d.Arch != m.Device.Arch {
		return nil, errors.Join(exit.Usagef("the run was made on %s %s, this is %s %s: times of two devices cannot be "+
			"compared",
			m.Device.Label(), m.Device.Arch, d.Label(), d.Arch), s.Close())
	}
	return s, nil
}

// Versus duels two candidates at every workload, as the run times them.
func (s *Session) Versus(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	if p := s.Capabilities().Publisher; p != nil {
		return p.Versus(ctx, champion, challenger, s.Cache)
	}
	return s.Evaluator.Duel(ctx, champion, challenger)
}
