package tui

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darwarp/store"
	"darwarp/templates"
)

// The size of one place of the screen in a picture, and what is around it.
const (
	cellW, cellH = 8.0, 17.0
	margin       = 14.0
)

// svg draws a screen as a picture that looks the same everywhere: frames, bars and dots are shapes, only
// text needs a font.
func svg(c *canvas, label string) string {
	var b strings.Builder
	w, h := float64(c.w)*cellW+2*margin, float64(c.h)*cellH+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img" `+
		`aria-label="%s">`+"\n", w, h, w, h, html.EscapeString(label))
	fmt.Fprintf(&b, `<rect width="%g" height="%g" rx="10" fill="%s"/>`+"\n", w, h, ground(c))
	fmt.Fprintf(&b, `<g transform="translate(%g %g)" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, `+
		`'DejaVu Sans Mono', monospace" font-size="13" xml:space="preserve">`+"\n", margin, margin)
	shapes := map[string]*strings.Builder{}
	for y := range c.h {
		row := c.cells[y*c.w : (y+1)*c.w]
		backgrounds(&b, c, row, y)
		texts(&b, c, row, y)
		for x, cell := range row {
			if p := shape(cell.r, float64(x)*cellW, float64(y)*cellH); p != "" {
				k := colour(c, cell)
				if shapes[k] == nil {
					shapes[k] = &strings.Builder{}
				}
				shapes[k].WriteString(p)
			}
		}
	}
	for k := range inkCount {
		if s := shapes[colour(c, cell{ink: k})]; s != nil && s.Len() > 0 {
			fmt.Fprintf(&b, `<path fill="%s" d="%s"/>`+"\n", colour(c, cell{ink: k}), s)
			s.Reset()
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// ground is the background of a terminal that a theme is for.
func ground(c *canvas) string {
	if c.art.theme == lightTheme {
		return "#fbfcfd"
	}
	return "#12161f"
}

func colour(c *canvas, x cell) string {
	switch k := c.art.theme.ink[x.ink]; {
	case k != "":
		return k
	case c.art.theme == lightTheme:
		return "#27313d"
	}
	return "#c3ccd9"
}

func backgrounds(b *strings.Builder, c *canvas, row []cell, y int) {
	for x := 0; x < len(row); {
		end := x + 1
		for end < len(row) && row[end].back == row[x].back {
			end++
		}
		if k := c.art.theme.back[row[x].back]; k != "" {
			fmt.Fprintf(b, `<rect x="%g" y="%g" width="%g" height="%g" fill="%s"/>`+"\n", float64(x)*cellW, float64(y)*cellH,
				float64(end-x)*cellW, cellH, k)
		}
		x = end
	}
}

// texts writes the runs of one ink, each in its place whatever the font.
func texts(b *strings.Builder, c *canvas, row []cell, y int) {
	for x := 0; x < len(row); {
		if row[x].r == ' ' || shape(row[x].r, 0, 0) != "" {
			x++
			continue
		}
		end, run := x, ""
		for end < len(row) && row[end].ink == row[x].ink && shape(row[end].r, 0, 0) == "" && !strings.HasSuffix(run, "  ") {
			run += string(row[end].r)
			end++
		}
		run = strings.TrimRight(run, " ")
		bold := ""
		if c.art.theme.bold[row[x].ink] {
			bold = ` font-weight="bold"`
		}
		fmt.Fprintf(b, `<text x="%g" y="%g" fill="%s"%s textLength="%g">%s</text>`+"\n", float64(x)*cellW,
			float64(y)*cellH+12.5, colour(c, row[x]), bold,
			float64(len([]rune(run)))*cellW, html.EscapeString(run))
		x = end
	}
}

// shape is the path of a rune that is not text, empty for text.
func shape(r rune, x, y float64) string {
	box := func(x, y, w, h float64) string { return fmt.Sprintf("M%.4g %.4gh%.3gv%.3gh%.3gz", x, y, w, h, -w) }
	mx, my, t := x+cellW/2-0.5, y+cellH/2-0.5, 1.0
	switch {
	case r > 0x2800 && r <= 0x28ff:
		out := ""
		for i := range 2 {
			for j := range 4 {
				if int(r-0x2800)&int(brailleBits[i][j]) != 0 {
					out += box(x+float64(i)*cellW/2+1, y+float64(j)*cellH/4+1, 2.2, 2.2)
				}
			}
		}
		return out
	case r >= '▁' && r <= '█':
		n := float64(r-'▁'+1) / 8 * cellH
		return box(x, y+cellH-n, cellW, n)
	case r == '▌':
		return box(x, y+3, cellW/2, cellH-6)
	case r == '░':
		return box(x, y+cellH/2-1, cellW, 2)
	}
	switch r {
	case '─':
		return box(x, my, cellW, t)
	case '│':
		return box(mx, y, t, cellH)
	case '╭':
		return box(mx, my, cellW/2+0.5, t) + box(mx, my, t, cellH/2+0.5)
	case '╮':
		return box(x, my, cellW/2+0.5, t) + box(mx, my, t, cellH/2+0.5)
	case '╰':
		return box(mx, my, cellW/2+0.5, t) + box(mx, y, t, cellH/2)
	case '╯':
		return box(x, my, cellW/2+0.5, t) + box(mx, y, t, cellH/2)
	}
	return ""
}

// TestSVG checks that a picture is well-formed.
func TestSVG(t *testing.T) {
	d := open(t, 300, 160, 50, true)
	d.live()
	wellFormed(t, svg(d.m.draw(), `a "screen" <&>`))
}

func wellFormed(t *testing.T, s string) {
	t.Helper()
	for r := xml.NewDecoder(strings.NewReader(s)); ; {
		if _, err := r.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPicture draws the screen of a real run; docs/internals/view.sh calls it.
//
//	DARWARP_PICTURE      the picture to write
//	DARWARP_PICTURE_RUN  the run's file
//	DARWARP_PICTURE_SIZE columns and rows, as in 150x44
//	DARWARP_PICTURE_KEYS keys to press first, with blanks between
//	DARWARP_PICTURE_BACK light or dark
func TestPicture(t *testing.T) {
	path, out := os.Getenv("DARWARP_PICTURE_RUN"), os.Getenv("DARWARP_PICTURE")
	if path == "" || out == "" {
		t.Skip("no picture is asked for: docs/internals/view.sh does")
	}
	run, err := store.View(path)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	bundle, err := templates.FromFiles(run.Meta().Files)
	if err != nil {
		t.Fatal(err)
	}
	ws, hs, _ := strings.Cut(os.Getenv("DARWARP_PICTURE_SIZE"), "x")
	w, errW := strconv.Atoi(ws)
	h, errH := strconv.Atoi(hs)
	if err := errors.Join(errW, errH); err != nil {
		t.Fatal(err)
	}
	src := File{run, bundle}
	b := NewBoard()
	b.Follow(src)
	d := &driver{TB: t, now: time.Now()}
	d.m = NewModel(t.Context(), b, src, Options{UTF8: true})
	if os.Getenv("DARWARP_PICTURE_BACK") == "light" {
		d.send(tea.BackgroundColorMsg{Color: white{}})
	}
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	d.press(strings.Fields(os.Getenv("DARWARP_PICTURE_KEYS"))...)
	picture := svg(d.m.draw(), "darwarp watch: "+run.Meta().Problem+" on "+run.Meta().Device.Label())
	wellFormed(t, picture)
	if err := os.WriteFile(out, []byte(picture), 0o666); err != nil {
		t.Fatal(err)
	}
}
