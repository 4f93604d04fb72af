package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
)

// GPUText names a GPU of a host; empty where there is none.
func GPUText(p kernels.Provenance) string {
	if p.Device.UUID == "" {
		return ""
	}
	return fmt.Sprintf("%d, %s", p.GPU, p.Device.UUID)
}

// GPUsText names the GPUs that figures stand on; empty where it is one.
func GPUsText(all []kernels.Provenance) string {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b kernels.Provenance) int {
		return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Device.UUID, b.Device.UUID))
	})
	var names []string
	for _, p := range all {
		if s := GPUText(p); s != "" && !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	if len(names) < 2 {
		return ""
	}
	return strings.Join(names, "; ")
}

// ScaleText says by what times of another GPU were multiplied; empty where they are as the clock said.
func ScaleText(p kernels.Provenance, times []kernels.Timing) string {
	var parts []string
	for _, t := range times {
		if t.Scale > 0 {
			parts = append(parts, fmt.Sprintf("%.4f at %s", t.Scale, t.Workload))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("times of GPU %d by %s, to compare them with the first GPU's", p.GPU, strings.Join(parts, ", "))
}
