package tui

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
)

// plot is a drawing area in dots: 2 by 4 a cell with Braille patterns (Unicode 2800), else 1 by 1. Where
// two inks meet in a cell, the later one wins.
type plot struct {
	area
	dw, dh int // dots a cell
	bits   []uint8
	inks   []ink
}

func newPlot(a area) *plot {
	p := &plot{area: a, dw: 1, dh: 1, bits: make([]uint8, a.rect.w*a.rect.h), inks: make([]ink, a.rect.w*a.rect.h)}
	if a.art.braille {
		p.dw, p.dh = 2, 4
	}
	return p
}

func (p *plot) width() int  { return p.rect.w * p.dw }
func (p *plot) height() int { return p.rect.h * p.dh }

// brailleBits is the bit of each dot of a pattern, by column and row.
var brailleBits = [2][4]uint8{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// dot sets one dot; the origin is the upper left.
func (p *plot) dot(x, y int, k ink) {
	if x < 0 || y < 0 || x >= p.width() || y >= p.height() {
		return
	}
	i := y/p.dh*p.rect.w + x/p.dw
	bit := uint8(1)
	if p.dw == 2 {
		bit = brailleBits[x%2][y%4]
	}
	if p.inks[i] != k && k != inkFaint && p.inks[i] == inkFaint {
		p.bits[i] = 0 // a line is not thickened by the scatter below it
	}
	p.bits[i] |= bit
	p.inks[i] = k
}

// flush writes the dots as runes. ASCII has one rune an ink.
func (p *plot) flush() {
	ascii := map[ink]rune{inkFaint: '.', inkCurve: '*', inkBaseline: '-', inkRoofline: '='}
	for i, bits := range p.bits {
		if bits == 0 {
			continue
		}
		r := rune(0x2800 + int(bits))
		if p.dw == 1 {
			r = ascii[p.inks[i]]
		}
		p.set(i%p.rect.w, i/p.rect.w, r, p.inks[i])
	}
}

// level draws a horizontal line, on for so many of every so many dots.
func (p *plot) level(y, on, of int, k ink) {
	for x := range p.width() {
		if x%of < on {
			p.dot(x, y, k)
		}
	}
}

// steps draws a rising staircase through points that are given in order, on to the right edge.
func (p *plot) steps(points [][2]int, k ink) {
	for i, q := range points {
		end := p.width() - 1
		if i+1 < len(points) {
			end = points[i+1][0]
		}
		for x := q[0]; x <= end; x++ {
			p.dot(x, q[1], k)
		}
		if i+1 < len(points) {
			for y := min(q[1], points[i+1][1]); y <= max(q[1], points[i+1][1]); y++ {
				p.dot(end, y, k)
			}
		}
	}
}

// scale maps speedups to dots, and evaluations or seconds.
type scale struct {
	lo, hi float64 // speedup
	right  float64 // evaluations or seconds at the right edge
	log    bool
	w, h   int // dots
}

func (s scale) y(speedup float64) int {
	lo, hi, v := s.lo, s.hi, speedup
	if s.log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(max(v, 1e-9))
	}
	return s.h - 1 - int(math.Round((v-lo)/(hi-lo)*float64(s.h-1)))
}

func (s scale) x(v float64) int { return int(v / s.right * float64(s.w-1)) }

// logFrom is the range of speedups from which on the axis is logarithmic.
const logFrom = 5

// curve draws the champion's speedup over the run, above all that was measured.
func (m *Model) drawCurve(a area) {
	b := m.board
	if len(b.steps) == 0 {
		a.cut(0, 0, a.rect.w, "No candidate is right yet.", inkDim)
		return
	}
	if a.rect.w < 24 || a.rect.h < 4 {
		a.cut(0, 0, a.rect.w, "best "+report.Speedup(b.champion().score), inkCurve)
		return
	}
	s, left := m.scale(a)
	p := newPlot(b2area(a, rect{a.x + left, a.y, a.rect.w - left, a.rect.h - 1}))
	s.w, s.h = p.width(), p.height()
	m.drawScatter(p, s)
	m.drawLevels(p, s)
	var points [][2]int
	for _, g := range b.steps {
		points = append(points, [2]int{s.x(m.across(float64(g.evals), g.elapsed)), s.y(1 / g.score)})
	}
	p.steps(points, inkCurve)
	p.flush()
	m.drawLabels(p.area, s)
	m.drawAxes(a, p.area, s)
}

// b2area is another rectangle of the same canvas.
func b2area(a area, r rect) area { return area{a.canvas, r} }

// across picks what the axis shows.
func (m *Model) across(evals, seconds float64) float64 {
	if m.byTime {
		return seconds
	}
	return evals
}

