// Package console is where a command's words go: data to stdout, talk to stderr, and Ctrl-C the other way. Every
// command prints through it, and what names, notes and messages contain reaches no terminal as an order: New's streams
// pass only what can be shown. The program's own escape sequences go around them, here and nowhere else.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"golang.org/x/sys/unix"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Console is the streams of a command.
type Console struct {
	In       io.Reader
	Out, Err io.Writer // text for people: see New
}

// New is a console whose outputs pass printable text only.
func New(in io.Reader, out, err io.Writer) *Console {
	return &Console{In: in, Out: &printable.Writer{W: out}, Err: &printable.Writer{W: err}}
}

// under is the stream below one of New's.
func under(w io.Writer) io.Writer {
	if p, ok := w.(*printable.Writer); ok {
		return p.W
	}
	return w
}

// Lines is a text among the arguments of Sayf and Printf that may have several lines; all but the first are indented.
type Lines string

// Sayf writes a line for people, to stderr. Texts among the arguments are kept to one line; Lines and errors may have
// several.
func (c *Console) Sayf(format string, args ...any) { fmt.Fprintf(c.Err, format+"\n", fields(args)...) }

// Printf writes data for people, to stdout, with arguments as those of Sayf.
func (c *Console) Printf(format string, args ...any) { fmt.Fprintf(c.Out, format, fields(args)...) }

// fields are arguments with each text where it belongs: no name or note begins a line of its own.
func fields(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a
		switch a := a.(type) {
		case Lines:
			out[i] = printable.Block(string(a), "  ")
		case kernels.Mistakes:
			out[i] = mistakes(a)
		case error:
			out[i] = printable.Block(a.Error(), "  ")
		default:
			if v := reflect.ValueOf(a); v.Kind() == reflect.String {
				out[i] = printable.Line(fmt.Sprint(a))
			}
		}
	}
	return out
}

// mistakes is one a line; what belongs to one is indented.
func mistakes(ms kernels.Mistakes) string {
	texts := make([]string, len(ms))
	for i, m := range ms {
		texts[i] = printable.Block(m.Error(), "  ")
	}
	return strings.Join(texts, "\n")
}

// JSON is stdout for programs: see printable.JSONWriter.
func (c *Console) JSON() io.Writer { return &printable.JSONWriter{W: under(c.Out)} }

// PrintJSON writes v for programs: indented, one value.
func (c *Console) PrintJSON(v any) error {
	e := json.NewEncoder(c.JSON())
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// PrintSource writes CUDA C++ to stdout, in colours on a terminal.
func (c *Console) PrintSource(src string) error {
	return report.Source(under(c.Out), printable.Text(src), UseColour(c.Out))
}

// PrintDiff writes a unified diff to stdout, in colours on a terminal.
func (c *Console) PrintDiff(diff string) error {
	return report.Diff(under(c.Out), printable.Text(diff), UseColour(c.Out))
}

// Quiet is the console without the talk.
func (c *Console) Quiet() *Console { return &Console{In: c.In, Out: c.Out, Err: io.Discard} }

// CanView reports whether there is a terminal for the view: one to draw on and one to read keys from.
func (c *Console) CanView() bool {
	f, ok := c.In.(*os.File)
	return ok && IsTerminal(f) && IsTerminal(c.Out)
}

// Screen is the terminal that the view draws on, which makes every text printable itself. It has a file descriptor of
// its own: where stdout becomes a log because the terminal was closed, nothing is drawn into that.
func (c *Console) Screen() (screen io.Writer, done func()) {
	w := under(c.Out)
	f, ok := w.(*os.File)
	if !ok {
		return w, func() {}
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil { // no descriptor is left: the view shares stdout's
		return w, func() {}
	}
	own := os.NewFile(uintptr(fd), f.Name())
	return own, func() { _ = own.Close() }
}

// Printer shows progress on stderr: in place on a terminal, else a line now and then. It makes every text printable
// itself, since it moves the cursor.
func (c *Console) Printer(plain bool) *progress.Printer {
	return &progress.Printer{W: under(c.Err), Terminal: func() bool { return !plain && IsTerminal(c.Err) },
		Width: func() int { return Width(c.Err) }, Every: progress.LogEvery}
}
