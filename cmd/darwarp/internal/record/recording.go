package record

import (
	"errors"
	"slices"

	"darwarp/eval/replay"
	"darwarp/kernels"
)

// Recording is what a run measured.
func (r *Record) Recording() (*replay.Record, int, error) {
	m := r.Meta()
	rec := &replay.Record{Format: replay.Format, About: "a run of darwarp " + m.Version, Problem: m.Problem,
		DType: m.DType, Cache: m.Cache,
		Workloads: m.Workloads, Device: m.Device, Files: map[string]string{}}
	for name, text := range m.Files {
		rec.Files[name] = string(text)
	}
	left, seen := 0, map[string]bool{}
	err := r.Each(func(c kernels.Candidate) error {
		label := c.Variant.Label()
		at := slices.IndexFunc(r.Bundle.Families, func(f *kernels.Family) bool { return f.Name == c.Variant.Family })
		if at < 0 || seen[label] || c.Result.Outcome == kernels.Lost || rec.Add(r.Bundle.Families[at], &c) != nil {
			left++ // also a duplicate of an own source: its times are nowhere
			return nil
		}
		seen[label] = true
		if rec.Provenance.Protocol == "" && c.Result.Provenance != "" {
			var err error
			rec.Provenance, err = r.Provenance(c.Result.Provenance)
			return err
		}
		return nil
	})
	if err == nil && rec.Len() == 0 {
		err = errors.New("the run has no candidate that was judged: let it search first")
	}
	return rec, left, err
}
