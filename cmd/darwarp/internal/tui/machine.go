package tui

import (
	"fmt"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// machinePane shows how busy the machine is.
type machinePane struct {
	*scene
	host    *Host // nil: not known
	sampled time.Time
}

func (p *machinePane) note() string {
	if p.board.state != nil {
		return p.board.state.Meta.Device.Toolchain
	}
	return ""
}

func (p *machinePane) move(int) {}

// draw shows each GPU, the slots and the pace.
func (p *machinePane) draw(a area) {
	y := 0
	if s := p.board.live.machine; s != nil {
		for _, g := range s.GPUs[:min(len(s.GPUs), max(1, a.rect.h-1))] {
			y = p.drawGPU(a, y, g)
		}
		p.drawSlots(a, y, s)
		y = p.drawIslands(a, y+1, s)
	}
	if p.host != nil {
		p.drawHost(a, y)
		y++
	}
	p.drawPace(a, y)
	p.drawCosts(a, y+1)
}

// drawGPU writes what NVML says of one GPU.
func (p *machinePane) drawGPU(a area, y int, g kernels.GPU) int {
	x := a.text(0, y, fmt.Sprintf("GPU %d ", g.Index), inkTitle)
	if g.LeftOut != "" {
		a.cut(x, y, a.rect.w-x, "left out: "+report.FirstLine(g.LeftOut), inkWarn)
		return y + 1
	}
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
func (p *machinePane) drawSlots(a area, y int, s *kernels.Machine) {
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

// drawIslands shows the champion on each kind of device of a fleet, and why nothing is evaluated.
func (p *machinePane) drawIslands(a area, y int, s *kernels.Machine) int {
	if s.Idle != "" { // with a line that people copy
		for _, l := range wrap(s.Idle, a.rect.w) {
			a.cut(0, y, a.rect.w, l, inkWarn)
			y++
		}
	}
	for _, i := range s.Islands {
		x := a.text(0, y, i.Device+" ", inkTitle)
		ps := []part{{"no champion yet", inkDim}}
		if !i.Champion.IsZero() {
			ps = []part{{report.Headline(i.Speedup, i.Estimate), inkGood}, {"champion " + i.Champion.Short(), inkPlain}}
		}
		a.parts(x, y, a.rect.w-x, append(ps, part{report.Quantity(i.Evals, "verdict"), inkDim}))
		y++
	}
	return y
}

// drawPace draws verdicts over time.
func (p *machinePane) drawPace(a area, y int) {
	if y >= a.rect.h {
		return
	}
	b := p.board
	rate := b.live.last.Rate
	if d := p.elapsed().Seconds(); rate == 0 && d > 0 {
		rate = float64(b.verdicts) / d
	}
	text := fmt.Sprintf(" %.1f/s", rate)
	x := a.text(0, y, "pace ", inkTitle)
	for _, v := range b.pace.spark(max(0, a.rect.w-x-len(text))) {
		a.set(x, y, p.art.levels[int(v*float64(len(p.art.levels)-1)+0.5)], inkAccent)
		x++
	}
	a.text(x, y, text, inkPlain)
}

// drawCosts says where the time of a candidate goes.
func (p *machinePane) drawCosts(a area, y int) {
	b := p.board
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
