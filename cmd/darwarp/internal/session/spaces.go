package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/templates"
)

// SpacesOn makes the space of every family that the device can run and that has the pinned genes. leftOut are the
// others, with why, in a few words. The points are for the workloads that are scored.
func SpacesOn(
	b *templates.Bundle, dev kernels.Device, t kernels.DType, pins kernels.Pins, loads []kernels.Workload,
) (out []*kernels.Space, leftOut []string, err error) {
	var why []string
	var sizes []kernels.Dims
	for _, w := range loads {
		sizes = append(sizes, w.Dims)
	}
	for _, f := range b.Families {
		if !f.Runs(dev) {
			why = append(why, fmt.Sprintf("family %s needs %s", f.Name, f.Arch))
			leftOut = append(leftOut, fmt.Sprintf("%s (needs %s)", f.Name, f.Arch))
			continue
		}
		if kernels.Grown(f.Name) { // what is fixed are the problem's genes
			pins = nil
		}
		s, err := kernels.NewSpace(f, dev, t, pins, sizes...)
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
