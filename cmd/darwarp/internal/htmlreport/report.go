package htmlreport

import (
	"fmt"
	"slices"

	"darwarp/kernels"
)

// sharing is how many runs a page has. Each gets its part of what a page can hold.
type sharing int

// part is how many of n things that one run alone would show are shown of each.
func (s sharing) part(n int) int { return max(n/int(s), min(n, 50)) }

// Page is the runs that are told of together.
type Page struct {
	Title   string
	Runs    []Report
	Compare *Comparison // nil: there is one run
}

// Build makes the page of one run or several.
func Build(ins ...Input) Page {
	var p Page
	for i := range ins {
		r := ins[i].report(sharing(len(ins)))
		r.Index = i
		if len(ins) > 1 {
			r.Name = fmt.Sprintf("%d %s", i+1, r.Name)
		}
		p.Runs = append(p.Runs, r)
	}
	p.Title = p.Runs[0].Title
	if len(ins) > 1 {
		p.Title = fmt.Sprintf("%d runs", len(ins))
	}
	p.Compare = compare(ins, p.Runs)
	return p
}

// data is what the page's script draws.
func (p Page) data() any {
	d := struct {
		Runs    []Charts   `json:"runs"`
		Compare *Comparing `json:"compare,omitempty"`
	}{}
	for _, r := range p.Runs {
		d.Runs = append(d.Runs, r.Charts)
	}
	if p.Compare != nil {
		d.Compare = &p.Compare.Comparing
	}
	return d
}

// Report is all that the page shows of a run.
type Report struct {
	Index  int    // from 0, among the runs of the page
	Name   string // of the run: its file's
	Title  string
	About  string
	Note   string // what is missing, in one line
	Head   []Field
	Winner *Winner
	Best
	PerShape
	Became
	Provenance []Field
	Charts     Charts
}

// Best is the tables of candidates.
type Best struct {
	Leaders    Leaders
	Candidates Table
}

// PerShape is what the champion does at each workload.
type PerShape struct {
	Shapes    []Shape
	Columns   ShapeColumns
	Portfolio *Portfolio
}

// Became is what the search made of its candidates, and what they cost.
type Became struct {
	Steps     []Step
	LeftOut   int // steps between the naive start and the rest
	Outcomes  []CostRow
	Operators []Operator
	Families  []Family
	Models    []Model
	Causes    []Cause
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
	EDF         *EDF         `json:"edf,omitempty"`
	Timeline    *Timeline    `json:"timeline,omitempty"`
	Slices      *Slices      `json:"slices,omitempty"`
	Outcomes    []CostRow    `json:"outcomes,omitempty"`
}

func (in *Input) report(n sharing) Report {
	shown, unproven := in.proven()
	m := in.Meta
	r := Report{Name: in.Path, Title: fmt.Sprintf("%s %s on %s", m.Problem, m.DType, m.Device.Label()),
		About: in.Problem.About, Head: in.head(shown), Winner: in.Winner,
		Best:     Best{in.leaders(shown), in.table(shown, n)},
		PerShape: PerShape{in.Shapes, columnsOf(in.Shapes), in.portfolio()},
		Became: Became{Outcomes: costs(in.Candidates), Operators: in.operators(shown),
			Families: families(in.Candidates, shown), Models: in.Models, Causes: causes(in.Candidates)},
		Provenance: in.provenance(), Note: in.note(len(shown), unproven)}
	r.Steps, r.LeftOut = in.steps(n)
	r.Charts = in.charts(shown, n)
	r.Charts.Outcomes = r.Outcomes
	return r
}

func (in *Input) charts(shown []kernels.Candidate, n sharing) Charts {
	unit := in.measure(shown)
	c := Charts{Convergence: in.convergence(shown, n), Shapes: compared(in.Shapes), Choices: in.Choices,
		Importance: importance(in.family(), shown), Parallel: in.parallel(shown), Tree: in.tree(),
		EDF: edf(unit, len(in.Candidates), shown), Timeline: in.timeline(n)}
	c.Slices = in.slicesOf(unit, shown, c.Importance, n)
	return c
}

// note says what is missing, in one line.
func (in *Input) note(shown, unproven int) string {
	switch {
	case len(in.Candidates) == 0:
		return "The run has no candidate yet."
	case shown == 0 && unproven == 0:
		return "No candidate is right yet: see the outcomes."
	case unproven > 0:
		return kernels.Quantity(unproven, "right candidate") + ": the run has no provenance for the times, which are " +
			"left out of figures and charts."
	case shown == 1:
		return "Only one candidate is right so far: there is nothing to compare it with."
	}
	return ""
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
