package replay

import (
	"fmt"
	"maps"
	"slices"

	"darwarp/kernels"
)

// genome is a configuration as genes and values.
func (f *Family) genome(i int) kernels.Genome {
	g := kernels.Genome{}
	for k, v := range f.Configs[i] {
		if v >= 0 {
			g[f.Genes[k].Name] = f.Genes[k].Values[v]
		}
	}
	return g
}

// timings gives a configuration's times their names.
func (r *Record) timings(f *Family, i int) []kernels.Timing {
	var out []kernels.Timing
	for k, w := range r.Workloads {
		if t := f.Times[i]; len(t) > 0 {
			out = append(out, kernels.Timing{Workload: w.Name, Median: t[3*k], Lo: t[3*k+1], Hi: t[3*k+2], Cache: r.Cache,
				Tier: Tier})
		}
	}
	return out
}

// Tier labels recorded times.
const Tier = "recorded"

// Bundle is the problem folder that was recorded, for templates.FromFiles; nil when the record has
// none and the built-in problem of its name is meant.
func (r *Record) Bundle() map[string][]byte {
	if len(r.Files) == 0 {
		return nil
	}
	out := make(map[string][]byte, len(r.Files))
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		out[name] = []byte(r.Files[name])
	}
	return out
}

// Spaces are exactly the recorded points, one space per recorded family; families are the bundle's.
// A gene or value that a family no longer has is an error: the record is of another version.
func (r *Record) Spaces(families []*kernels.Family) ([]*kernels.Space, error) {
	var out []*kernels.Space
	for i := range r.Families {
		f := &r.Families[i]
		at := slices.IndexFunc(families, func(k *kernels.Family) bool { return k.Name == f.Name })
		if at < 0 {
			return nil, fmt.Errorf("the record has a family %q that the problem does not have", f.Name)
		}
		s, err := r.space(f, families[at])
		if err != nil {
			return nil, fmt.Errorf("the record is of another version of family %s: %w", f.Name, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func (r *Record) space(f *Family, family *kernels.Family) (*kernels.Space, error) {
	lookup := &kernels.Space{Family: family}
	points := make([][]uint8, len(f.Configs))
	for i := range f.Configs {
		p, err := lookup.Point(f.genome(i))
		if err != nil {
			return nil, err
		}
		points[i] = p
	}
	return kernels.NewSpaceFromPoints(family, r.Device, r.DType, points)
}
