package expr

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/file"
)

// Error is a mistake in an expression, or a failure to evaluate one. Its text has the expression and a caret on lines
// of their own.
type Error struct {
	Text    string // the expression
	Column  int    // in characters, 0-based; -1 unknown
	Message string
}

func (e *Error) Error() string {
	if e.Text == "" {
		return e.Message
	}
	if e.Column < 0 || e.Column > len(e.Text) {
		return fmt.Sprintf("%s\n    %s", e.Message, e.Text)
	}
	return fmt.Sprintf("%s\n    %s\n    %s^", e.Message, e.Text, strings.Repeat(" ", e.Column))
}

// fieldRE is what the compiler says of a field that the device does not have.
var fieldRE = regexp.MustCompile(`^type [\w.]+ has no (?:field|method) (\w+)$`)

// newError words an error of the parser, the compiler or the machine; scope may be nil, as it is while evaluating.
func newError(text string, err error, scope Scope) error {
	var fe *file.Error
	if !errors.As(err, &fe) {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return &Error{text, -1, first}
	}
	message := strings.TrimSpace(fe.Message)
	if m := fieldRE.FindStringSubmatch(message); m != nil {
		message = fmt.Sprintf("the device has no field %s: expected %s", m[1], strings.Join(fields(scope["device"]), ", "))
	}
	if message == "unexpected token EOF" {
		message = "ends too early: expected a number, a name or a closing bracket"
	}
	return &Error{text, fe.Column, message}
}

// fields lists those of a device that expressions can read.
func fields(device any) (names []string) {
	t := reflect.TypeOf(device)
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if tag := f.Tag.Get("expr"); tag != "-" {
			names = append(names, tag)
		}
	}
	return names
}
