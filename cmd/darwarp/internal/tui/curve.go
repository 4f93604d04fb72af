package tui

import (
	"math"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
)

// curvePane draws the champion's speedup over the run, above all that was measured.
type curvePane struct {
	*scene
	byTime     bool // over time, else over evaluations
	otherScale bool // of the two scales not the one that fits the range
	linearX    bool // the other axis is linear, else logarithmic
}

// note says what the axes are.
func (c *curvePane) note() string {
	note := "best so far, speedup over evaluations"
	if c.byTime {
		note = "best so far, speedup over time"
	}
	if c.linearX {
		note += ", linear"
	}
	return note
}

func (c *curvePane) move(int) {}

// scale maps speedups to dots, and evaluations or seconds.
type scale struct {
	lo, hi float64 // speedup
	right  float64 // evaluations or seconds at the right edge
	log    bool
	logX   bool
	w, h   int // dots
}

func (s scale) y(speedup float64) int {
	lo, hi, v := s.lo, s.hi, speedup
	if s.log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(max(v, 1e-9))
	}
	return s.h - 1 - int(math.Round((v-lo)/(hi-lo)*float64(s.h-1)))
}

func (s scale) x(v float64) int {
	if s.logX {
		return int(math.Log1p(v) / math.Log1p(s.right) * float64(s.w-1))
	}
	return int(v / s.right * float64(s.w-1))
}

// logFrom is the range of speedups from which on the axis is logarithmic.
const logFrom = 100

// draw draws the staircase of champions with what it is held against.
func (c *curvePane) draw(a area) {
	b := c.board
	if len(b.steps) == 0 {
		a.cut(0, 0, a.rect.w, "No candidate is right yet.", inkDim)
		return
	}
	if a.rect.w < 24 || a.rect.h < 4 {
		a.cut(0, 0, a.rect.w, "best "+b.speedupOf(b.champion()), inkCurve)
		return
	}
	s, left := c.scale(a)
	labels := c.labels(s)
	gutter := gutterOf(labels, a.rect.w)
	p := newPlot(b2area(a, rect{a.x + left, a.y, a.rect.w - left - gutter, a.rect.h - 1}))
	s.w, s.h = p.width(), p.height()
	c.drawScatter(p, s)
	c.drawLevels(p, s)
	var points [][2]int
	for _, g := range b.steps {
		points = append(points, [2]int{s.x(c.across(float64(g.evals), g.elapsed)), s.y(b.speedup(g.score))})
	}
	p.steps(points, inkCurve)
	p.flush()
	drawLabels(b2area(a, rect{a.x, a.y, a.rect.w, p.rect.h}), s, labels, gutter)
	c.drawAxes(a, p.area, s, gutter)
}

// b2area is another rectangle of the same canvas.
func b2area(a area, r rect) area { return area{a.canvas, r} }

// across picks what the axis shows.
func (c *curvePane) across(evals, seconds float64) float64 {
	if c.byTime {
		return seconds
	}
	return evals
}

// scale chooses the axes: all champions, baselines and, where it does not squeeze the rest, the roofline.
func (c *curvePane) scale(a area) (s scale, left int) {
	b := c.board
	s.lo, s.hi = math.Inf(1), 0
	take := func(speedup float64) { s.lo, s.hi = min(s.lo, speedup), max(s.hi, speedup) }
	for _, g := range b.steps {
		take(b.speedup(g.score))
	}
	for _, x := range b.baselines {
		take(1 / x.score)
	}
	if best := b.ranking.best(); best > 0 {
		take(b.speedup(best))
	}
	if f := b.roofline(); f > 0 && f < 3*s.hi {
		take(f)
	}
	s.log = s.hi/s.lo >= logFrom != c.otherScale
	if s.log {
		s.lo, s.hi = s.lo/1.05, s.hi*1.12
	} else {
		d := max(s.hi-s.lo, 0.02*s.hi)
		s.lo, s.hi = max(0, s.lo-0.05*d), s.hi+0.08*d
	}
	s.logX = !c.linearX
	s.right = max(1, c.across(float64(b.verdicts), c.elapsed().Seconds()))
	for _, v := range s.ticks(max(2, a.rect.h/2)) {
		left = max(left, len(tick(v))+1)
	}
	return s, left
}

// drawScatter shows a sample of all that is right, faintly.
func (c *curvePane) drawScatter(p *plot, s scale) {
	for _, i := range c.board.sample.rows {
		r := &c.board.rows[i]
		p.dot(s.x(c.across(float64(r.step), float64(r.elapsed))), s.y(c.board.speedup(r.score)), inkFaint)
	}
}

// drawLevels draws the naive start and the baselines dashed, the roofline dotted.
func (c *curvePane) drawLevels(p *plot, s scale) {
	p.level(s.y(1), 1, 3*p.dw, inkBaseline)
	for _, x := range c.board.baselines {
		p.level(s.y(1/x.score), 2*p.dw, 3*p.dw, inkBaseline)
	}
	if f := c.board.roofline(); f > 0 {
		p.level(s.y(f), 1, 2*p.dw, inkRoofline)
	}
}

// label names a line at its right end.
type label struct {
	speedup float64
	text    string
	ink     ink
}

// labels are those of the lines, the one that matters most first.
func (c *curvePane) labels(s scale) []label {
	b := c.board
	best := b.speedup(b.champion().score)
	out := []label{{best, "best " + b.speedupOf(b.champion()), inkCurve}}
	if f := b.roofline(); f > 0 {
		text := "roofline " + report.Ratio(f)
		if f > s.hi {
			text += " " + c.art.above
		}
		out = append(out, label{f, text, inkRoofline})
	}
	for _, x := range b.baselines {
		out = append(out, label{1 / x.score, x.name + " " + report.Speedup(x.score), inkBaseline})
	}
	if best > 1.01 {
		out = append(out, label{1, "naive start", inkBaseline})
	}
	return out
}

// gutterOf is the room that labels get right of the plot. In a narrow pane they stand in the plot, over the
// end of the lines.
func gutterOf(all []label, width int) int {
	n := 0
	for _, l := range all {
		n = max(n, ansi.StringWidth(l.text)+1)
	}
	if n > width/3 {
		return 0
	}
	return n
}

// drawLabels writes each label at its line. Where two lines are on one row, the second name goes to the next
// row that is free.
func drawLabels(a area, s scale, all []label, gutter int) {
	taken := map[int]bool{}
	for _, l := range all {
		y := max(0, s.y(l.speedup)/(s.h/a.rect.h))
		for _, try := range []int{y, y - 1, y + 1, y + 2} {
			if try < 0 || try >= a.rect.h || taken[try] {
				continue
			}
			taken[try] = true
			if gutter > 0 {
				a.text(a.rect.w-gutter+1, try, l.text, l.ink)
			} else {
				a.right(a.rect.w, try, " "+l.text+" ", l.ink)
			}
			break
		}
	}
}
