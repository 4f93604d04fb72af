// Package console is where a command's words go: data to stdout, talk to stderr, and Ctrl-C the other way.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"darwarp/cmd/darwarp/internal/progress"
)

// Console is the streams of a command.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
}

// Sayf writes a line for people, to stderr.
func (c *Console) Sayf(format string, args ...any) { fmt.Fprintf(c.Err, format+"\n", args...) }

// PrintJSON writes v for programs: indented, one value.
func (c *Console) PrintJSON(v any) error {
	e := json.NewEncoder(c.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Quiet is the console without the talk.
func (c *Console) Quiet() *Console { return &Console{In: c.In, Out: c.Out, Err: io.Discard} }

// CanView reports whether there is a terminal for the view: one to draw on and one to read keys from.
func (c *Console) CanView() bool {
	f, ok := c.In.(*os.File)
	return ok && IsTerminal(f) && IsTerminal(c.Out)
}

// Printer shows progress on stderr: in place on a terminal, else a line now and then.
func (c *Console) Printer(plain bool) *progress.Printer {
	return &progress.Printer{W: c.Err, Terminal: IsTerminal(c.Err) && !plain, Width: func() int { return Width(c.Err) },
		Every: progress.LogEvery}
}
