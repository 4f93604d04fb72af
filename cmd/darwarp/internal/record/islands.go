package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"darwarp/kernels"
)

// The search of a fleet has a run for each kind of device. That of the first is named by the user, night.db, and those
// of the others lie beside it: night@nvidia-h100-3f2a9c.db.

// mostLabel bounds the part of a file's name that a device's name gives.
const mostLabel = 40

// IslandPath is the file of the run on a further kind of device.
func IslandPath(first, device, kind string) string {
	label := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(device))
	dir, name, ext := parts(first)
	return filepath.Join(dir, name+"@"+label[:min(len(label), mostLabel)]+"-"+kind[:min(len(kind), 6)]+ext)
}

// parts are those of the first run's path, of a path of any of a search's runs.
func parts(path string) (dir, name, ext string) {
	dir, name = filepath.Split(path)
	ext = filepath.Ext(name)
	name, _, _ = strings.Cut(strings.TrimSuffix(name, ext), "@")
	return dir, name, ext
}

// First is the file of the first run of a search, of which path is one.
func First(path string) string {
	dir, name, ext := parts(path)
	if first := filepath.Join(dir, name+ext); isThere(first) {
		return first
	}
	return path
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// beside are the files of the other runs of a search, the first one's first.
func beside(path string) (all []string, err error) {
	dir, name, ext := parts(path)
	there, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil {
		return nil, err
	}
	for _, f := range there {
		at := filepath.Join(dir, f.Name())
		if _, of, e := parts(f.Name()); of == name && e == ext && f.Type().IsRegular() && at != filepath.Clean(path) {
			all = append(all, at)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(a) - len(b) })
	return all, nil
}

// WithIslands runs fn on the runs of the same search, this one first, that are all open. A file that is named as one
// and is none is left out.
func (r *Record) WithIslands(fn func([]*Record) error) (err error) {
	paths, err := beside(r.Path())
	if err != nil {
		return err
	}
	all := []*Record{r}
	defer func() {
		for _, o := range all[1:] {
			err = errors.Join(err, o.Close())
		}
	}()
	for _, path := range paths {
		o, err := Open(path)
		if err != nil {
			return err
		}
		if all = append(all, o); slices.ContainsFunc(all[:len(all)-1], func(a *Record) bool { return !a.sameSearch(o) }) {
			all = all[:len(all)-1]
			if err := o.Close(); err != nil {
				return err
			}
		}
	}
	return fn(all)
}

// sameSearch reports whether a run is of the same search on another kind of device. A copy has a name that is not its.
func (r *Record) sameSearch(o *Record) bool {
	a, b := r.Meta(), o.Meta()
	same := a.Problem == b.Problem && a.DType == b.DType && a.Cache == b.Cache && len(a.Workloads) == len(b.Workloads)
	return same && a.Island != b.Island && r.ownName() && o.ownName()
}

// ownName reports whether a run is named as what it is: an island's name follows from its first run's.
func (r *Record) ownName() bool {
	m := r.Meta()
	if m.Island == "" {
		return !strings.Contains(filepath.Base(r.Path()), "@")
	}
	return IslandPath(r.Path(), m.Device.Name, m.Island) == filepath.Clean(r.Path())
}

// Islands are where the runs of a search stand, by device, this one first; none where there is no other.
func (r *Record) Islands() (all []kernels.Island, err error) {
	err = r.WithIslands(func(runs []*Record) error {
		for _, o := range runs {
			i, err := o.stand()
			if err != nil {
				return err
			}
			all = append(all, i)
		}
		return nil
	})
	if len(all) < 2 {
		all = nil
	}
	return all, err
}

// stand is where a run stands on its device.
func (r *Record) stand() (i kernels.Island, err error) {
	counts := r.Counts()
	i = kernels.Island{Device: r.Meta().Device.Label(), Run: r.Path()}
	for of, n := range counts {
		if of != kernels.Duplicate {
			i.Evals += n
		}
	}
	champion, ok := r.Champion()
	if !ok {
		return i, nil
	}
	c, err := r.Get(champion)
	if err != nil {
		return i, err
	}
	pace, err := r.Pace()
	i.Champion, i.Speedup, i.Estimate = c.ID, pace.Speedup(c.Score), pace.Estimate
	return i, err
}
