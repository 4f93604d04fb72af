// Package record reads a run, whether or not a search is writing it, with the problem that it carries.
package record

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/store"
	"darwarp/templates"
)

// Record is a run that is open for reading, with what is needed to render its candidates.
type Record struct {
	*store.Run
	Bundle *templates.Bundle
}

// Open opens a run for reading, whether or not a search is writing it.
func Open(path string) (*Record, error) {
	path = Locate(path)
	if err := CheckFile(path); err != nil {
		return nil, err
	}
	run, err := store.View(path)
	if err != nil {
		return nil, err
	}
	r, err := Of(run)
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return r, nil
}

// Of adds the problem that a run carries.
func Of(run *store.Run) (*Record, error) {
	b, err := templates.FromFiles(run.Meta().Files)
	if err != nil {
		return nil, fmt.Errorf("%s: this version of darwarp cannot read the problem stored in the run: %w", run.Path(), err)
	}
	m := run.Meta()
	if err := b.Problem.Fits(m.Workloads, m.DType); err != nil {
		return nil, exit.Usagef("%s: what the run is about does not fit its own problem: %v", run.Path(), err)
	}
	if _, err := run.Trials(); err != nil { // a trial that is not read would hide that a champion fell
		return nil, err
	}
	return &Record{run, b}, nil
}

// CheckFile tells a mistyped name from a file that the store should judge.
func CheckFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return exit.Usagef("the name of the run is empty: expected the file that `darwarp search` wrote")
	case errors.Is(err, os.ErrNotExist):
		return exit.Usagef("%s: no such run: expected the file that `darwarp search` wrote", path)
	case err != nil:
		return exit.Usagef("%s: %w: expected the file that `darwarp search` wrote", path, files.Reason(err))
	case info.IsDir():
		return exit.Usagef("%s is a folder: expected the file that `darwarp search` wrote", path)
	case !info.Mode().IsRegular():
		return exit.Usagef("%s is no regular file: expected the file that `darwarp search` wrote", path)
	}
	return nil
}

// Pick finds a candidate as the user names it; without a name it is the best.
func (r *Record) Pick(name string) (kernels.Candidate, error) {
	if name == "" {
		name = store.Best
	}
	c, err := r.Find(name)
	named := slices.Contains([]string{store.Best, store.ChampionName, store.LowestScore}, name)
	if named && errors.Is(err, store.ErrNotFound) {
		return c, exit.Usagef("%w; `%s` shows why", err, cmdline.Of("top", r.Path(), "--all"))
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAmbiguous) {
		return c, exit.Usagef("%w%s", err, report.Meant(name, []string{"best", "champion"}))
	}
	return c, err
}

// Job renders a candidate as the run's device compiles it. The warning is not empty when today's
// darwarp does not give the source that was measured.
func (r *Record) Job(c kernels.Candidate) (j kernels.Job, warning string, err error) {
	j, err = r.Bundle.VariantJob(c.Variant, r.Meta().Device, r.Meta().DType)
	if err != nil { // what the run's own problem does not have
		err = exit.Usagef("%s: candidate %s cannot be rendered: %v", r.Path(), c.ID.Short(), err)
	}
	if err == nil && j.ID != c.ID {
		warning = fmt.Sprintf("candidate %s renders to %s here: the device include library or the renderer has changed "+
			"since the run,\n"+
			"so this source may differ from the one that was measured", c.ID.Short(), j.ID.Short())
	}
	return j, warning, err
}

// Proof is what a candidate's figures stand on; nil when the run does not have it, and then the
// figures are not shown.
func (r *Record) Proof(c kernels.Candidate) (*kernels.Provenance, error) {
	return r.ProofOf(c.Result.Provenance)
}

// ProofOf is the provenance under a key; nil where the run has none.
func (r *Record) ProofOf(key string) (*kernels.Provenance, error) {
	if key == "" {
		return nil, nil
	}
	p, err := r.Provenance(key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &p, err
}

// Lineage is the path to a candidate from the naive start, oldest first.
func (r *Record) Lineage(c kernels.Candidate) (path []kernels.Candidate, err error) {
	err = r.EachStep(c, func(c kernels.Candidate) error {
		path = append(path, c)
		return nil
	})
	return path, err
}

// EachStep calls fn with the steps of a candidate's lineage, of which it keeps the IDs only.
func (r *Record) EachStep(c kernels.Candidate, fn func(kernels.Candidate) error) error {
	path, err := r.path(c)
	if err != nil {
		return err
	}
	for _, id := range path {
		c, err := r.Get(id)
		if err != nil {
			return err
		}
		if err := fn(c); err != nil {
			return err
		}
	}
	return nil
}

// path is the way to a candidate from the naive start: each step's better parent, oldest first. A
// step without parents, drawn at random, follows the start itself.
func (r *Record) path(c kernels.Candidate) ([]kernels.ID, error) {
	path := []kernels.ID{c.ID}
	for len(c.Origin.Parents) > 0 {
		next, err := r.betterParent(c)
		if err != nil {
			return nil, err
		}
		if next.Seq >= c.Seq { // nothing is bred before its parents are judged, so this ends
			return nil, exit.Usagef("%s: candidate %s came before its parent %s: the run is damaged", r.Path(), c.ID.Short(),
				next.ID.Short())
		}
		path = append(path, next.ID)
		c = next
	}
	if c.Origin.Operator != kernels.NaiveStart {
		start, err := r.Start()
		if err != nil {
			return nil, err
		}
		if start != nil {
			path = append(path, start.ID)
		}
	}
	slices.Reverse(path)
	return path, nil
}

func (r *Record) betterParent(c kernels.Candidate) (best kernels.Candidate, err error) {
	for _, id := range c.Origin.Parents {
		p, err := r.Get(id)
		if errors.Is(err, store.ErrNotFound) {
			err = exit.Usagef("%v: it is a parent of %s", err, c.ID.Short())
		}
		if err != nil {
			return best, err
		}
		if best.ID.IsZero() || p.Score > 0 && (best.Score == 0 || p.Score < best.Score) {
			best = p
		}
	}
	return best, nil
}

// With runs fn on an open record and closes it. What is odd about the file it says to people.
func With(say func(string, ...any), path string, fn func(*Record) error) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	if what := r.Remark(); what != "" {
		say("warning: %s", what)
	}
	return errors.Join(fn(r), r.Close())
}

// Locate is the file of a run that is named as `runs` shows it, or as a path.
func Locate(run string) string {
	if _, err := os.Stat(run); err == nil || strings.ContainsRune(run, os.PathSeparator) {
		return run
	}
	if e, ok := registry.Find(run); ok {
		return e.Path
	}
	return run
}
