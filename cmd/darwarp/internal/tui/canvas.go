package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"darwarp/cmd/darwarp/internal/printable"
)

// cell is one place on the screen. The second place of a wide rune holds rune 0.
type cell struct {
	r    rune
	ink  ink
	back back
}

// canvas is what is drawn on: a view writes runes into rectangles, and what does not fit is cut at the
// rectangle's edge, never wrapped. It becomes terminal text once, at the end.
type canvas struct {
	w, h  int
	cells []cell
	art   *art
}

func newCanvas(w, h int, a *art) *canvas {
	c := &canvas{w: w, h: h, cells: make([]cell, w*h), art: a}
	for i := range c.cells {
		c.cells[i].r = ' '
	}
	return c
}

// rect is a part of a canvas, in cells.
type rect struct{ x, y, w, h int }

// inset is the rectangle without a border of one cell.
func (r rect) inset() rect { return rect{r.x + 1, r.y + 1, max(0, r.w-2), max(0, r.h-2)} }

// holds reports whether a place is in the rectangle.
func (r rect) holds(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

// rows is the part from row i on, n rows high at most.
func (r rect) rows(i, n int) rect {
	i = min(i, r.h)
	return rect{r.x, r.y + i, r.w, min(n, r.h-i)}
}

// area is a canvas seen through a rectangle.
type area struct {
	*canvas
	rect
}

func (c *canvas) at(r rect) area { return area{c, r} }

// set writes one narrow rune.
func (a area) set(x, y int, r rune, k ink) {
	if x >= 0 && y >= 0 && x < a.rect.w && y < a.rect.h {
		c := &a.cells[(a.y+y)*a.canvas.w+a.x+x]
		c.r, c.ink = r, k
	}
}

// paint gives cells a background.
func (a area) paint(x, y, n int, b back) {
	for i := max(0, x); i < min(a.rect.w, x+n) && y >= 0 && y < a.rect.h; i++ {
		a.cells[(a.y+y)*a.canvas.w+a.x+i].back = b
	}
}

// shown is a text as cells show it: on one line, tabs as blanks, and nothing in it that a terminal could obey.
func shown(s string) string { return printable.Line(strings.ReplaceAll(s, "\t", " ")) }

// text writes a line and returns the column after it. Every text of a screen comes through here.
func (a area) text(x, y int, s string, k ink) int {
	for _, r := range shown(s) {
		n := 1
		switch {
		case r > '~' && !a.art.unicode: // a byte of its UTF-8 could be a control character there
			r = '?'
		case r >= 0x300:
			if n = ansi.StringWidth(string(r)); n == 0 {
				continue
			}
		}
		if x+n > a.rect.w {
			return a.rect.w
		}
		a.set(x, y, r, k)
		if n == 2 {
			a.set(x+1, y, 0, k)
		}
		x += n
	}
	return x
}

// cut writes a line into n columns; one that is longer ends in an ellipsis.
func (a area) cut(x, y, n int, s string, k ink) int {
	n = min(n, a.rect.w-x)
	if n <= 0 {
		return x
	}
	return a.text(x, y, ansi.Truncate(shown(s), n, a.art.ellipsis), k)
}

// right writes a line that ends before column x.
func (a area) right(x, y int, s string, k ink) {
	s = shown(s)
	a.text(x-ansi.StringWidth(s), y, s, k)
}

// fill repeats a rune.
func (a area) fill(x, y, n int, r rune, k ink) {
	for i := range n {
		a.set(x+i, y, r, k)
	}
}

// clear blanks the area.
func (a area) clear() {
	for y := range a.rect.h {
		for x := range a.rect.w {
			a.cells[(a.y+y)*a.canvas.w+a.x+x] = cell{r: ' '}
		}
	}
}

// frame draws a box with a title on its upper edge and a note at the right of it.
func (a area) frame(title, note string, k ink, titled ink) {
	b, w, h := a.art.box, a.rect.w, a.rect.h
	if w < 2 || h < 2 {
		return
	}
	a.fill(1, 0, w-2, b[0], k)
	a.fill(1, h-1, w-2, b[0], k)
	for y := 1; y < h-1; y++ {
		a.set(0, y, b[1], k)
		a.set(w-1, y, b[1], k)
	}
	a.set(0, 0, b[2], k)
	a.set(w-1, 0, b[3], k)
	a.set(0, h-1, b[4], k)
	a.set(w-1, h-1, b[5], k)
	inner := area{a.canvas, rect{a.x + 2, a.y, max(0, w-4), 1}}
	note = shown(note)
	end := inner.cut(0, 0, inner.rect.w, " "+title+" ", titled)
	if n := ansi.StringWidth(note) + 2; note != "" && end+n < inner.rect.w {
		inner.text(inner.rect.w-n, 0, " "+note+" ", inkDim)
	}
}

// String is the canvas as terminal text with colours. Blanks at the end of a line are left out.
func (c *canvas) String() string { return c.render(true) }

// Text is the canvas without colours.
func (c *canvas) Text() string { return c.render(false) }

func (c *canvas) render(colours bool) string {
	var b strings.Builder
	b.Grow(c.w * c.h * 2)
	for y := range c.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		row := c.cells[y*c.w : (y+1)*c.w]
		end := len(row)
		for end > 0 && row[end-1].r == ' ' && row[end-1].back == backNone {
			end--
		}
		c.renderRow(&b, row[:end], colours)
	}
	return b.String()
}

func (c *canvas) renderRow(b *strings.Builder, row []cell, colours bool) {
	last := ""
	for _, x := range row {
		if colours {
			if sgr := c.art.theme.sgr[x.ink][x.back]; sgr != last && (x.r != ' ' || x.back != backNone || last != "") {
				b.WriteString("\x1b[0m")
				b.WriteString(sgr)
				last = sgr
			}
		}
		if x.r != 0 {
			b.WriteRune(x.r)
		}
	}
	if last != "" {
		b.WriteString("\x1b[0m")
	}
}
