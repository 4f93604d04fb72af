package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// candidateView is what is shown of a candidate.
type candidateView int

const (
	viewSource candidateView = iota
	viewDiff
	viewLineage
	viewFigures
	viewCount
)

var viewNames = [viewCount]string{"source", "diff", "lineage", "figures"}

// span of one ink.
type piece struct {
	text string
	ink  ink
}

// rich is a line of pieces.
type rich []piece

// candidatePane shows one candidate in several ways.
type candidatePane struct {
	*selection
	leaders *leadersPane // whose workload's time is told
	view    candidateView
	sheets  map[sheetKey]*sheet
}

func (p *candidatePane) move(by int) { p.scroll[p.view] = max(0, p.scroll[p.view]+by) }

// turn goes to the next view of a candidate, or to the one before.
func (p *candidatePane) turn(by candidateView) { p.view = (p.view + by + viewCount) % viewCount }

// note names the views, the one that is shown in brackets.
func (p *candidatePane) note() string {
	var parts []string
	for v, name := range viewNames {
		if candidateView(v) == p.view {
			name = "[" + name + "]"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

// draw shows one view of a candidate below what identifies it.
func (p *candidatePane) draw(a area) {
	k, ok := p.wanted()
	if !ok {
		a.cut(0, 0, a.rect.w, "No candidate is right yet.", inkDim)
		return
	}
	b := p.board
	r := &b.rows[k.row]
	p.drawHead(a, r, k)
	body := b2area(a, rect{a.x, a.y + 1, a.rect.w, a.rect.h - 1})
	s := p.sheets[k]
	var lines []rich
	switch {
	case p.view == viewLineage:
		lines = p.lineageLines(k.row, a.rect.w)
	case s == nil || s.source == nil && s.err == nil:
		lines = []rich{{{"reading ...", inkDim}}}
	case s.err != nil:
		lines = []rich{{{s.err.Error(), inkBad}}}
	case p.view == viewSource:
		lines = s.source
	case p.view == viewDiff:
		lines = s.diff
	default:
		lines = p.figureLines(&s.candidate, a.rect.w)
	}
	p.scroll[p.view] = min(p.scroll[p.view], max(0, len(lines)-body.rect.h))
	top := p.scroll[p.view]
	numbers := 0
	if p.view == viewSource && len(lines) > 1 {
		numbers = len(fmt.Sprint(len(lines))) + 1
	}
	for y := range min(body.rect.h, len(lines)-top) {
		if numbers > 0 {
			body.right(numbers-1, y, fmt.Sprint(top+y+1), inkFaint)
		}
		body.rich(numbers, y, lines[top+y])
	}
}

// rich writes a line of pieces, with an ellipsis where it is cut.
func (a area) rich(x, y int, l rich) {
	for i, p := range l {
		room := a.rect.w - x
		p.text = shown(p.text)
		if n := ansi.StringWidth(p.text); n >= room &&
			slices.ContainsFunc(l[i+1:], func(q piece) bool { return q.text != "" }) {
			p.text = ansi.Truncate(p.text, max(0, room-1), "") + strings.Repeat(" ", max(0, room-n)) + a.art.ellipsis + " "
		}
		if x = a.cut(x, y, room, p.text, p.ink); x >= a.rect.w {
			return
		}
	}
}

// drawHead is the first line: who, how fast, and where from.
func (p *candidatePane) drawHead(a area, r *row, k sheetKey) {
	b := p.board
	ps := []part{{r.id.Short(), inkStrong}}
	if r == b.champion() {
		ps[0] = part{string(p.art.champion) + " " + r.id.Short(), inkChampion}
	}
	if p.view == viewDiff && k.with >= 0 {
		ps = append(ps, part{"against " + b.rows[k.with].id.Short(), inkPlain})
	}
	if r.outcome == kernels.OK {
		ps = append(ps, part{b.speedupOf(r), inkCurve}, part{p.leaders.timeCell(r), inkStrong})
	} else {
		ps = append(ps, part{r.outcome.String(), inkBad})
	}
	ps = append(ps, part{shortArm(b.operators.all[r.op]), inkPlain})
	if k.with >= 0 {
		with := &b.rows[k.with]
		if r.score > 0 && with.score > 0 {
			ps = append(ps, part{"gain " + b.gain(with, r), inkGood})
		}
		ps = append(ps, part{b.changes(with, r), inkDim})
	}
	a.parts(0, 0, a.rect.w, ps)
}

// lineageLines are the steps from the start, with what each changed and gained.
func (p *candidatePane) lineageLines(i int32, width int) []rich {
	b := p.board
	path, name := b.lineage(i), 10 // columns of the origin
	for _, j := range path {
		name = max(name, min(24, ansi.StringWidth(shortArm(b.operators.all[b.rows[j].op]))))
	}
	used := 41 + name // what is before the change
	head := fmt.Sprintf("  eval  id           speedup     gain  %-*s  change", name, "origin")
	beside := width-used >= leastChange
	if !beside {
		head = strings.TrimSuffix(head, "  change")
	}
	out := []rich{{{head, inkDim}}}
	for n, j := range path {
		r := &b.rows[j]
		gain, change := "", "the naive start"
		if n > 0 {
			before := &b.rows[path[n-1]]
			change = b.changes(before, r)
			if before.score > 0 && r.score > 0 {
				gain = b.gain(before, r)
			}
		}
		k := inkGood
		if strings.HasPrefix(gain, "0.") {
			k = inkBad
		}
		first := rich{{fmt.Sprintf("%6s  ", report.Count(int(r.seq))), inkDim}, {r.id.Short(), inkPlain},
			{fmt.Sprintf("  %8s ", b.speedupOf(r)), inkCurve},
			{fmt.Sprintf("%8s  ", gain), k},
			{fmt.Sprintf("%-*s  ", name, endOf(shortArm(b.operators.all[r.op]), name, p.art.ellipsis)), inkDim}}
		out = append(out, stepLines(first, change, used, width, beside)...)
	}
	return out
}

// leastChange is how many columns are enough to read a change in.
const leastChange = 20

// stepLines are a step with its change beside it, or below where there is no room.
func stepLines(first rich, change string, used, width int, beside bool) (out []rich) {
	const indent = 8 // the ID's column
	if !beside {
		out = append(out, first)
		used = indent
	}
	for c, l := range wrap(change, max(leastChange, width-used)) {
		if c == 0 && beside {
			out = append(out, append(first, piece{l, inkPlain}))
		} else {
			out = append(out, rich{{strings.Repeat(" ", used) + l, inkPlain}})
		}
	}
	return out
}

// figureLines are the outcome with its detail, the evidence, the times and the genes.
func (p *candidatePane) figureLines(c *kernels.Candidate, width int) []rich {
	var out []rich
	field := func(name, text string, k ink) {
		for i, l := range wrap(text, max(20, width-11)) {
			if text == "" {
				return
			}
			if i > 0 {
				name = ""
			}
			out = append(out, rich{{fmt.Sprintf("%-10s ", name), inkDim}, {l, k}})
		}
	}
	k := inkGood
	if c.Result.Outcome != kernels.OK {
		k = inkBad
	}
	field("outcome", c.Result.Outcome.String(), k)
	field("detail", c.Result.Detail, inkPlain)
	field("origin", fmt.Sprintf("%s, generation %d, evaluation %d", c.Origin.Operator,
		c.Origin.Generation, c.Seq), inkPlain)
	field("note", c.Origin.Note, inkPlain)
	if g := c.Result.Gate; g != nil {
		field("gate", fmt.Sprintf("%s, %s outputs; worst error %s (%s)", report.Quantity(g.Checks, "check"),
			report.Count(g.Elements), report.Tolerance(g.Worst), g.Where), inkPlain)
	}
	for _, x := range c.Result.Resources {
		field("resources", fmt.Sprintf("%s: %d registers, %s spilled, %s shared, %d blocks/SM, occupancy %s", x.Entry,
			x.Registers, report.Bytes(x.SpillLoads+x.SpillStores),
			report.Bytes(x.StaticSmem+x.DynamicSmem), x.BlocksPerSM, report.Occupancy([]kernels.Resources{x})), inkPlain)
	}
	for _, text := range p.timeTexts(c) {
		field("time", text, inkPlain)
	}
	if t := c.Result.Cost; t.Total() > 0 {
		field("cost", fmt.Sprintf("compile %.2f s, gate %.2f s, time %.2f s, waited %.2f s", t.Compile, t.Gate,
			t.Time, t.Wait), inkPlain)
	}
	field("family", c.Variant.Family, inkPlain)
	field("genes", strings.ReplaceAll(c.Variant.Genes.Key(), " ", "  "), inkPlain)
	field("id", c.ID.String(), inkDim)
	return out
}

// timeTexts are the times of a candidate by workload, none when the run does not say what they stand on.
func (p *candidatePane) timeTexts(c *kernels.Candidate) (out []string) {
	b := p.board
	i, ok := b.byID[c.ID]
	if !ok || !b.rows[i].proven {
		return nil
	}
	for n, t := range c.Result.Times {
		roof := ""
		if share := b.share(&b.rows[i], n); share > 0 {
			roof = ", " + report.Percent(share) + " of roofline"
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s %s%s, %s, %s %s", t.Workload,
			report.Interval(t.Median, t.Lo, t.Hi), t.Cache, roof, t.Tier, report.Quantity(t.Samples, "sample"),
			strings.Join(t.Tags, " "))))
	}
	return out
}
