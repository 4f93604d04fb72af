package fleet

import (
	"encoding/binary"
	"errors"

	"darwarp/kernels"
)

// values are names with what they stand for, one after the other: the length of a name (a uvarint), the name, the kind
// of its value, and that: an int as a varint, a bool as a byte, a string as a name.
type values []byte

const (
	kindInt    = 'i'
	kindString = 's'
	kindBool   = 'b'
)

// with appends a value.
func (vs values) with(name string, v kernels.Value) values {
	vs = vs.text(name)
	switch v := v.Any().(type) {
	case int:
		return binary.AppendVarint(append(vs, kindInt), int64(v))
	case bool:
		if v {
			return append(vs, kindBool, 1)
		}
		return append(vs, kindBool, 0)
	case string:
		return append(vs, kindString).text(v)
	}
	panic("fleet: " + name + " has no value") // kernels.NewValue makes none of another kind
}

func (vs values) text(s string) values {
	return append(binary.AppendUvarint(vs, uint64(len(s))), s...)
}

// about is how many they are, more or less: 0 where there are none.
func (vs values) about() int { return (len(vs) + 9) / 10 }

// each calls fn with all of them.
func (vs values) each(fn func(name string, v kernels.Value)) error {
	for len(vs) > 0 {
		name, rest, ok := vs.cutText()
		if !ok || len(rest) == 0 {
			return errValues
		}
		v, rest, ok := rest[1:].cut(rest[0])
		if !ok {
			return errValues
		}
		fn(name, v)
		vs = rest
	}
	return nil
}

var errValues = errors.New("a request whose values are cut off, or of no kind")

// cut takes a value of a kind off the front.
func (vs values) cut(kind byte) (v kernels.Value, rest values, ok bool) {
	switch kind {
	case kindInt:
		i, n := binary.Varint(vs)
		return kernels.Int(int(i)), vs[max(0, n):], n > 0
	case kindBool:
		if len(vs) > 0 && vs[0] <= 1 {
			return kernels.Bool(vs[0] == 1), vs[1:], true
		}
	case kindString:
		s, rest, ok := vs.cutText()
		return kernels.String(s), rest, ok
	}
	return v, nil, false
}

func (vs values) cutText() (s string, rest values, ok bool) {
	n, head := binary.Uvarint(vs)
	if head <= 0 || n > uint64(len(vs)-head) {
		return "", nil, false
	}
	end := head + int(n)
	return string(vs[head:end]), vs[end:], true
}
