package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// record is a run that is open for reading, with what is needed to render its candidates.
type record struct {
	*store.Run
	bundle *templates.Bundle
}

// openRecord opens a run for reading, whether or not a search is writing it.
func openRecord(path string) (*record, error) {
	path = runPath(path)
	if err := isRunFile(path); err != nil {
		return nil, err
	}
	run, err := store.View(path)
	if err != nil {
		return nil, err
	}
	r, err := recordOf(run)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return r, nil
}

// recordOf adds the problem that a run carries.
func recordOf(run *store.Run) (*record, error) {
	b, err := templates.FromFiles(run.Meta().Files)
	if err != nil {
		return nil, fmt.Errorf("%s: the problem that the run carries cannot be read by this darwarp: %w", run.Path(), err)
	}
	return &record{run, b}, nil
}

// isRunFile tells a mistyped name from a file that the store should judge.
func isRunFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return exit.Usagef("%s: no such run: expected the file that `darwarp search` wrote", path)
	case err != nil:
		return exit.Usagef("%v", err)
	case info.IsDir():
		return exit.Usagef("%s is a folder: expected the file that `darwarp search` wrote", path)
	}
	return nil
}

// pick finds a candidate as the user names it; without a name it is the champion, or the best while
// there is no champion.
func (r *record) pick(name string) (kernels.Candidate, error) {
	if name == "" {
		name = "best"
		if _, ok := r.Champion(); ok {
			name = "champion"
		}
	}
	c, err := r.Find(name)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAmbiguous) {
		return c, &exit.Error{Code: exit.Usage, Err: err}
	}
	return c, err
}

// job renders a candidate as the run's device compiles it. The warning is not empty when today's
// darwarp does not give the source that was measured.
func (r *record) job(c kernels.Candidate) (j kernels.Job, warning string, err error) {
	j, err = r.bundle.VariantJob(c.Variant, r.Meta().Device, r.Meta().DType)
	if err == nil && j.ID != c.ID {
		warning = fmt.Sprintf("candidate %s renders to %s here: the device include library or the renderer has changed since the run,\n"+
			"so this source may differ from the one that was measured", c.ID.Short(), j.ID.Short())
	}
	return j, warning, err
}

// proof is what a candidate's figures stand on; nil when the run does not have it, and then the
// figures are not shown.
func (r *record) proof(c kernels.Candidate) (*kernels.Provenance, error) {
	return r.proofOf(c.Result.Proof)
}

func (r *record) proofOf(key string) (*kernels.Provenance, error) {
	if key == "" {
		return nil, nil
	}
	p, err := r.Provenance(key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &p, err
}

// lineage is the path to a candidate from the naive start: each step's better parent, oldest first. A
// step without parents, drawn at random, follows the start itself.
func (r *record) lineage(c kernels.Candidate) ([]kernels.Candidate, error) {
	path := []kernels.Candidate{c}
	for len(c.Origin.Parents) > 0 && len(path) <= r.Len() {
		next, err := r.betterParent(c)
		if err != nil {
			return nil, err
		}
		path = append(path, next)
		c = next
	}
	if c.Origin.Operator != naiveStart {
		start, err := startOf(r.Run)
		if err != nil {
			return nil, err
		}
		if start != nil {
			path = append(path, *start)
		}
	}
	slices.Reverse(path)
	return path, nil
}

func (r *record) betterParent(c kernels.Candidate) (best kernels.Candidate, err error) {
	for _, id := range c.Origin.Parents {
		p, err := r.Get(id)
		if err != nil {
			return best, err
		}
		if best.ID.IsZero() || p.Score > 0 && (best.Score == 0 || p.Score < best.Score) {
			best = p
		}
	}
	return best, nil
}

// startOf is the naive start, nil while the run has no verdict on it.
func startOf(run *store.Run) (start *kernels.Candidate, err error) {
	err = run.Each(func(c kernels.Candidate) error {
		if c.Origin.Operator == naiveStart && c.Result.Outcome == kernels.OK {
			start = &c
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return start, err
}

// errFound ends a walk early.
var errFound = errors.New("found")

// withRecord runs fn on an open record and closes it.
func (a *app) withRecord(path string, fn func(*record) error) error {
	r, err := openRecord(path)
	if err != nil {
		return err
	}
	return errors.Join(fn(r), r.Close())
}
