package tui

import (
	"cmp"
	"darwarp/cmd/darwarp/internal/report"
	"fmt"

	"github.com/charmbracelet/x/ansi"
)

// column is one column of a table.
type column struct {
	head  string
	width int
	left  bool
	cell  func(r *row, rank int) (string, ink)
	by    func(r, s *row) int // what it is sorted by, nil: it is not
}

func byScore(r, s *row) int { return cmp.Compare(r.score, s.score) }

// byTime compares times of the workload that is listed.
func (l *leadersPane) byTime(r, s *row) int {
	x, y := l.span(r), l.span(s)
	if x == nil || y == nil {
		return cmp.Compare(r.score, s.score)
	}
	return cmp.Compare(x.median, y.median)
}

// bySpread compares how wide intervals are for their medians.
func (l *leadersPane) bySpread(r, s *row) int {
	wide := func(r *row) float32 {
		if t := l.span(r); t != nil && t.median > 0 {
			return (t.hi - t.lo) / t.median
		}
		return 0
	}
	return cmp.Compare(wide(r), wide(s))
}

// rankText leaves out a rank that the row above has.
func rankText(rank int) string {
	if rank == 0 {
		return ""
	}
	return fmt.Sprint(rank)
}

// full is the width from which on intervals are written out.
const full = 100

// columns are the columns that find room, the most wanted first and then as they are read.
func (l *leadersPane) columns(width, ranks int) []column {
	cols := []column{
		{"#", max(2, ranks), false, func(_ *row, rank int) (string, ink) { return rankText(rank), inkDim }, nil},
		{"id", 10, true, func(r *row, _ int) (string, ink) { return r.id.Short(), inkPlain },
			func(r, s *row) int { return cmp.Compare(r.id.Short(), s.id.Short()) }},
		{l.timeHead(), 8, false, func(r *row, _ int) (string, ink) { return l.timeCell(r), inkStrong }, l.byTime},
	}
	if width >= full {
		cols = append(cols, column{"95% interval", 16, true, func(r *row, _ int) (string, ink) {
			return l.intervalCell(r), inkDim
		}, l.bySpread})
	} else {
		cols = append(cols, column{l.art.plusMinus, 5, false, func(r *row, _ int) (string, ink) {
			return l.spreadCell(r), inkDim
		}, l.bySpread})
	}
	cols = append(cols, column{"speedup", 7, false, func(r *row, _ int) (string, ink) {
		return l.board.speedupOf(r), inkCurve
	}, byScore})
	return fitting(append(append(cols, l.comparisons()...), l.traits()...), width)
}

// comparisons are the columns that hold a candidate against something else.
func (l *leadersPane) comparisons() (cols []column) {
	b := l.board
	for _, x := range b.baselines {
		cols = append(cols, column{"vs " + x.name, max(6, 3+len(x.name)), false, func(r *row, _ int) (string, ink) {
			return provenRatio(r, x.score*b.speedup(r.score)), inkBaseline
		}, byScore})
	}
	if c := b.champion(); c != nil {
		cols = append(cols, column{"vs " + string(l.art.champion), 6, false, func(r *row, _ int) (string, ink) {
			return b.versus(c, r), inkDim
		}, byScore})
	}
	if b.roofline() > 0 {
		cols = append(cols, column{"roof", 5, false, func(r *row, _ int) (string, ink) { return l.roofCell(r), inkRoofline },
			l.byTime})
	}
	cols = append(cols, column{"gate", 5, true, func(r *row, _ int) (string, ink) { return l.gateCell(r), inkGood },
		func(r, s *row) int { return cmp.Compare(s.checks, r.checks) }})
	return cols
}

// traits are the columns of where a candidate comes from.
func (l *leadersPane) traits() (cols []column) {
	b := l.board
	if len(b.families.all) > 2 {
		cols = append(cols, column{"family", longest(b.families.all), true, func(r *row, _ int) (string, ink) {
			return b.families.all[r.family], inkPlain
		}, func(r, s *row) int { return compareTexts(b.families.all[r.family], b.families.all[s.family]) }})
	}
	for _, g := range b.columns() {
		name := b.genes.genes.all[g]
		cols = append(cols, column{name, max(len(name), longest(b.genes.values[g].all)), true,
			func(r *row, _ int) (string, ink) { return b.genes.text(r.genes, g), inkPlain },
			func(r, s *row) int { return compareTexts(b.genes.text(r.genes, g), b.genes.text(s.genes, g)) }})
	}
	cols = append(cols, column{"origin", min(20, longest(b.operators.all)), true, func(r *row, _ int) (string, ink) {
		return endOf(shortArm(b.operators.all[r.op]), 20, l.art.ellipsis), inkDim
	}, func(r, s *row) int { return compareTexts(b.operators.all[r.op], b.operators.all[s.op]) }})
	return cols
}

// fitting are the columns that find room; one that is too wide leaves its place to the next.
func fitting(all []column, width int) (cols []column) {
	used := 2
	for _, c := range all {
		if used+c.width <= width {
			cols, used = append(cols, c), used+c.width+1
		}
	}
	return cols
}

func longest(all []string) int {
	n := 0
	for _, s := range all {
		n = max(n, ansi.StringWidth(s))
	}
	return n
}

// timeHead names the workload of the times where there are several.
func (l *leadersPane) timeHead() string {
	if ws := l.board.workloads(); len(ws) > 1 {
		return ansi.Truncate(ws[l.workload].Name, 8, l.art.ellipsis)
	}
	return "time"
}

func (l *leadersPane) span(r *row) *span {
	if l.workload < len(r.times) && r.proven {
		return &r.times[l.workload]
	}
	return nil
}

func (l *leadersPane) timeCell(r *row) string {
	if t := l.span(r); t != nil {
		return report.Time(float64(t.median))
	}
	return "-"
}

// intervalCell is the interval in the unit of the median.
func (l *leadersPane) intervalCell(r *row) string {
	t := l.span(r)
	if t == nil {
		return "-"
	}
	text := report.Interval(float64(t.median), float64(t.lo), float64(t.hi))
	for i := range text {
		if text[i] == '[' {
			return text[i:]
		}
	}
	return "-"
}

func (l *leadersPane) spreadCell(r *row) string {
	t := l.span(r)
	if t == nil || t.median == 0 || !(t.hi > t.lo) { // one sample has no interval
		return "-"
	}
	spread := 100 * float64(t.hi-t.lo) / 2 / float64(t.median)
	if spread >= 99.95 {
		return fmt.Sprintf("%.0f%%", min(spread, 9999))
	}
	return fmt.Sprintf("%.1f%%", spread)
}

// provenRatio writes how many times as fast a row is as something else.
func provenRatio(r *row, x float64) string {
	switch {
	case !r.proven:
		return "-"
	case x >= 9.995 && x < 99.95: // its column has five places
		return fmt.Sprintf("%.1fx", x)
	default:
		return report.Ratio(x)
	}
}

func (l *leadersPane) roofCell(r *row) string {
	if share := l.board.share(r, l.workload); share > 0 && r.proven {
		return fmt.Sprintf("%.1f%%", 100*share)
	}
	return "-"
}

// gateCell is the badge of a candidate that passed every check, with how many there were.
func (l *leadersPane) gateCell(r *row) string {
	if r.checks == 0 {
		return l.art.check
	}
	return fmt.Sprintf("%s%d", l.art.check, r.checks)
}
