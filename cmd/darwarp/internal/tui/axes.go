package tui

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
)

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
	d := roundUp((s.hi-s.lo)/float64(n), 1, 2, 2.5, 5)
	for v := max(d, math.Ceil(s.lo/d)*d); v <= s.hi; v += d {
		out = append(out, v)
	}
	return out
}

// roundUp is the next number that is one of the steps times a power of ten.
func roundUp(v float64, steps ...float64) float64 {
	e := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range steps {
		if f*e >= v {
			return f * e
		}
	}
	return 10 * e
}

func tick(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + "x" }

// drawAxes writes the ticks left of the plot and below it.
func (c *curvePane) drawAxes(a, p area, s scale, gutter int) {
	left, dh := a.rect.w-p.rect.w-gutter, s.h/p.rect.h
	last := -2
	for _, v := range s.ticks(max(2, a.rect.h/2)) {
		if y := s.y(v) / dh; y >= 0 && y < p.rect.h && y != last {
			a.right(left-1, y, tick(v), inkDim)
			last = y
		}
	}
	for y := range p.rect.h {
		a.set(left-1, y, a.art.box[1], inkFaint)
	}
	y, end := a.rect.h-1, 0
	for _, v := range c.xTicks(s, max(2, p.rect.w/14)) {
		text := report.Count(int(v))
		if c.byTime {
			text = clockText(time.Duration(v * float64(time.Second)))
		}
		x := left + s.x(v)/max(1, s.w/p.rect.w)
		if x = min(x, a.rect.w-ansi.StringWidth(text)); x > end {
			end = a.text(x, y, text, inkDim) + 1
		}
	}
}

// xTicks are round evaluations or seconds, about n of them.
func (c *curvePane) xTicks(s scale, n int) (out []float64) {
	switch d := s.right / float64(n); {
	case s.logX:
		for _, v := range []float64{0, 1, 3, 10, 30, 60, 300, 1800, 7200, 28800, 86400} {
			if c.byTime && v <= s.right {
				out = append(out, v)
			}
		}
		for v := 1.0; v <= s.right && !c.byTime; v *= 10 {
			out = append(out, v)
		}
	case c.byTime:
		for v, d := 0.0, roundTime(d); v <= s.right; v += d {
			out = append(out, v)
		}
	default:
		for v, d := 0.0, roundUp(max(1, d), 1, 2, 5); v <= s.right; v += d {
			out = append(out, v)
		}
	}
	return out
}

// roundTime is the next round span, in seconds.
func roundTime(v float64) float64 {
	for _, s := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600,
		43200, 86400} {
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
