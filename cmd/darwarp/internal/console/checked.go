package console

import (
	"io"
	"os"

	"darwarp/cmd/darwarp/internal/printable"
)

// Checked remembers that a write failed: most of what is printed is printed without a look at the error, and a command
// whose output did not arrive has not done what it was asked for.
type Checked struct {
	W   io.Writer
	Err error // the first
}

// Write writes to W.
func (c *Checked) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	if c.Err == nil {
		c.Err = err
	}
	return n, err
}

// file is what a stream writes to in the end, where that is a file.
func file(w io.Writer) (*os.File, bool) {
	switch x := w.(type) {
	case *printable.Writer:
		return file(x.W)
	case *Checked:
		return file(x.W)
	case *os.File:
		return x, true
	}
	return nil, false
}
