package console

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether w is a terminal that can move its cursor.
func IsTerminal(w io.Writer) bool {
	f, ok := under(w).(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// UseColour follows https://no-color.org.
func UseColour(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && IsTerminal(w) }

// Width is the number of columns of the terminal behind w, 0 where there is none: nothing is cut.
func Width(w io.Writer) int {
	if f, ok := under(w).(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 0
}
