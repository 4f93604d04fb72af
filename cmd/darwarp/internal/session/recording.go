package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval/replay"
	"darwarp/kernels"
	"darwarp/templates"
)

// openShipped answers from the recording that comes with darwarp.
func openShipped(t Target, b *templates.Bundle) (*Session, error) {
	r, err := replay.Shipped(b.Problem.Name)
	if err != nil {
		return nil, exit.Usagef("--device replay: %v; expected one of %s, or a recording's file in place of the problem",
			err, report.OrDash(strings.Join(replay.ShippedNames(), ", ")))
	}
	return replayed(t, r)
}

func openRecording(t Target) (*Session, error) {
	r, err := ReadRecording(t.Problem)
	if err != nil {
		return nil, err
	}
	return replayed(t, r)
}

// MaxRecording bounds a file of recorded or declared spaces in bytes; the largest known one has 60 MB.
const MaxRecording = 256 << 20

// ReadRecording reads a recording, or another tuner's cache, from a file.
func ReadRecording(path string) (*replay.Record, error) {
	data, err := files.Read(path, MaxRecording)
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	r, err := replay.Open(data)
	if err != nil && isRun(data) {
		return nil, exit.Usagef("%s is a run: continue it with %s", path, cmdline.Of("search", "--resume", path))
	}
	if err != nil {
		return nil, exit.Usagef("%s: %v", path, err)
	}
	return r, nil
}

// isRun reports whether a file is one of the store's: a bolt file, whose first page has a number at byte 16.
func isRun(data []byte) bool {
	const page, magic = 16, 0xED0CDAED
	return len(data) >= page+4 && binary.LittleEndian.Uint32(data[page:]) == magic
}

// replayed makes a session of a recording: dtype, workloads and kind of times are what was recorded.
func replayed(t Target, r *replay.Record) (*Session, error) {
	b, err := RecordedBundle(r)
	if err != nil {
		return nil, err
	}
	s := &Session{Bundle: b, DType: r.DType, Workloads: t.picked, Cache: r.Cache, Close: func() error { return nil }}
	switch {
	case t.trace != nil:
		return nil, exit.Usagef("--trace: a recording answers at once, there is nothing to trace")
	case t.DType != "" && kernels.DType(t.DType) != r.DType:
		return nil, exit.Usagef("--dtype %s: the recording is of %s", t.DType, r.DType)
	case t.Cache != "" && t.Cache != r.Cache:
		return nil, exit.Usagef("--cache %s: the recording is of %s times", t.Cache, r.Cache)
	}
	if s.Workloads == nil {
		if s.Workloads, err = recordedWorkloads(b.Problem, r, "--workload", t.Workloads); err != nil {
			return nil, err
		}
	}
	if err := s.counts(t.Objective); err != nil {
		return nil, err
	}
	ev, err := replay.New(r, s.Workloads, t.Jobs)
	if err != nil {
		return nil, exit.Usagef("--workload: %v", err)
	}
	s.Evaluator = ev.By(s.Objective)
	s.Pins = t.pins
	if s.Pins == nil {
		if s.Pins, err = pinsOf(b, t.Genes); err != nil {
			return nil, err
		}
	}
	all, err := r.Spaces(b.Families)
	if err != nil {
		return nil, err
	}
	s.Spaces, err = pinned(all, s.Pins)
	return s, err
}

// RecordedBundle is the problem that a recording carries, or the built-in one of its name.
func RecordedBundle(r *replay.Record) (*templates.Bundle, error) {
	if files := r.Bundle(); files != nil {
		return templates.FromFiles(files)
	}
	return templates.Builtin(r.Problem)
}

// recordedWorkloads are those that the flags name, all recorded ones without flags.
func recordedWorkloads(p *kernels.Problem, r *replay.Record, flag string, flags []string) ([]kernels.Workload, error) {
	if len(flags) == 0 {
		return r.Workloads, nil
	}
	return pickWorkloads(p, flag, flags)
}

// pinned keeps the points of recorded spaces whose genes have one of the pinned values.
func pinned(spaces []*kernels.Space, pins kernels.Pins) ([]*kernels.Space, error) {
	if len(pins) == 0 {
		return spaces, nil
	}
	var out []*kernels.Space
	var why []string
	for _, s := range spaces {
		if _, err := kernels.NewSpace(s.Family, s.Device, s.DType, pins); err != nil && !errors.Is(err,
			kernels.ErrNoLegalPoint) {
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
