package report

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/kernels"
)

// Change is one gene that differs between two genomes; a side that does not have it is empty.
type Change struct {
	Gene string `json:"gene"`
	From string `json:"from"`
	To   string `json:"to"`
}

// String is the change as a short note: stages 3 -> 4.
func (c Change) String() string {
	switch {
	case c.From == "":
		return fmt.Sprintf("%s %s", c.Gene, c.To)
	case c.To == "":
		return fmt.Sprintf("no %s", c.Gene)
	}
	return fmt.Sprintf("%s %s -> %s", c.Gene, c.From, c.To)
}

// Changes lists the genes that differ, by name.
func Changes(from, to kernels.Genome) []Change {
	var out []Change
	for name, v := range from {
		if w, ok := to[name]; !ok || w != v {
			out = append(out, Change{name, v.String(), to[name].String()})
		}
	}
	for name, w := range to {
		if _, ok := from[name]; !ok {
			out = append(out, Change{name, "", w.String()})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Gene, b.Gene) })
	return out
}

// Step is what changed from one variant to the next, on one line. Families have other genes, also where their names
// agree: from one to another it names the family alone.
func Step(from, to kernels.Variant) string {
	if to.Family != "" && to.Family != from.Family {
		return "family " + to.Family
	}
	return Join(Changes(from.Genes, to.Genes))
}

// Join writes changes on one line.
func Join(changes []Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		parts[i] = c.String()
	}
	return strings.Join(parts, ", ")
}

// Speedup is a score as a factor over the naive start; "-" when there is no score.
func Speedup(score float64) string {
	if !(score > 0) {
		return "-"
	}
	return Ratio(1 / score)
}

// Headline is a champion's speedup over the naive start: with a ~ as long as the final measurement has not told it; "-"
// when there is none.
func Headline(speedup float64, estimate bool) string {
	switch {
	case !(speedup > 0):
		return "-"
	case estimate:
		return "~" + Ratio(speedup)
	}
	return Ratio(speedup)
}

// Paced is a candidate's speedup at the pace of its run's champion, whose own is the headline.
func Paced(p kernels.Pace, c kernels.Candidate) string {
	return Headline(p.Speedup(c.Score), p.Estimate && c.ID == p.Champion)
}

// Find is the timing of a workload, nil when there is none.
func Find(times []kernels.Timing, workload string) *kernels.Timing {
	for i := range times {
		if times[i].Workload == workload {
			return &times[i]
		}
	}
	return nil
}

// Occupancy is the least of a candidate's kernels, by resident threads; "-" when unknown.
func Occupancy(rs []kernels.Resources) string {
	least := 0.0
	for _, r := range rs {
		if r.Occupancy > 0 && (least == 0 || r.Occupancy < least) {
			least = r.Occupancy
		}
	}
	if least == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*least)
}

// Registers is the most of a candidate's kernels, with a mark when one spills; "-" when unknown.
func Registers(rs []kernels.Resources) string {
	most, spills := 0, false
	for _, r := range rs {
		most = max(most, r.Registers)
		spills = spills || r.SpillStores+r.SpillLoads > 0
	}
	switch {
	case most == 0:
		return "-"
	case spills:
		return fmt.Sprintf("%d spilled", most)
	}
	return fmt.Sprint(most)
}

// Smem is the most shared memory of a candidate's kernels; "-" when unknown.
func Smem(rs []kernels.Resources) string {
	most := 0
	for _, r := range rs {
		most = max(most, r.StaticSmem+r.DynamicSmem)
	}
	if len(rs) == 0 {
		return "-"
	}
	return Bytes(most)
}

// Ceilings are what a device's times are held against, nil: nothing. Those of the cpu device are rates of
// copying on the processor, which bound no kernel in emulation: a share of them would say nothing.
func Ceilings(p *kernels.Provenance) *kernels.Ceilings {
	if p == nil || p.Device.Kind == "cpu" {
		return nil
	}
	return p.Ceilings
}

// Roofline is a call's share of the least time that the measured ceilings allow, and which ceiling
// binds. Inputs that may be in L2 are held against L2's bandwidth.
func Roofline(c *kernels.Ceilings, flops, bytes, ns float64, cache string) (share float64, binds string) {
	if c == nil || !(ns > 0) {
		return 0, ""
	}
	floor := 0.0
	add := func(work, ceiling float64, name string) {
		if ceiling > 0 && work/ceiling*1e9 > floor {
			floor, binds = work/ceiling*1e9, name
		}
	}
	add(flops, c.Matrix, "compute")
	if cache == "hot" && c.L2 > 0 {
		add(bytes, c.L2, "L2")
	} else {
		add(bytes, c.Bandwidth, "memory")
	}
	return floor / ns, binds
}

// Waves writes how many times over a launch fills a device: 3.76; "-" when unknown.
func Waves(w float64) string {
	if !(w > 0) {
		return "-"
	}
	return fmt.Sprintf("%.3g", w)
}

// Clip cuts a printable text to a width, with dots where something is missing.
func Clip(s string, width int) string {
	if width < 3 || printable.Width(s) <= width {
		return s
	}
	return printable.Cut(s, width-2) + ".."
}

// FirstLine is a detail's first line.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
