package tui

import (
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// paneNote is what the frame of a pane says besides its name.
func (m *Model) paneNote(p pane) string {
	b := m.board
	switch p {
	case paneLeaders:
		n := b.ranking.len()
		if f := b.ranking.filter; f.active() {
			return fmt.Sprintf("%s of %s: %s", report.Count(n), report.Count(len(b.ranking.order)), f.text)
		}
		return report.Count(n) + " right"
	case paneCurve:
		note := "best so far, speedup over evaluations"
		if m.byTime {
			note = "best so far, speedup over time"
		}
		if m.linearX {
			note += ", linear"
		}
		return note
	case paneCandidate:
		return m.candidateNote()
	case paneFailures:
		return fmt.Sprintf("%s of %s", report.Count(b.failed), report.Count(b.verdicts))
	case paneOperators:
		return "what they earned"
	case paneMachine:
		if b.state != nil {
			return b.state.Meta.Device.Toolchain
		}
	case paneLog:
		if m.logWord.active() {
			return m.logWord.text
		}
	}
	return ""
}

// drawFailures counts failures by cause.
func (m *Model) drawFailures(a area) {
	b := m.board
	all := b.causes.sorted()
	if len(all) == 0 {
		a.cut(0, 0, a.rect.w, "Nothing has failed.", inkDim)
		return
	}
	total := 0
	for _, c := range all {
		total += c.count
	}
	bar := 0
	if a.rect.w >= 60 {
		bar = 12
	}
	digits := max(5, len(report.Count(all[0].count))+1) // the most frequent is first
	top := m.cause.window(len(all), a.rect.h)
	for i := top; i < min(len(all), top+a.rect.h); i++ {
		c, y := all[i], i-top
		if m.focus == paneFailures && i == m.cause.at {
			a.paint(0, y, a.rect.w, backSelect)
			a.set(0, y, m.art.cursor, inkFocus)
		}
		a.right(digits, y, report.Count(c.count), inkStrong)
		x := digits + 1
		if bar > 0 {
			x = a.bar(x, y, bar, float64(c.count)/float64(total), inkBad) + 1
		}
		k := inkBad
		if c.outcome == kernels.Duplicate {
			k = inkDim
		}
		x = a.text(x, y, fmt.Sprintf("%-9s ", c.outcome), k)
		a.cut(x, y, a.rect.w-x, c.text, inkPlain)
	}
}

// drawMachine shows each GPU, the slots and the pace.
func (m *Model) drawMachine(a area) {
	y := 0
	if s := m.board.machine; s != nil {
		for _, g := range s.GPUs[:min(len(s.GPUs), max(1, a.rect.h-1))] {
			y = m.drawGPU(a, y, g)
		}
		m.drawSlots(a, y, s)
		y++
	}
	m.drawPace(a, y)
	m.drawCosts(a, y+1)
}

// drawGPU writes what NVML says of one GPU.
func (m *Model) drawGPU(a area, y int, g kernels.GPU) int {
	x := a.text(0, y, fmt.Sprintf("GPU %d ", g.Index), inkTitle)
	if g.Util >= 0 {
		x = a.bar(x, y, min(16, a.rect.w/6), g.Util, inkGood)
		x = a.text(x, y, fmt.Sprintf(" %3.0f%%", 100*g.Util), inkStrong)
	}
	ps := []part{}
	add := func(known bool, k ink, format string, v ...any) {
		if known {
			ps = append(ps, part{fmt.Sprintf(format, v...), k})
		}
	}
	add(g.SMClock >= 0, inkPlain, "%d MHz", g.SMClock)
	hot := inkPlain
	if g.Temp >= 80 {
		hot = inkWarn
	}
	add(g.Temp >= 0, hot, "%d C", g.Temp)
	add(g.Power >= 0, inkPlain, "%.0f/%.0f W", g.Power, g.PowerLimit)
	add(len(g.Throttle) > 0, inkWarn, "%s", strings.Join(g.Throttle, ", "))
	add(g.MemUsed >= 0 && g.MemTotal > 0, inkDim, "%s/%s", report.Bytes(int(g.MemUsed)), report.Bytes(int(g.MemTotal)))
	add(g.MemClock >= 0, inkDim, "mem %d MHz", g.MemClock)
	add(g.Name != "", inkDim, "%s", g.Name)
	a.parts(x+2, y, a.rect.w-x-2, ps)
	return y + 1
}

// drawSlots shows how many compilers and device callers are at work, and how many wait.
func (m *Model) drawSlots(a area, y int, s *kernels.Machine) {
	x := 0
	for _, q := range []struct {
		name string
		kernels.Slots
	}{{"compile", s.Compile}, {"device", s.Device}} {
		if q.Total == 0 {
			continue
		}
		share := float64(q.Busy) / float64(q.Total)
		x = a.text(x, y, q.name+" ", inkTitle)
		x = a.bar(x, y, min(10, a.rect.w/8), share, inkAccent)
		x = a.text(x, y, fmt.Sprintf(" %d/%d   ", q.Busy, q.Total), inkPlain)
	}
	a.cut(x, y, a.rect.w-x, fmt.Sprintf("queue %d", s.Queue), inkPlain)
}

// drawPace draws verdicts over time.
func (m *Model) drawPace(a area, y int) {
	if y >= a.rect.h {
		return
	}
	b := m.board
	rate := b.live.last.Rate
	if d := m.elapsed().Seconds(); rate == 0 && d > 0 {
		rate = float64(b.verdicts) / d
	}
	text := fmt.Sprintf(" %.1f/s", rate)
	x := a.text(0, y, "pace ", inkTitle)
	for _, v := range b.pace.spark(max(0, a.rect.w-x-len(text))) {
		a.set(x, y, m.art.levels[int(v*float64(len(m.art.levels)-1)+0.5)], inkAccent)
		x++
	}
	a.text(x, y, text, inkPlain)
}

// drawCosts says where the time of a candidate goes.
func (m *Model) drawCosts(a area, y int) {
	b := m.board
	if y >= a.rect.h || len(b.rows) == 0 {
		return
	}
	n := float64(len(b.rows))
	x := a.text(0, y, "each ", inkTitle)
	ps := []part{}
	for _, c := range []struct {
		name    string
		seconds float64
	}{{"compile", b.cost.Compile}, {"gate", b.cost.Gate}, {"time", b.cost.Time}, {"wait", b.cost.Wait}} {
		if c.seconds > 0 {
			ps = append(ps, part{fmt.Sprintf("%s %.2f s", c.name, c.seconds/n), inkPlain})
		}
	}
	a.parts(x, y, a.rect.w-x, ps)
}

// lines are the log's that pass the filter, in order.
func (m *Model) lines() []line {
	if !m.logWord.active() {
		return m.board.log
	}
	var out []line
	for _, l := range m.board.log {
		if m.logWord.line(l.text) {
			out = append(out, l)
		}
	}
	return out
}

func (m *Model) shownLines() int { return len(m.lines()) }

// lineAtCursor is the line of the log under the cursor, which counts from the newest.
func (m *Model) lineAtCursor() *line {
	all := m.lines()
	if len(all) == 0 {
		return nil
	}
	return &all[max(0, len(all)-1-m.logs.at)]
}

// drawLog shows the newest lines at the top: they are what has just happened.
func (m *Model) drawLog(a area) {
	all := m.lines()
	if len(all) == 0 {
		a.cut(0, 0, a.rect.w, "Nothing has happened yet.", inkDim)
		return
	}
	inks := map[level]ink{levelNote: inkPlain, levelGood: inkGood, levelBad: inkBad, levelQuiet: inkDim}
	top := m.logs.window(len(all), a.rect.h)
	for i := top; i < min(len(all), top+a.rect.h); i++ {
		l, y := all[len(all)-1-i], i-top
		if m.focus == paneLog && i == m.logs.at {
			a.paint(0, y, a.rect.w, backSelect)
			a.set(0, y, m.art.cursor, inkFocus)
		}
		a.right(8, y, report.Duration(l.at), inkDim)
		a.cut(10, y, a.rect.w-10, l.text, inks[l.level])
	}
}
