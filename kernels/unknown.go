package kernels

import (
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxUnknown is how many unknown keys are shown in their lines. The decoder finds every one of them by reading the
// file from its beginning: 40,000 took it most of a minute.
const maxUnknown = 20

// tooManyUnknown gives the first unknown key of a file that has more of them than are shown.
func tooManyUnknown(data []byte, into any) (key string, many bool) {
	var all map[string]any
	if toml.Unmarshal(data, &all) != nil { // the decoder will say what is wrong
		return "", false
	}
	u := unknownKeys{}
	u.table("", all, reflect.TypeOf(into).Elem())
	return u.first, u.found > maxUnknown
}

// unknownKeys counts keys that a Go type has no field for.
type unknownKeys struct {
	found int
	first string
}

func (u *unknownKeys) table(prefix string, table map[string]any, t reflect.Type) {
	for name, v := range table {
		if u.found > maxUnknown {
			return
		}
		field, ok := tomlField(t, name)
		if !ok {
			if u.found == 0 {
				u.first = prefix + name
			}
			u.found += tables(v)
			continue
		}
		u.value(prefix+name+".", v, field)
	}
}

// tables is how often an unknown key counts: once, or for every table of a list.
func tables(v any) int {
	n := 0
	if list, ok := v.([]any); ok {
		for _, x := range list {
			n += tables(x)
		}
	}
	return max(1, n)
}

func (u *unknownKeys) value(prefix string, v any, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case map[string]any:
		if t.Kind() == reflect.Struct {
			u.table(prefix, v, t)
		}
	case []any:
		if t.Kind() != reflect.Slice {
			return
		}
		for _, x := range v {
			u.value(prefix, x, t.Elem())
		}
	}
}

// tomlField is the type of the field that a key fills, as the decoder finds it: also in an embedded struct, and
// whatever the case.
func tomlField(t reflect.Type, name string) (reflect.Type, bool) {
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if f.IsExported() && !f.Anonymous && strings.EqualFold(key, name) {
			return f.Type, true
		}
	}
	return nil, false
}