// scale chooses the axes: all champions, baselines and, where it does not squeeze the rest, the roofline.
func (m *Model) scale(a area) (s scale, left int) {
	b := m.board
	s.lo, s.hi = math.Inf(1), 0
	take := func(score float64) { s.lo, s.hi = min(s.lo, 1/score), max(s.hi, 1/score) }
	for _, g := range b.steps {
		take(g.score)
	}
	for _, x := range b.baselines {
		take(x.score)
	}
	if best := b.ranking.best(); best > 0 {
		take(best)
	}
	if f := b.roofline(); f > 0 && 1/f < 3*s.hi {
		take(f)
	}
	s.log = s.hi/s.lo >= logFrom != m.otherScale
	if s.log {
		s.lo, s.hi = s.lo/1.05, s.hi*1.12
	} else {
		d := max(s.hi-s.lo, 0.02*s.hi)
		s.lo, s.hi = max(0, s.lo-0.05*d), s.hi+0.08*d
	}
	s.right = max(1, m.across(float64(b.verdicts), m.elapsed().Seconds()))
	for _, v := range s.ticks(max(2, a.rect.h/4)) {
		left = max(left, len(tick(v))+1)
	}
	return s, left
}

// drawScatter shows a sample of all that is right, faintly.
func (m *Model) drawScatter(p *plot, s scale) {
	for _, i := range m.board.sample.rows {
		r := &m.board.rows[i]
		p.dot(s.x(m.across(float64(r.step), float64(r.elapsed))), s.y(1/r.score), inkFaint)
	}
}

// drawLevels draws the naive start and the baselines dashed, the roofline dotted.
func (m *Model) drawLevels(p *plot, s scale) {
	p.level(s.y(1), 1, 3*p.dw, inkBaseline)
	for _, x := range m.board.baselines {
		p.level(s.y(1/x.score), 2*p.dw, 3*p.dw, inkBaseline)
	}
	if f := m.board.roofline(); f > 0 {
		p.level(s.y(1/f), 1, 2*p.dw, inkRoofline)
	}
}

// drawLabels names the lines at their right ends. Where two lines are on one row, the second name goes to
// the next row that is free.
func (m *Model) drawLabels(a area, s scale) {
	b, taken := m.board, map[int]bool{}
	label := func(speedup float64, text string, k ink) {
		y := max(0, s.y(speedup)/(s.h/a.rect.h))
		for _, try := range []int{y, y - 1, y + 1, y + 2} {
			if try >= 0 && try < a.rect.h && !taken[try] {
				taken[try] = true
				a.right(a.rect.w, try, " "+text+" ", k)
				return
			}
		}
	}
	best := 1 / b.champion().score
	label(best, "best "+report.Speedup(b.champion().score), inkCurve)
	if f := b.roofline(); f > 0 {
		text := "roofline " + report.Speedup(f)
		if s.y(1/f) < 0 {
			text += " " + m.art.above
		}
		label(1/f, text, inkRoofline)
	}
	for _, x := range b.baselines {
		label(1/x.score, x.name+" "+report.Speedup(x.score), inkBaseline)
	}
	if s.y(1)-s.y(best) > 2*s.h/a.rect.h {
		label(1, "naive start", inkBaseline)
	}
}

// ticks are round speedups within the scale, about n of them.
func (s scale) ticks(n int) []float64 {
	var out []float64
	if s.log {
		steps := []float64{1, 2, 5}
		if math.Log10(s.hi/s.lo)*3 > float64(n)*1.5 {
			steps = []float64{1}
		}
		for e := math.Floor(math.Log10(max(s.lo, 1e-6))); e <= math.Log10(s.hi); e++ {
			for _, f := range steps {
				if v := f * math.Pow(10, e); v >= s.lo && v <= s.hi {
					out = append(out, v)
				}
			}
		}
		return out
	}
	d := roundUp((s.hi - s.lo) / float64(n))
	for v := math.Ceil(s.lo/d) * d; v <= s.hi; v += d {
		out = append(out, v)
	}
	return out
}

// roundUp is the next number that is 1, 2 or 5 times a power of ten.
func roundUp(v float64) float64 {
	e := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 5} {
		if f*e >= v {
			return f * e
		}
	}
	return 10 * e
}

func tick(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + "x" }

// drawAxes writes the ticks left of the plot and below it.
func (m *Model) drawAxes(a, p area, s scale) {
	left, dh := a.rect.w-p.rect.w, s.h/p.rect.h
	last := -2
	for _, v := range s.ticks(max(2, a.rect.h/4)) {
		if y := s.y(v) / dh; y >= 0 && y < p.rect.h && y != last {
			a.right(left-1, y, tick(v), inkDim)
			last = y
		}
	}
	for y := range p.rect.h {
		a.set(left-1, y, a.art.box[1], inkFaint)
	}
	y, n := a.rect.h-1, max(2, p.rect.w/14)
	d, end := roundUp(s.right/float64(n)), 0
	if m.byTime {
		d = roundTime(s.right / float64(n))
	}
	for v := 0.0; v <= s.right; v += d {
		text := report.Count(int(v))
		if m.byTime {
			text = clockText(time.Duration(v * float64(time.Second)))
		}
		x := left + s.x(v)/max(1, s.w/p.rect.w)
		if x = min(x, a.rect.w-ansi.StringWidth(text)); x > end {
			end = a.text(x, y, text, inkDim) + 1
		}
	}
}

// roundTime is the next round span, in seconds.
func roundTime(v float64) float64 {
	for _, s := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400} {
		if s >= v {
			return s
		}
	}
	return math.Ceil(v/86400) * 86400
}

// clockText is a round span: 90s, 5m, 2h30m.
func clockText(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}
