// Package htmlreport tells a whole run on one page: a self-contained HTML file with charts and tables.
package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/store"
)

// Figures are the champion's times with what they are compared with.
type Figures struct {
	Proof     *kernels.Provenance // what they stand on
	Baselines []kernels.BaselineResult
	Versus    []Versus
	Shapes    []Shape
}

// Input is what a report is made of.
type Input struct {
	Path       string // of the run, as the user named it
	Version    string // darwarp's, that writes the report
	Meta       store.Meta
	Problem    *kernels.Problem
	Candidates []kernels.Candidate // all, in the order of being stored
	Champion   *kernels.Candidate  // nil: none yet
	Trial      string              // what the champion stood, in a line; empty: nothing to say
	Lineage    []kernels.Candidate // from the naive start to the champion
	Figures
	Choices   *Choices                      // of the champion; nil: explain was not asked
	Portfolio *kernels.Portfolio            // the last one; nil: none was measured
	Models    []Model                       // the language models that were asked, dearest first
	Proofs    map[string]kernels.Provenance // by key: figures without one are not shown
}

// Versus is the champion's speedup over one baseline, by the run's objective.
type Versus struct {
	Name    string
	About   string
	Speedup float64
}

// Shape is one workload: the champion's time and what it is compared with.
type Shape struct {
	Workload string   `json:"workload"`
	Dims     string   `json:"dims"`
	Cache    string   `json:"cache"`
	Bound    string   `json:"bound,omitempty"` // the ceiling that binds: compute, memory or L2
	Waves    string   `json:"-"`               // of the champion: blocks over what the device holds at once
	Scaling  string   `json:"-"`               // of the champion: work a second over that of its best shape
	Bars     []Bar    `json:"bars"`            // the champion's first
	Versus   []string `json:"-"`               // the champion over each other bar
}

// Bar is the median time of the champion, a baseline or a portfolio on one workload.
type Bar struct {
	Name     string  `json:"name"`
	NS       float64 `json:"ns"`
	Time     string  `json:"time"`
	Rate     string  `json:"rate"`               // operations or bytes a second
	Roofline float64 `json:"roofline,omitempty"` // share of the least time that the ceilings allow
}

// Report is all that the page shows.
type Report struct {
	Title      string
	About      string
	Note       string // what is missing, in one line
	Head       []Field
	Leaders    Leaders
	Shapes     []Shape
	Columns    ShapeColumns
	Portfolio  *Portfolio
	Steps      []Step
	Outcomes   []CostRow
	Families   []Family
	Models     []Model
	Causes     []Cause
	Provenance []Field
	Charts     Charts
}

// Field is a name with a value.
type Field struct{ Name, Value string }

// Charts is the data of the page's charts. A chart without data is nil, and the page says why.
type Charts struct {
	Convergence *Convergence `json:"convergence,omitempty"`
	Shapes      []Shape      `json:"shapes,omitempty"`
	Choices     *Choices     `json:"choices,omitempty"`
	Importance  *Importance  `json:"importance,omitempty"`
	Parallel    *Parallel    `json:"parallel,omitempty"`
	Tree        *Node        `json:"tree,omitempty"`
	Outcomes    []CostRow    `json:"outcomes,omitempty"`
}

// Build makes a report.
func Build(in Input) Report {
	shown, unproven := in.proven()
	m := in.Meta
	r := Report{Title: fmt.Sprintf("%s %s on %s", m.Problem, m.DType, m.Device.Label()), About: in.Problem.About,
		Head: in.head(shown), Leaders: in.leaders(shown), Shapes: in.Shapes,
		Columns: columnsOf(in.Shapes), Portfolio: in.portfolio(), Steps: steps(in.Lineage),
		Outcomes: costs(in.Candidates), Families: families(in.Candidates, shown), Models: in.Models,
		Causes: causes(in.Candidates), Provenance: in.provenance()}
	r.Charts = Charts{Convergence: in.convergence(shown), Shapes: compared(in.Shapes),
		Parallel: parallel(in.family(), shown), Outcomes: r.Outcomes,
		Choices: in.Choices, Importance: importance(in.family(), shown), Tree: in.tree()}
	switch {
	case len(in.Candidates) == 0:
		r.Note = "The run has no candidate yet."
	case len(shown) == 0 && unproven == 0:
		r.Note = "No candidate is right yet: see the outcomes."
	case unproven > 0:
		r.Note = fmt.Sprintf("%d candidates are right, but the run has no provenance for their times: they are left out of "+
			"figures and charts.", unproven)
	case len(shown) == 1:
		r.Note = "Only one candidate is right so far: there is nothing to compare it with."
	}
	return r
}

// compared are the shapes where there is something to hold the champion against, else none: a bar alone
// says nothing.
func compared(all []Shape) []Shape {
	if slices.ContainsFunc(all, func(s Shape) bool {
		return len(s.Bars) > 1 || len(s.Bars) == 1 && s.Bars[0].Roofline > 0
	}) {
		return all
	}
	return nil
}

// proven are the right candidates whose figures stand on something, best first.
func (in *Input) proven() (shown []kernels.Candidate, unproven int) {
	for _, c := range in.Candidates {
		if c.Result.Outcome != kernels.OK {
			continue
		}
		if _, ok := in.Proofs[c.Result.Provenance]; !ok {
			unproven++
			continue
		}
		shown = append(shown, c)
	}
	slices.SortStableFunc(shown, func(a, b kernels.Candidate) int { return cmp.Compare(a.Score, b.Score) })
	return shown, unproven
}

// family is the one that genes are told of: the champion's, else the best candidate's.
func (in *Input) family() string {
	if in.Champion != nil {
		return in.Champion.Variant.Family
	}
	for _, c := range in.Candidates {
		if c.Result.Outcome == kernels.OK && c.Variant.Family != "" {
			return c.Variant.Family
		}
	}
	return ""
}

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
			out = append(out, Field{"over " + v.Name, report.Ratio(v.Speedup)})
			over = over || v.Name == NaiveStart
		}
		if !over && in.Champion.Score > 0 {
			out = append(out, Field{"over the naive start", report.Speedup(in.Champion.Score)})
		}
	}
	out = append(out, Field{"search", fmt.Sprintf("%s, seed %d", m.Strategy, m.Seed)},
		Field{"evaluations", fmt.Sprintf("%s, %s right", report.Count(len(in.Candidates)), report.Count(len(shown)))})
	if n := len(in.Candidates); n > 0 {
		out = append(out, Field{"took", report.Duration(in.elapsed()[in.Candidates[n-1].ID])})
	}
	return out
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
	out := []Field{{"run", in.Path}, {"begun", m.Created.UTC().Format(time.RFC3339)}, {"budget", budget(m.Budget)}}
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
	out = append(out, Field{"device", dev.Label() + " " + dev.Arch}, Field{"GPU", dev.UUID}, Field{"driver", dev.Driver},
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
		add(report.Count(b.Evals) + " evaluations")
	}
	if b.For > 0 {
		add(report.Duration(b.For))
	}
	if b.Stall > 0 {
		add(report.Count(b.Stall) + " evaluations without gain")
	}
	return s
}
