package tui

import (
	"fmt"
	"os"
	"strings"
)

// ink is what a rune means; a theme says how that looks.
type ink uint8

const (
	inkPlain ink = iota
	inkDim
	inkFaint // frames, the scatter
	inkTitle
	inkFocus // the frame of the pane in focus
	inkKey   // keys in the help
	inkGood
	inkBad
	inkWarn
	inkChampion
	inkCurve
	inkBaseline
	inkRoofline
	inkAccent
	inkStrong
	inkKeyword // source
	inkType
	inkString
	inkNumber
	inkComment
	inkMacro
	inkCount
)

// back is a background.
type back uint8

const (
	backNone   back = iota
	backSelect      // the row under the cursor
	backPopup       // dialogs
	backBar         // the title line
	backCount
)

// theme is the SGR sequence of each ink on each background. Colours are 24 bit; the terminal layer takes
// them down to what the terminal has, and leaves them out where NO_COLOR is set.
type theme struct {
	ink  [inkCount]string // #rrggbb, empty: the terminal's own
	back [backCount]string
	bold [inkCount]bool
	sgr  [inkCount][backCount]string
}

func newTheme(back [backCount]string, inks [inkCount]string) *theme {
	t := &theme{ink: inks, back: back}
	for _, k := range []ink{inkTitle, inkKey, inkChampion, inkStrong, inkFocus} {
		t.bold[k] = true
	}
	for k := range inkCount {
		for b := range backCount {
			t.sgr[k][b] = t.sequence(k, b)
		}
	}
	return t
}

func (t *theme) sequence(k ink, b back) string {
	var parts []string
	if t.bold[k] {
		parts = append(parts, "1")
	}
	if c := t.ink[k]; c != "" {
		parts = append(parts, "38;2;"+rgb(c))
	}
	if c := t.back[b]; c != "" {
		parts = append(parts, "48;2;"+rgb(c))
	}
	if len(parts) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(parts, ";") + "m"
}

// rgb turns #rrggbb into the decimal form of SGR.
func rgb(hex string) string {
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil { // the themes are constants
		panic(err)
	}
	return fmt.Sprintf("%d;%d;%d", r, g, b)
}

var darkTheme = newTheme([backCount]string{backSelect: "#2b3648", backPopup: "#1d2430", backBar: "#202938"},
	[inkCount]string{
		inkDim: "#8b95a7", inkFaint: "#4a5568", inkTitle: "#d6deeb", inkFocus: "#56c8d8", inkKey: "#56c8d8",
		inkGood: "#7fd88f", inkBad: "#f07178", inkWarn: "#f2b45a", inkChampion: "#ffd166", inkCurve: "#5fe3a1",
		inkBaseline: "#f2a65a", inkRoofline: "#c792ea", inkAccent: "#56c8d8", inkStrong: "#ffffff",
		inkKeyword: "#c792ea", inkType: "#56c8d8", inkString: "#a5d77e", inkNumber: "#f2a65a", inkComment: "#6b7689",
		inkMacro: "#7aa2f7",
	})

var lightTheme = newTheme([backCount]string{backSelect: "#d7e6f5", backPopup: "#eef1f5", backBar: "#e3e9f0"},
	[inkCount]string{
		inkDim: "#5c6675", inkFaint: "#aab3bf", inkTitle: "#1f2933", inkFocus: "#0b7285", inkKey: "#0b7285",
		inkGood: "#1b7f3b", inkBad: "#c0262d", inkWarn: "#a35c00", inkChampion: "#8a5a00", inkCurve: "#0a7d4f",
		inkBaseline: "#b35309", inkRoofline: "#7b2fa8", inkAccent: "#0b7285", inkStrong: "#000000",
		inkKeyword: "#7b2fa8", inkType: "#0b7285", inkString: "#2f6f1f", inkNumber: "#b35309", inkComment: "#7a8492",
		inkMacro: "#2950b8",
	})

// art is how things are drawn: colours and characters.
type art struct {
	theme     *theme
	box       [6]rune // - | and the corners by rows
	ellipsis  string
	unicode   bool   // more than ASCII
	full, cap rune   // of a bar
	rest      rune   // of a bar's empty part
	levels    []rune // of a sparkline, lowest first
	marks
	check     string
	dot       string // between parts of a line
	plusMinus string
	live      string
	above     string // what is beyond the upper edge
}

// marks stand before a row.
type marks struct {
	champion rune
	cursor   rune
	marked   rune
	pinned   rune
	killed   rune // its lineage is bred from no more
}

var unicodeArt = art{
	theme: darkTheme, box: [6]rune{'─', '│', '╭', '╮', '╰', '╯'}, ellipsis: "…", unicode: true, full: '█',
	cap: '▌', rest: '░',
	levels: []rune("▁▂▃▄▅▆▇█"), marks: marks{'★', '▸', '●', '◆', '✗'}, check: "✓", dot: " · ",
	plusMinus: "±", live: "●", above: "↑",
}

var asciiArt = art{
	theme: darkTheme, box: [6]rune{'-', '|', '+', '+', '+', '+'}, ellipsis: "..", full: '#', cap: '#', rest: '.',
	levels: []rune("_.-=+*#"), marks: marks{'*', '>', 'o', '^', 'x'}, check: "ok", dot: ", ",
	plusMinus: "+-", live: "*", above: "above",
}

// arrow says which way a column is sorted.
func (a *art) arrow(reverse bool) string {
	switch {
	case a.unicode && reverse:
		return "▾"
	case a.unicode:
		return "▴"
	case reverse:
		return "v"
	}
	return "^"
}

// localArt takes what the locale can show.
func localArt(utf8 bool) *art {
	a := asciiArt
	if utf8 {
		a = unicodeArt
	}
	return &a
}

// UTF8 reports whether the locale's characters are UTF-8, as POSIX orders the variables.
func UTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
