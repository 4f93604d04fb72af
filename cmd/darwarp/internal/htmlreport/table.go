package htmlreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Table is candidates in the order of their verdicts, to be sorted and searched by the reader.
type Table struct {
	Workloads []string
	Families  bool // the run has several
	Rows      []Row
	All       int // candidates of which Rows are some
}

// Cell is a text with the number that it is sorted by. Without a number it stands last.
type Cell struct {
	Text  string
	Value float64
}

// Key is the number as the page's script reads it; empty: there is none.
func (c Cell) Key() string {
	if c.Value == 0 {
		return ""
	}
	return fmt.Sprintf("%g", c.Value)
}

// Row is a candidate.
type Row struct {
	Seq, Generation       int
	ID, Family, Kind      string
	Outcome               kernels.Outcome
	Champion              bool
	When, Speedup, Took   Cell
	Times                 []Cell
	Operator, What, Genes string
}

// What is shown of a run that is alone on its page and has more candidates than both together: the champion with the
// ancestors on its path, the best, and some of all others.
const (
	tableBest   = 500
	tableOthers = 500
	rowText     = 160 // columns of a cell
)

// table leaves out the figures of candidates that stand on nothing.
func (in *Input) table(shown []kernels.Candidate, n sharing) Table {
	t := Table{All: len(in.Candidates), Families: severalFamilies(in.Candidates)}
	for _, w := range in.Meta.Workloads[:min(shownWorkloads, len(in.Meta.Workloads))] {
		t.Workloads = append(t.Workloads, w.Name)
	}
	when, proven := in.elapsed(), map[kernels.ID]bool{}
	for _, c := range shown {
		proven[c.ID] = true
	}
	for _, c := range in.tabled(shown, n) {
		t.Rows = append(t.Rows, in.row(c, t.Workloads, when[c.ID], proven[c.ID]))
	}
	return t
}

// tabled are the candidates of the table, in the order of their verdicts.
func (in *Input) tabled(shown []kernels.Candidate, n sharing) []kernels.Candidate {
	best, others, path := n.part(tableBest), n.part(tableOthers), n.part(shownSteps)
	if len(in.Candidates) <= best+others {
		return in.Candidates
	}
	taken := map[kernels.ID]bool{}
	for _, c := range slices.Concat(in.Lineage[max(0, len(in.Lineage)-path):], shown[:min(best, len(shown))]) {
		taken[c.ID] = true
	}
	if in.Champion != nil {
		taken[in.Champion.ID] = true
	}
	var out, rest []kernels.Candidate
	for _, c := range in.Candidates {
		if taken[c.ID] {
			out = append(out, c)
		} else {
			rest = append(rest, c)
		}
	}
	out = append(out, thin(rest, 0, others)...)
	slices.SortFunc(out, func(a, b kernels.Candidate) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

func severalFamilies(all []kernels.Candidate) bool {
	return slices.ContainsFunc(all, func(c kernels.Candidate) bool { return c.Variant.Family != all[0].Variant.Family })
}

func (in *Input) row(c kernels.Candidate, workloads []string, when time.Duration, proven bool) Row {
	took := c.Result.Cost.Total()
	r := Row{Seq: c.Seq, Generation: c.Origin.Generation, ID: c.ID.Short(), Family: cmp.Or(c.Variant.Family, sources),
		Outcome: c.Result.Outcome, Kind: kindOf(c.Result.Outcome), Champion: in.isChampion(c),
		When: Cell{report.Duration(when), when.Seconds()}, Took: Cell{seconds(took), took}, Speedup: Cell{Text: "-"},
		Operator: clip(c.Origin.Operator, 60), What: clip(cmp.Or(c.Result.Detail, c.Origin.Note), rowText)}
	if c.Variant.Family != "" {
		r.Genes = clip(strings.ReplaceAll(c.Variant.Genes.Key(), "=", " "), 2*rowText)
	}
	if proven {
		r.Speedup = in.speedupCell(c)
	}
	for _, w := range workloads {
		cell := Cell{Text: "-"}
		if t := report.Find(c.Result.Times, w); t != nil && proven {
			cell = Cell{report.Time(t.Median), t.Median}
		}
		r.Times = append(r.Times, cell)
	}
	return r
}
