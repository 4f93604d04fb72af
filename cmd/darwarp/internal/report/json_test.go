package report

import (
	"encoding/json"
	"fmt"
	"testing"
)

// own reads its part of a text itself.
type own int

func (o *own) UnmarshalJSON(data []byte) error {
	var n int
	err := json.Unmarshal(data, &n)
	if *o = own(n); err != nil {
		return fmt.Errorf("own: %w", err)
	}
	return nil
}

// TestUnmarshalJSON: a mistake is told with its line, and in a user's words.
func TestUnmarshalJSON(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{``, "line 1: not JSON, or cut short"},
		{`{"a": 1`, "line 1: not JSON, or cut short"},
		{"{\n\"a\":\n1,\n}", "line 4: not JSON, or cut short"},
		{"{\"a\": 1}\n}", "line 2: not JSON, or cut short"},
		{`[]`, "line 1: found a JSON array, expected an object"},
		{"{\"b\": 1,\n\"a\": \"x\"}", `line 2: key "a": found a JSON string, expected a number`},
		{`{"a": 1.5}`, `line 1: key "a": found a JSON number 1.5, expected a number`},
		{`{"l": 3}`, `line 1: key "l": found a JSON number, expected a list`},
		{`{"s": [3]}`, `line 1: key "s": found a JSON array, expected a string`},
		{`{"t": {"Y": 0}}`, `line 1: key "t.Y": found a JSON number, expected true or false`},
		{"{\n\"o\":\n\"x\"}", `found a JSON string, expected a number`},
	} {
		var into struct {
			A int              `json:"a"`
			L []int            `json:"l"`
			S string           `json:"s"`
			T struct{ Y bool } `json:"t"`
			O own              `json:"o"`
		}
		if err := UnmarshalJSON([]byte(tt.text), &into); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
	var a map[string]int
	if err := UnmarshalJSON([]byte(`{"a": 7}`), &a); err != nil || a["a"] != 7 {
		t.Error(a, err)
	}
}
