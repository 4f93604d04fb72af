package htmlreport

import (
	"fmt"
	"slices"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Comparison is several runs beside each other.
type Comparison struct {
	Note string // in which way they cannot be compared; empty: in none
	Rows []RunRow
	Comparing
}

// Comparing is the data of the comparison's charts.
type Comparing struct {
	Curves []Curve `json:"curves,omitempty"`
	EDFs   []EDF   `json:"edfs,omitempty"`
}

// RunRow is a run in the table of runs.
type RunRow struct {
	Index                          int
	Name, Title, Search, Champion  string
	Speedup, Took                  Cell
	Evaluations, Right, RightShare string
}

// Curve is the best so far of one run.
type Curve struct {
	Name  string       `json:"name"`
	Index int          `json:"index"` // of the run
	Best  [][3]float64 `json:"best"`  // evaluations, seconds, speedup over its naive start
}

// compare is nil for one run.
func compare(ins []Input, reports []Report) *Comparison {
	if len(ins) < 2 {
		return nil
	}
	c := &Comparison{Note: apart(ins)}
	shown, m, alike := make([][]kernels.Candidate, len(ins)), measure{Label: "time over the naive start's", unit: 1}, true
	for i := range ins {
		shown[i], _ = ins[i].proven()
		alike = alike && c.Note == "" && sameTimes(ins[0], ins[i])
	}
	if alike {
		m = ins[0].measure(slices.Concat(shown...))
	}
	for i := range ins {
		in, r := &ins[i], reports[i]
		c.Rows = append(c.Rows, in.runRow(r, len(shown[i])))
		if v := r.Charts.Convergence; v != nil {
			curve := Curve{Name: r.Name, Index: i}
			for _, b := range v.Best {
				curve.Best = append(curve.Best, b.At)
			}
			c.Curves = append(c.Curves, curve)
		}
		if e := edf(m, len(in.Candidates), shown[i]); e != nil {
			e.Name, e.Index = r.Name, i
			c.EDFs = append(c.EDFs, *e)
		}
	}
	return c
}

// apart says what differs between runs that makes their figures differ, too.
func apart(ins []Input) string {
	first := ins[0].Meta
	for _, in := range ins[1:] {
		m := in.Meta
		switch {
		case m.Problem != first.Problem || m.DType != first.DType:
			return "The runs are of different problems: each speedup is over that problem's own naive start."
		case m.Device.Label() != first.Device.Label() || m.Device.Kind != first.Device.Kind:
			return "The runs are of different devices: each speedup is over the naive start on that device."
		case workloads(m) != workloads(first) || m.Objective != first.Objective:
			return "The runs are of different workloads or objectives: their speedups are not of the same thing."
		}
	}
	return ""
}

// sameTimes reports whether two runs' times are those of the same sizes.
func sameTimes(a, b Input) bool {
	return slices.EqualFunc(a.Meta.Workloads, b.Meta.Workloads, func(x, y kernels.Workload) bool {
		return x.Name == y.Name && x.Dims.String() == y.Dims.String()
	}) && a.Meta.Cache == b.Meta.Cache
}

func (in *Input) runRow(r Report, right int) RunRow {
	row := RunRow{Index: r.Index, Name: r.Name, Title: r.Title, Champion: "-",
		Search: fmt.Sprintf("%s, seed %d", in.Meta.Strategy, in.Meta.Seed), Evaluations: report.Count(len(in.Candidates)),
		Right: report.Count(right), RightShare: "-", Speedup: Cell{Text: "-"}, Took: Cell{Text: "-"}}
	if n := len(in.Candidates); n > 0 {
		took := in.took()
		row.Took = Cell{report.Duration(took), took.Seconds()}
		row.RightShare = report.Percent(float64(right) / float64(n))
	}
	if in.Champion != nil {
		row.Champion = in.Champion.ID.Short()
		if s := in.speedup(); s > 0 {
			row.Speedup = Cell{report.Headline(s, in.Estimate), s}
		}
	}
	return row
}

// speedup is the champion's over the naive start: what it was measured to be in the end, else what the search saw.
func (in *Input) speedup() float64 {
	for _, v := range in.Versus {
		if v.Name == NaiveStart {
			return v.Speedup
		}
	}
	if in.Proof == nil || !(in.Champion.Score > 0) {
		return 0
	}
	return 1 / in.Champion.Score
}
