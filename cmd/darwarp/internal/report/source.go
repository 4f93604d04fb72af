package report

import (
	"io"
	"strings"

	"github.com/alecthomas/chroma/v2/quick"
)

// Source writes CUDA C++, with colours when asked for.
func Source(w io.Writer, src string, colour bool) error {
	if !colour {
		_, err := io.WriteString(w, src)
		return err
	}
	return quick.Highlight(w, src, "c++", "terminal256", "monokai")
}

// Diff writes a unified diff, with colours when asked for.
func Diff(w io.Writer, diff string, colour bool) error {
	if !colour {
		_, err := io.WriteString(w, diff)
		return err
	}
	for line := range strings.Lines(diff) {
		code := ""
		switch line[0] {
		case '+':
			code = "32"
		case '-':
			code = "31"
		case '@':
			code = "36"
		}
		if code != "" {
			line = "\x1b[" + code + "m" + strings.TrimSuffix(line, "\n") + "\x1b[0m\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}
