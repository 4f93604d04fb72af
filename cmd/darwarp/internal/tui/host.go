package tui

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darwarp/cmd/darwarp/internal/report"
)

// Host is how busy the computer is that a search and its view run on.
type Host struct {
	CPU      float64 // share of all cores since the last sample, below 0: not known yet
	Cores    int
	MemUsed  int // bytes, what can be given up not counted
	MemTotal int // bytes
}

// hostEvery is how often the host is looked at.
const hostEvery = 2 * time.Second

type hostMsg struct {
	host Host
	err  error
}

// HostSampler gives what Linux tells in /proc, each time since the time before.
func HostSampler() func() (Host, error) { return hostSampler("/proc") }

func hostSampler(proc string) func() (Host, error) {
	var busy, all float64 // clock ticks since the machine started
	return func() (Host, error) {
		h := Host{CPU: -1, Cores: runtime.NumCPU()}
		stat, err := os.ReadFile(proc + "/stat")
		if err != nil {
			return h, err
		}
		nowBusy, nowAll := ticks(string(stat))
		if nowAll > all && all > 0 {
			h.CPU = min(1, max(0, (nowBusy-busy)/(nowAll-all)))
		}
		busy, all = nowBusy, nowAll
		mem, err := os.ReadFile(proc + "/meminfo")
		if err != nil {
			return h, err
		}
		h.MemTotal = kibibytes(string(mem), "MemTotal:")
		h.MemUsed = h.MemTotal - kibibytes(string(mem), "MemAvailable:")
		return h, nil
	}
}

// ticks reads the first line of /proc/stat: user nice system idle iowait irq softirq steal, and guest times, which
// user and nice have in them.
func ticks(stat string) (busy, all float64) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	for i, f := range fields[min(1, len(fields)):min(9, len(fields))] {
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return 0, 0
		}
		all += n
		if i != 3 && i != 4 { // idle, iowait
			busy += n
		}
	}
	return busy, all
}

// kibibytes is a figure of /proc/meminfo in bytes, 0 where it is not told.
func kibibytes(mem, name string) int {
	_, rest, _ := strings.Cut(mem, name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil {
		return 0
	}
	return n << 10
}

// sample looks at the host, where a search is going on, and not more often than is worth it.
func (p *machinePane) sample(now time.Time) tea.Cmd {
	if p.opt.Host == nil || !p.board.live.watching || now.Sub(p.sampled) < hostEvery {
		return nil
	}
	p.sampled = now
	ask := p.opt.Host
	return func() tea.Msg {
		h, err := ask()
		return hostMsg{h, err}
	}
}

// take keeps a sample; where there is none to be had, nothing is shown.
func (p *machinePane) take(m hostMsg) {
	if p.host = nil; m.err == nil {
		p.host = &m.host
	}
}

// drawHost writes a line about the computer.
func (p *machinePane) drawHost(a area, y int) {
	h := p.host
	x := a.text(0, y, "host ", inkTitle)
	if h.CPU >= 0 {
		if a.rect.w >= barsFrom-2 {
			x = a.bar(x, y, min(16, a.rect.w/6), h.CPU, inkGood) + 1
		}
		x = a.text(x, y, fmt.Sprintf("%3.0f%%", 100*h.CPU), inkStrong)
	}
	a.parts(x+2, y, a.rect.w-x-2, []part{{report.Quantity(h.Cores, "core"), inkPlain},
		{fmt.Sprintf("%s/%s", report.Bytes(h.MemUsed>>20<<20), report.Bytes(h.MemTotal>>20<<20)), inkDim}})
}
