package console

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Checked is a stream that remembers that a write failed: most of what is printed is printed without a look at the
// error, and a command whose output did not arrive has not done what it was asked for. A terminal, which is never full,
// stays what it is, for it is asked for more than to be written to.
func Checked(w io.Writer) (out io.Writer, failed func() error) {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return w, func() error { return nil }
	}
	c := &checked{w: w}
	return c, func() error { return c.err }
}

type checked struct {
	w   io.Writer
	err error // the first
}

// Write writes to the stream.
func (c *checked) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if c.err == nil {
		c.err = err
	}
	return n, err
}
