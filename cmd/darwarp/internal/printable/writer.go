package printable

import (
	"io"
	"reflect"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer passes on text for people: all that Text does. Each call has to bring whole runes: half of one is written
// out as bytes. Several goroutines may write.
type Writer struct {
	W  io.Writer
	mu sync.Mutex
}

// Write writes all of p or fails.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return pass(w.W, p, Text(string(p)))
}

// JSONWriter passes on JSON: what a terminal could take for an order is escaped as JSON escapes, so that every value
// stays what it was. Each call has to bring whole runes.
type JSONWriter struct{ W io.Writer }

// Write writes all of p or fails.
func (w *JSONWriter) Write(p []byte) (int, error) { return pass(w.W, p, asJSON(p)) }

func pass(w io.Writer, p []byte, text string) (int, error) {
	if _, err := io.WriteString(w, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// asJSON escapes runes that cannot be shown; line breaks and tabs stand between values.
func asJSON(p []byte) string {
	var out []byte
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		i += n
		if isPrintable(r) || r == '\n' || r == '\t' {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = append(out, `\u`+hex(rune(unit), 4)...)
		}
	}
	return string(out)
}

// Values does to every text in a value what Text does: v is a pointer to a struct, and structs, slices and pointers in
// it are followed. Slices and what pointers lead to are copied, so the caller's stay as they are.
func Values(v any) { texts(reflect.ValueOf(v).Elem()) }

func texts(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(Text(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				texts(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		old := v.Slice(0, v.Len())
		v.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		reflect.Copy(v, old)
		for i := range v.Len() {
			texts(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
			texts(own.Elem())
		}
	}
}
