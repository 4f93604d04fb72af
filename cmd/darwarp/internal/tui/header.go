package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// part is a piece of a line: those that find no room are left out, later ones first.
type part struct {
	text string
	ink  ink
}

// parts writes pieces with dots between them into n columns.
func (a area) parts(x, y, n int, ps []part) int {
	start, end := x, x+n
	for _, p := range ps {
		p.text = shown(p.text)
		gap := 0
		if x > start {
			gap = ansi.StringWidth(a.art.dot)
		}
		if x+gap+ansi.StringWidth(p.text) > end {
			continue
		}
		if gap > 0 {
			x = a.text(x, y, a.art.dot, inkFaint)
		}
		x = a.text(x, y, p.text, p.ink)
	}
	return x
}

// header is the first lines of a view.
type header struct{ *scene }

// draw says what a person wants to see at a glance, and gives its height.
func (h *header) draw(a area) int {
	a.paint(0, 0, a.rect.w, backBar)
	state, k := h.state()
	badge := a.art.live + " " + state + "  " + report.Duration(h.elapsed())
	a.right(a.rect.w-1, 0, badge, k)
	room := a.rect.w - 2 - ansi.StringWidth(badge)
	x := 1
	if h.size() != sizeCompact {
		x = a.text(x, 0, "darwarp  ", inkFocus)
	}
	if s := h.board.state; s != nil {
		a.parts(x, 0, room-x, []part{{s.Meta.Problem + " " + string(s.Meta.DType), inkStrong},
			{s.Meta.Device.Label(), inkPlain},
			{h.workloadText(), inkDim}, {s.Meta.Cache, inkDim}, {s.Path, inkDim}})
	}
	a.parts(1, 1, a.rect.w-2, h.bestParts())
	if h.h < roomyH {
		return 2
	}
	h.drawProgress(a)
	return 3
}

// state is what the search is doing, in a word or two.
func (h *header) state() (string, ink) {
	b := h.board
	l := &b.live
	switch {
	case b.err != nil:
		return "no data: " + report.Clip(b.err.Error(), 40), inkBad
	case b.loading && b.state != nil && b.state.Len > 2*loadBatch:
		return fmt.Sprintf("reading %d%%", 100*len(b.rows)/b.state.Len), inkDim
	case b.loading:
		return "reading", inkDim
	case l.summary != nil && b.state.Replayed:
		return "replayed", inkTitle
	case b.state != nil && b.state.Replayed:
		return "replaying", inkAccent
	case l.summary != nil:
		return "ended: " + string(l.summary.Reason), inkTitle
	case !l.watching && l.last.Kind != "":
		return "not responding", inkBad
	case !l.watching:
		return "at rest", inkDim
	case l.last.Kind == "":
		return "live", inkGood // it was not heard yet
	case l.diskFull:
		return "disk full", inkBad
	case l.draining != "":
		return "finishing", inkWarn
	case l.paused:
		return "paused", inkWarn
	}
	return "searching", inkGood
}

// bestParts tell the best against what it is measured by, and when the last gain was.
func (h *header) bestParts() []part {
	b := h.board
	c := b.champion()
	if c == nil {
		return []part{{"no candidate is right yet", inkDim}}
	}
	best := string(h.art.champion) + " " + b.speedupOf(c)
	if h.size() != sizeCompact {
		best += " over naive start"
	}
	ps := []part{{best, inkChampion}}
	if share := h.progress(); h.h < roomyH && share >= 0 { // there is no line for it
		ps = append(ps, part{fmt.Sprintf("%.0f%%", 100*share), inkPlain})
	}
	if eta := h.eta(); h.h < roomyH && eta != "" {
		ps = append(ps, part{eta, inkPlain})
	}
	if st := b.standing(); st == kernels.OnTrial {
		ps = append(ps, part{string(st), inkWarn})
	}
	if len(c.times) == 1 && c.proven {
		ps = append(ps, part{report.Time(float64(c.times[0].median)), inkStrong})
	}
	for _, x := range b.baselines {
		ps = append(ps, part{report.Ratio(x.score*b.speedup(c.score)) + " " + x.name, inkBaseline})
	}
	ps = append(ps, part{h.lastGain(), inkPlain})
	if share := b.share(c, -1); share > 0 {
		ps = append(ps, part{report.Percent(share) + " of roofline", inkRoofline})
	}
	return ps
}

