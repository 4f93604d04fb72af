package kernels

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

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
		return shown(fmt.Sprintf("%s: %v", m.File, m.Err))
	}
	return shown(fmt.Sprintf("%s: %s: %v", m.File, m.Key, m.Err))
}

// shown leaves nothing in a message that could act on a terminal: it quotes lines and names of the file.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

func (m Mistake) Unwrap() error { return m.Err }

// MarshalText writes what Error says, for reports.
func (m Mistake) MarshalText() ([]byte, error) { return []byte(m.Error()), nil }

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

// maxTOML bounds a declaration in bytes; maxShown what is shown of a wrong line.
const (
	maxTOML  = 256 << 10
	maxShown = 2 << 10
)

func shorten(s string) string {
	if len(s) > maxShown {
		return strings.ToValidUTF8(s[:maxShown], "") + " ..."
	}
	return s
}

// DecodeTOML reads TOML strictly: an unknown key is a mistake that is shown in its line. Its errors are Mistakes.
func DecodeTOML(file string, data []byte, into any) error {
	if len(data) > maxTOML {
		return Mistakes{{file, "", fmt.Errorf("%d bytes: expected at most %d", len(data), maxTOML)}}
	}
	if key, many := tooManyUnknown(data, into); many {
		return Mistakes{{file, shorten(key), fmt.Errorf("unknown key, as are more than %d others", maxUnknown)}}
	}
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
			ms = append(ms, Mistake{fmt.Sprintf("%s:%d", file, row), shorten(strings.Join(e.Key(), ".")),
				fmt.Errorf("unknown key\n%s", shorten(e.String()))})
		}
		return ms
	case errors.As(err, &bad):
		row, _ := bad.Position()
		return Mistakes{{fmt.Sprintf("%s:%d", file, row), shorten(strings.Join(bad.Key(), ".")),
			fmt.Errorf("%s\n%s", plain(bad), shorten(pointed(bad)))}}
	}
	return Mistakes{{file, "", err}}
}

var decodeRE = regexp.MustCompile(`^cannot decode TOML ([\w ]+) into (?:.* of type )?(.*)$`)

// pointed is the place of a decoding error in its text, marked, without what is said of it there: plain says that.
func pointed(err *toml.DecodeError) string {
	return strings.Replace(err.String(), "~ "+strings.TrimPrefix(err.Error(), "toml: "), "~", 1)
}

// wantedKinds says in TOML's words what a Go type takes.
var wantedKinds = map[string]string{"int": "an integer", "float64": "a number", "bool": "true or false",
	"string": "a string", "kernels.DType": "a string"}

// numberRE is what strconv says of itself in an error about a number.
var numberRE = regexp.MustCompile(`strconv\.\w+: parsing `)

// plain is a decoding error without the names of Go's types and functions.
func plain(err error) string {
	text := numberRE.ReplaceAllString(strings.TrimPrefix(err.Error(), "toml: "), "")
	m := decodeRE.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	want := wantedKinds[m[2]]
	if want == "" {
		want = "a table"
	}
	if strings.HasPrefix(m[2], "[]") {
		want = "a list"
	}
	return fmt.Sprintf("a TOML %s does not fit here: expected %s", m[1], want)
}
