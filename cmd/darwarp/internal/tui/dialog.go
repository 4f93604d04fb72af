package tui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/printable"
)

// dialog is a question above the view: one of some keys, or a line of text.
type dialog struct {
	title   string
	about   string
	choices []choice
	input   bool
	line    bool // on the last line, for what is seen above while it is typed
	text    string
	typed   func(*Model, string) // after each key
	accept  func(*Model, string) tea.Cmd
	cancel  func(*Model)
}

// choice is one answer.
type choice struct {
	key  string
	text string
	do   func(*Model) tea.Cmd
}

// dialogKey answers a question, or edits its line.
func (m *Model) dialogKey(k tea.KeyPressMsg) tea.Cmd {
	d, name := m.dialog, k.String()
	if name == "esc" || name == "ctrl+c" {
		m.dialog = nil
		if d.cancel != nil {
			d.cancel(m)
		}
		if name == "ctrl+c" {
			return m.interrupt()
		}
		return nil
	}
	if !d.input {
		for _, c := range d.choices {
			if c.key == name {
				m.dialog = nil
				return c.do(m)
			}
		}
		return nil
	}
	switch {
	case name == "enter":
		m.dialog = nil
		return d.accept(m, d.text)
	case name == "backspace":
		if r := []rune(d.text); len(r) > 0 {
			d.text = string(r[:len(r)-1])
		}
	case name == "ctrl+u":
		d.text = ""
	case k.Text != "":
		d.text += k.Text
	}
	if d.typed != nil {
		d.typed(m, d.text)
	}
	return nil
}

// popup clears a box in the middle and gives its inside.
func popup(a area, w, h int, title string) area {
	w, h = min(a.rect.w, w+4), min(a.rect.h, h+2)
	box := area{a.canvas, rect{(a.rect.w - w) / 2, (a.rect.h - h) / 2, w, h}}
	box.clear()
	for y := range h {
		box.paint(0, y, w, backPopup)
	}
	box.frame(title, "", inkFocus, inkFocus)
	return area{a.canvas, rect{box.x + 2, box.y + 1, max(0, w-4), max(0, h-2)}}
}

func (m *Model) drawDialog(a area) {
	d := m.dialog
	switch {
	case d.line:
		d.drawLine(a)
	case d.input:
		d.drawInput(a)
	default:
		d.drawChoices(a)
	}
}

// drawLine asks on the last line.
func (d *dialog) drawLine(a area) {
	in := a.canvas.at(rect{0, a.rect.h - 1, a.rect.w, 1})
	in.clear()
	x := in.text(1, 0, d.title+": ", inkKey)
	x = in.text(x, 0, d.text, inkStrong)
	x = in.text(x, 0, "_  ", inkKey)
	in.cut(x, 0, a.rect.w-x-1, d.about, inkDim)
}

// drawInput asks in a box.
func (d *dialog) drawInput(a area) {
	w := min(a.rect.w-4, 72)
	about := wrap(d.about, w)
	in := popup(a, w, len(about)+1, d.title)
	for y, l := range about {
		in.text(0, y, l, inkDim)
	}
	end := shown(d.text)
	for ansi.StringWidth(end) > w-3 {
		_, n := utf8.DecodeRuneInString(end)
		end = end[n:]
	}
	x := in.text(0, len(about), "> ", inkKey)
	x = in.text(x, len(about), end, inkStrong)
	in.text(x, len(about), "_", inkKey)
}

// drawChoices lists the answers.
func (d *dialog) drawChoices(a area) {
	w := 0
	for _, c := range d.choices {
		w = max(w, 5+len(c.text))
	}
	w = min(w, a.rect.w-4)
	var lines [][2]string
	for _, c := range d.choices {
		for i, l := range wrap(c.text, w-5) {
			key := c.key
			if i > 0 {
				key = ""
			}
			lines = append(lines, [2]string{key, l})
		}
	}
	in := popup(a, w, len(lines), d.title)
	for y, l := range lines {
		in.text(0, y, l[0], inkKey)
		in.text(5, y, l[1], inkPlain)
	}
}

// drawHelp lists the key table, in two columns where there is room.
func (m *Model) drawHelp(a area) {
	var shown []*binding
	for _, b := range bindings {
		if b.long != "" {
			shown = append(shown, b)
		}
	}
	columns, wide := 1, min(a.rect.w-4, 78)
	if len(shown) > a.rect.h-2 && a.rect.w >= 120 {
		columns, wide = 2, a.rect.w-8
	}
	each := wide / columns
	per := (len(shown) + columns - 1) / columns
	high := min(per, a.rect.h-2)
	m.helpTop = min(m.helpTop, per-high)
	title := "Keys"
	if high < per {
		title = "Keys (j k scroll)"
	}
	in := popup(a, wide, high, title)
	for i, b := range shown {
		x, y := i/per*each, i%per-m.helpTop
		in.text(x, y, b.show, inkKey)
		in.cut(x+11, y, each-12, b.long, inkPlain)
	}
}

// wrap breaks a text into lines of at most n columns, at blanks where it can.
func wrap(s string, n int) (lines []string) {
	n, s = max(1, n), strings.ReplaceAll(printable.Text(s), "\t", " ")
	for l := range strings.SplitSeq(s, "\n") {
		line := ""
		for word := range strings.SplitSeq(l, " ") {
			if line != "" && ansi.StringWidth(line)+1+ansi.StringWidth(word) > n {
				lines, line = append(lines, line), word
			} else if line != "" {
				line += " " + word
			} else {
				line = word
			}
			for ansi.StringWidth(line) > n {
				head := ansi.Truncate(line, n, "")
				if head == "" { // one rune is wider than the line
					break
				}
				lines, line = append(lines, head), line[len(head):]
			}
		}
		lines = append(lines, line)
	}
	return lines
}
