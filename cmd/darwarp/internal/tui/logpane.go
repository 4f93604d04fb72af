package tui

import "darwarp/cmd/darwarp/internal/report"

// logPane shows what has happened.
type logPane struct {
	*scene
	list list // counts from the newest
	word filter
}

func (p *logPane) note() string {
	if p.word.active() {
		return p.word.text
	}
	return ""
}

func (p *logPane) move(by int) { p.list.at = min(max(0, p.list.at-by), max(0, p.shownLines()-1)) }

// lines are the log's that pass the filter, in order.
func (p *logPane) lines() []line {
	if !p.word.active() {
		return p.board.log
	}
	var out []line
	for _, l := range p.board.log {
		if p.word.line(l.text) {
			out = append(out, l)
		}
	}
	return out
}

func (p *logPane) shownLines() int { return len(p.lines()) }

// lineAtCursor is the line of the log under the cursor, which counts from the newest.
func (p *logPane) lineAtCursor() *line {
	all := p.lines()
	if len(all) == 0 {
		return nil
	}
	return &all[max(0, len(all)-1-p.list.at)]
}

// draw shows the newest lines at the top: they are what has just happened.
func (p *logPane) draw(a area) {
	all := p.lines()
	if len(all) == 0 {
		a.cut(0, 0, a.rect.w, "Nothing has happened yet.", inkDim)
		return
	}
	inks := map[level]ink{levelNote: inkPlain, levelGood: inkGood, levelBad: inkBad, levelQuiet: inkDim}
	top := p.list.window(len(all), a.rect.h)
	for i := top; i < min(len(all), top+a.rect.h); i++ {
		l, y := all[len(all)-1-i], i-top
		if p.focus == paneLog && i == p.list.at {
			a.paint(0, y, a.rect.w, backSelect)
			a.set(0, y, p.art.cursor, inkFocus)
		}
		a.right(8, y, report.Duration(l.at), inkDim)
		a.cut(10, y, a.rect.w-10, l.text, inks[l.level])
	}
}
