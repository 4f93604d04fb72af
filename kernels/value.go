package kernels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Value is what a gene can be: an int, a string or a bool. Values are comparable.
type Value struct{ v any }

// Int, String and Bool make values.
func Int(v int) Value       { return Value{v} }
func String(v string) Value { return Value{v} }
func Bool(v bool) Value     { return Value{v} }

// NewValue makes a value from what a TOML or JSON decoder returns.
func NewValue(v any) (Value, error) {
	switch v := v.(type) {
	case int:
		return Value{v}, nil
	case int64:
		return Value{int(v)}, nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return Value{int(v)}, nil
		}
	case string, bool:
		return Value{v}, nil
	}
	return Value{}, fmt.Errorf("%v is not an integer, a string or a boolean", v)
}

// ParseValue reads a value as a person types it: 128, true, xor.
func ParseValue(s string) Value {
	if i, err := strconv.Atoi(s); err == nil {
		return Int(i)
	}
	if s == "true" || s == "false" {
		return Bool(s == "true")
	}
	return String(s)
}

// Any returns the int, string or bool inside.
func (v Value) Any() any { return v.v }

// Kind is "int", "string" or "bool", and "" for the zero Value.
func (v Value) Kind() string {
	switch v.v.(type) {
	case int:
		return "int"
	case string:
		return "string"
	case bool:
		return "bool"
	}
	return ""
}

func (v Value) String() string {
	switch v := v.v.(type) {
	case int:
		return strconv.Itoa(v)
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// MarshalJSON writes the plain JSON number, string or boolean.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v := v.v.(type) {
	case int:
		return strconv.AppendInt(nil, int64(v), 10), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	case string:
		if !strings.ContainsFunc(v, escaped) {
			return append(append(append(make([]byte, 0, len(v)+2), '"'), v...), '"'), nil
		}
	}
	return json.Marshal(v.v)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	if i, err := strconv.Atoi(string(b)); err == nil { // most are, and candidates have dozens
		*v = Int(i)
		return nil
	}
	if n := len(b) - 1; n > 0 && b[0] == '"' && !bytes.ContainsFunc(b, beyondWords) {
		*v = String(string(b[1:n]))
		return nil
	}
	var x any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&x); err != nil {
		return err
	}
	if n, ok := x.(json.Number); ok {
		i, err := strconv.Atoi(n.String())
		if err != nil {
			return fmt.Errorf("gene value %s is not an integer", n)
		}
		x = i
	}
	w, err := NewValue(x)
	*v = w
	return err
}

// beyondWords reports whether a character of a string may stand for another in JSON.
func beyondWords(r rune) bool { return r < ' ' || r > '~' || r == '\\' }

// escaped reports whether JSON writes another character for one of a string.
func escaped(r rune) bool { return beyondWords(r) || strings.ContainsRune(`"<>&`, r) }

// Genome maps the active genes of a variant to their values.
type Genome map[string]Value

// Key is the canonical text of a genome: "block_k=32 block_m=128 ...", sorted by name.
func (g Genome) Key() string {
	names := make([]string, 0, len(g))
	for n := range g {
		names = append(names, n)
	}
	slices.Sort(names)
	b := make([]byte, 0, 16*len(g))
	for i, n := range names {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(append(b, n...), '=')
		if v, ok := g[n].v.(int); ok {
			b = strconv.AppendInt(b, int64(v), 10)
		} else {
			b = append(b, g[n].String()...)
		}
	}
	return string(b)
}

// Clone returns a copy that can be changed.
func (g Genome) Clone() Genome {
	c := make(Genome, len(g))
	for n, v := range g {
		c[n] = v
	}
	return c
}

// Dims are the sizes of one workload by dimension name.
type Dims map[string]int

// String writes dims in the given order of names: "m=128,n=64".
func (d Dims) String() string {
	names := slices.Sorted(maps.Keys(d))
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = n + "=" + strconv.Itoa(d[n])
	}
	return strings.Join(parts, ",")
}
