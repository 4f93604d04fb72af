package console

import (
	"bytes"
	"encoding/json"
	"io"
)

// PrintList writes an array for programs as PrintJSON does, but each value as soon as each adds it, so that none has to
// be kept. After an error the array stays open: what was written does not pass for all of it.
func (c *Console) PrintList(each func(add func(v any) error) error) error {
	l := list{w: c.JSON()}
	if err := each(l.add); err != nil {
		return err
	}
	end := "\n]\n"
	if !l.begun {
		end = "[]\n"
	}
	_, err := io.WriteString(l.w, end)
	return err
}

// list is an array that is being written.
type list struct {
	w     io.Writer
	begun bool
}

func (l *list) add(v any) error {
	var b bytes.Buffer
	between := ",\n  "
	if !l.begun {
		l.begun, between = true, "[\n  "
	}
	b.WriteString(between)
	e := json.NewEncoder(&b)
	e.SetIndent("  ", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := l.w.Write(bytes.TrimRight(b.Bytes(), "\n"))
	return err
}
