package htmlreport

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/store"
)

func (in *Input) head(shown []kernels.Candidate) []Field {
	m := in.Meta
	out := []Field{{"device", m.Device.Label() + ", " + m.Device.Arch}, {"workloads", workloads(m)}}
	if len(m.Workloads) > 1 {
		out = append(out, Field{"objective", m.Objective.String()})
	}
	if in.Champion != nil && in.Proof != nil {
		best := in.Champion.ID.Short()
		if len(in.Shapes) == 1 && len(in.Shapes[0].Bars) > 0 {
			best += ", " + in.Shapes[0].Bars[0].Time
		}
		out = append(out, Field{"champion", best})
		if in.Trial != "" {
			out = append(out, Field{"trial", in.Trial})
		}
		over := false
		for _, v := range in.Versus {
			out = append(out, Field{"over " + v.Name, report.Headline(v.Speedup, in.Estimate && v.Name == NaiveStart)})
			over = over || v.Name == NaiveStart
		}
		if !over && in.Champion.Score > 0 {
			out = append(out, Field{"over the naive start", report.Headline(1/in.Champion.Score, in.Estimate)})
		}
	}
	out = append(out, Field{"search", fmt.Sprintf("%s, seed %d", m.Strategy, m.Seed)},
		Field{"evaluations", fmt.Sprintf("%s, %s right", report.Count(len(in.Candidates)), report.Count(len(shown)))})
	if n := len(in.Candidates); n > 0 {
		out = append(out, Field{"took", report.Duration(in.took())})
	}
	return out
}

// took is how long the search says that it took, else when its last candidate was judged.
func (in *Input) took() time.Duration {
	return cmp.Or(in.Took, in.elapsed()[in.Candidates[len(in.Candidates)-1].ID])
}

// NaiveStart is what people call the baseline that every run has.
const NaiveStart = "the naive start"

func workloads(m store.Meta) string {
	const most = 6
	s := ""
	for i, w := range m.Workloads[:min(most, len(m.Workloads))] {
		if i > 0 {
			s += ", "
		}
		s += w.Name
	}
	if more := len(m.Workloads) - most; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s (%s)", s, m.Cache)
}

// provenance is what the figures stand on.
func (in *Input) provenance() []Field {
	m := in.Meta
	dev, protocol, version := m.Device, "", m.Version
	out := []Field{{"run", in.Path}, {"begun", m.Created.UTC().Format(time.RFC3339)}, {"budget", budget(in.Budget)}}
	for gene, values := range m.Pins {
		out = append(out, Field{"pinned " + gene, fmt.Sprint(values)})
	}
	slices.SortStableFunc(out[3:], func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	var measured []Field
	if p := in.Proof; p != nil {
		dev, protocol, version = p.Device, p.Protocol, p.Version
		measured = append(measured, Field{"host", p.Host}, Field{"measured", p.Started.UTC().Format(time.RFC3339)})
		if p.Noise > 0 {
			measured = append(measured, Field{"noise", fmt.Sprintf("%.2f%% between a kernel and itself", 100*p.Noise)})
		}
		if c := p.Ceilings; c != nil {
			measured = append(measured, Field{"ceilings", figures.CeilingsText(*c) + " (measured on this device)"})
		}
	}
	out = append(out, Field{"device", dev.Label() + " " + dev.Arch}, Field{"GPU", dev.UUID},
		Field{"GPUs searched on", figures.GPUsText(slices.Collect(maps.Values(in.Proofs)))}, Field{"driver", dev.Driver},
		Field{"toolchain", dev.Toolchain},
		Field{"protocol", protocol}, Field{"times", m.Cache})
	out = append(append(out, measured...), Field{"searched by", "darwarp " + version},
		Field{"report by", "darwarp " + in.Version})
	return slices.DeleteFunc(out, func(f Field) bool { return f.Value == "" })
}

func budget(b store.Budget) string {
	s := ""
	add := func(text string) {
		if s != "" {
			s += ", "
		}
		s += text
	}
	if b.Evals > 0 {
		add(report.Quantity(b.Evals, "evaluation"))
	}
	if b.For > 0 {
		add(report.Duration(b.For))
	}
	if b.Stall > 0 {
		add(report.Quantity(b.Stall, "evaluation") + " without a gain")
	}
	return s
}
