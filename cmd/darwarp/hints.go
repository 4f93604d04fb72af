package main

import (
	"errors"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// readHints reads what another run found; an empty path is no run. A run without a candidate of a
// template cannot help, which is a mistake of who names it.
func readHints(path string) (out []evolve.Hint, err error) {
	if path == "" {
		return nil, nil
	}
	if err := isRunFile(path); err != nil {
		return nil, err
	}
	run, err := store.View(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	err = run.Each(func(c kernels.Candidate) error {
		if h, ok := evolve.HintOf(&c); ok {
			out = append(out, h)
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		return nil, usagef("--from %s: it has no candidate of a template: name a run that found some", path)
	}
	return out, err
}
