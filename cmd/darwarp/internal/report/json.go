package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// UnmarshalJSON reads a user's JSON, and says of what is no JSON, or JSON of another kind, in which line that is.
func UnmarshalJSON(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) {
		where := ""
		if err == error(kind) { // else a type read its part of the text itself, and counts from there
			where = fmt.Sprintf("line %d: ", lineOf(data, kind.Offset))
		}
		if kind.Field != "" {
			where += fmt.Sprintf("key %q: ", kind.Field)
		}
		return fmt.Errorf("%sfound a JSON %s, expected %s", where, kind.Value, jsonKind(kind.Type.Kind()))
	}
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		return fmt.Errorf("line %d: not JSON, or cut short", lineOf(data, syntax.Offset))
	}
	return err
}

// lineOf is the line of the byte before an offset.
func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:max(0, min(int(offset)-1, len(data)))], []byte("\n"))
}

// jsonKind is what a Go type takes.
func jsonKind(k reflect.Kind) string {
	switch k {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	}
	return "a number"
}
