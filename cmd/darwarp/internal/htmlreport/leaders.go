package htmlreport

import (
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Leaders is the table of the best.
type Leaders struct {
	Workloads []string
	Resources bool // some device told registers, shared memory and occupancy
	Rows      []Leader
	More      int
}

// Leader is one of the best candidates.
type Leader struct {
	Rank                 string // empty: that of the row above
	Place                int    // the rank
	Champion             bool
	ID                   string
	Speedup              Cell
	Times                []Cell
	Registers, Smem, Occ Cell
	Origin               string
}

const (
	shownLeaders   = 20
	shownWorkloads = 3 // that get a column of the leaderboard
)

func (in *Input) leaders(shown []kernels.Candidate) Leaders {
	var l Leaders
	for _, w := range in.Meta.Workloads[:min(shownWorkloads, len(in.Meta.Workloads))] {
		l.Workloads = append(l.Workloads, w.Name)
	}
	var champion kernels.ID
	if in.Champion != nil {
		champion = in.Champion.ID
	}
	for _, c := range report.Leaderboard(shown, in.Meta.Workloads, champion, shownLeaders) {
		l.Resources = l.Resources || len(c.Result.Resources) > 0
		x := Leader{Rank: c.Shown, Place: c.Rank, Champion: c.ID == champion, ID: c.ID.Short(),
			Origin: clip(origin(c.Candidate), 2*rowText)}
		x.Speedup = in.speedupCell(c.Candidate)
		x.Registers, x.Smem, x.Occ = resourceCells(c.Result.Resources)
		for _, w := range l.Workloads {
			cell := Cell{Text: "-"}
			if t := report.Find(c.Result.Times, w); t != nil {
				cell = Cell{report.Interval(t.Median, t.Lo, t.Hi), t.Median}
			}
			x.Times = append(x.Times, cell)
		}
		l.Rows = append(l.Rows, x)
	}
	l.More = len(shown) - len(l.Rows)
	return l
}

// speedupCell is a candidate's speedup over the naive start. Of the champion it is the headline.
func (in *Input) speedupCell(c kernels.Candidate) Cell {
	if !(c.Score > 0) {
		return Cell{Text: "-"}
	}
	return Cell{report.Headline(1/c.Score, in.Estimate && in.isChampion(c)), 1 / c.Score}
}

// resourceCells are what the most demanding of a candidate's kernels takes.
func resourceCells(rs []kernels.Resources) (registers, smem, occupancy Cell) {
	registers.Text, smem.Text, occupancy.Text = report.Registers(rs), report.Smem(rs), report.Occupancy(rs)
	for _, r := range rs {
		registers.Value = max(registers.Value, float64(r.Registers))
		smem.Value = max(smem.Value, float64(r.StaticSmem+r.DynamicSmem))
		if r.Occupancy > 0 && (occupancy.Value == 0 || r.Occupancy < occupancy.Value) {
			occupancy.Value = r.Occupancy
		}
	}
	return registers, smem, occupancy
}

func origin(c kernels.Candidate) string {
	if c.Origin.Note == "" {
		return c.Origin.Operator
	}
	return c.Origin.Operator + ": " + c.Origin.Note
}