// lastGain says how long ago the champion became one, where there is room in evaluations too.
func (h *header) lastGain() string {
	last := h.board.steps[len(h.board.steps)-1]
	since := h.elapsed() - time.Duration(last.elapsed*float64(time.Second))
	text := "last gain " + report.Duration(since)
	if h.w >= 100 {
		text += ", " + report.Quantity(max(0, h.board.verdicts-int(last.evals)), "eval")
	}
	return text + " ago"
}

// drawProgress is the third line: how far, how fast, how long, how many failed.
func (h *header) drawProgress(x area) {
	b := h.board
	evals, share := report.Count(b.verdicts), h.progress()
	if b.budget.Evals > 0 {
		evals += "/" + report.Count(b.budget.Evals)
	}
	at := x.text(1, 2, evals+" evals ", inkPlain)
	if share >= 0 {
		if x.rect.w >= barsFrom {
			at = x.bar(at, 2, min(24, x.rect.w/6), share, inkAccent) + 1
		}
		at = x.text(at, 2, fmt.Sprintf("%.0f%%", 100*share), inkDim)
	}
	x.parts(at+2, 2, x.rect.w-3-at, h.progressParts())
}

// barsFrom is the width from which on there is room for a bar beside what it shows.
const barsFrom = 60

// progressParts are what is told of the search's way, what matters most first.
func (h *header) progressParts() []part {
	b := h.board
	l := &b.live
	rate := l.last.Rate
	if rate == 0 && h.elapsed() > 0 {
		rate = float64(b.verdicts) / h.elapsed().Seconds()
	}
	ps := []part{{fmt.Sprintf("%.1f/s", rate), inkPlain}}
	if eta := h.eta(); eta != "" && h.w >= barsFrom {
		ps = append(ps, part{eta, inkPlain})
	} else if eta != "" {
		ps = append([]part{{eta, inkPlain}}, ps...)
	}
	k := inkDim
	if b.failed > 0 {
		k = inkWarn
	}
	ps = append(ps, part{report.Count(b.failed) + " failed", k})
	if l.watching {
		ps = append(ps, part{fmt.Sprintf("%d in flight", l.last.InFlight), inkDim})
		for _, d := range l.last.Doing {
			ps = append(ps, part{d.String(), inkAccent})
		}
	}
	if b.spent.asked > 0 {
		ps = append(ps, part{fmt.Sprintf("%s asked, USD %s", report.Count(b.spent.asked), b.spent.dollars()), inkPlain})
	}
	if l.lost > 0 {
		ps = append(ps, part{fmt.Sprintf("%d lost", l.lost), inkBad})
	}
	return ps
}

// eta says when the budget will be spent, empty where nothing says.
func (h *header) eta() string {
	l := &h.board.live
	if !l.watching || l.draining != "" || l.last.ETA <= 0 {
		return ""
	}
	left := l.last.ETA
	if !h.board.still() {
		left = max(time.Second, left-max(0, h.opt.Now().Sub(l.heard)))
	}
	return "ETA " + report.Duration(left)
}

// bar draws a share and gives the column after it.
func (x area) bar(at, y, n int, share float64, k ink) int {
	full := share * float64(n)
	for i := range n {
		switch {
		case float64(i)+1 <= full+0.01:
			x.set(at+i, y, x.art.full, k)
		case float64(i)+0.5 <= full:
			x.set(at+i, y, x.art.cap, k)
		default:
			x.set(at+i, y, x.art.rest, inkFaint)
		}
	}
	return at + n
}

// progress is the part of the budget that is used up, -1: nothing says.
func (h *header) progress() float64 {
	share, b := -1.0, h.board.budget
	if b.Evals > 0 {
		share = float64(h.board.verdicts) / float64(b.Evals)
	}
	if b.For > 0 {
		share = max(share, h.elapsed().Seconds()/b.For.Seconds())
	}
	return min(1, share)
}

// drawFooter shows a notice, or the keys that matter here.
func (m *Model) drawFooter(x area) {
	if m.notice != "" {
		k := inkGood
		if m.bad {
			k = inkBad
		}
		x.cut(1, 0, x.rect.w-2, strings.ReplaceAll(m.notice, "\n", " "), k)
		return
	}
	at := 1
	for _, b := range bindings {
		if !b.hint || !b.fits(m) {
			continue
		}
		if at+len(b.show)+1+len(b.short) > x.rect.w-1 {
			break
		}
		at = x.text(at, 0, b.show, inkKey)
		at = x.text(at+1, 0, b.short, inkDim) + 2
	}
}
