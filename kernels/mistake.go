package kernels

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Mistake is one thing wrong with a user's file: where, and what was expected.
type Mistake struct {
	File string // problem.toml
	Key  string // constraint[2].rule
	Err  error
}

func (m Mistake) Error() string {
	if m.Key == "" {
		return fmt.Sprintf("%s: %v", m.File, m.Err)
	}
	return fmt.Sprintf("%s: %s: %v", m.File, m.Key, m.Err)
}

func (m Mistake) Unwrap() error { return m.Err }

// Mistakes is everything wrong with a file or a folder, in reading order.
type Mistakes []Mistake

func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// notes gathers mistakes while a file is read to its end.
type notes struct {
	file string
	list Mistakes
}

func (n *notes) add(key string, err error) {
	if err != nil {
		n.list = append(n.list, Mistake{n.file, key, err})
	}
}

func (n *notes) addf(key, format string, args ...any) { n.add(key, fmt.Errorf(format, args...)) }

func (n *notes) err() error {
	if len(n.list) == 0 {
		return nil
	}
	return n.list
}

// decode reads TOML strictly: an unknown key is a mistake that is shown in its line.
func decode(file string, data []byte, into any) error {
	d := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields()
	err := d.Decode(into)
	var strict *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &strict):
		ms := Mistakes{}
		for _, e := range strict.Errors {
			row, _ := e.Position()
			ms = append(ms, Mistake{fmt.Sprintf("%s:%d", file, row), strings.Join(e.Key(), "."), fmt.Errorf("unknown key\n%s", e.String())})
		}
		return ms
	case errors.As(err, &bad):
		row, _ := bad.Position()
		return Mistakes{{fmt.Sprintf("%s:%d", file, row), strings.Join(bad.Key(), "."), fmt.Errorf("%s\n%s", strings.TrimPrefix(bad.Error(), "toml: "), bad.String())}}
	}
	return Mistakes{{file, "", err}}
}
