// Package tight writes values as few bytes, for another process of the same program to read: whole numbers take as many
// bytes as they need, and nothing has a name. JSON of a gate's launches took a device worker a millisecond to
// read.
package tight

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
)

// Append appends a value that is made of bools, whole numbers, strings, slices, arrays and structs. It panics on one
// that is made of something else, for that is a mistake in the program.
func Append[T any](to []byte, v T) []byte { return put(to, reflect.ValueOf(&v).Elem()) }

// Read reads all of what Append wrote of a T.
func Read[T any](from []byte) (v T, err error) {
	r := reader{rest: from}
	r.get(reflect.ValueOf(&v).Elem())
	if r.err == nil && len(r.rest) > 0 {
		r.err = fmt.Errorf("%d bytes follow", len(r.rest))
	}
	if r.err != nil {
		return v, fmt.Errorf("%T: %w", v, r.err)
	}
	return v, nil
}

func put(to []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(to, 1)
		}
		return append(to, 0)
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		return binary.AppendVarint(to, v.Int())
	case reflect.Uint, reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		return binary.AppendUvarint(to, v.Uint())
	case reflect.String:
		return append(binary.AppendUvarint(to, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		if v.IsNil() {
			return append(to, 0)
		}
		return putAll(binary.AppendUvarint(to, uint64(v.Len())+1), v)
	case reflect.Array:
		return putAll(to, v)
	case reflect.Struct:
		for i := range v.NumField() {
			to = put(to, v.Field(i))
		}
		return to
	}
	panic(fmt.Sprintf("tight: a %v", v.Type()))
}

func putAll(to []byte, v reflect.Value) []byte {
	for i := range v.Len() {
		to = put(to, v.Index(i))
	}
	return to
}

// reader reads until the first error.
type reader struct {
	rest []byte
	err  error
}

var (
	errShort = errors.New("it ends early")
	errLarge = errors.New("a number that is too large")
)

func (r *reader) get(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.unsigned() != 0)
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		n := r.signed()
		if v.OverflowInt(n) {
			r.fail(errLarge)
			return
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		n := r.unsigned()
		if v.OverflowUint(n) {
			r.fail(errLarge)
			return
		}
		v.SetUint(n)
	case reflect.String:
		v.SetString(string(r.bytes(r.unsigned())))
	case reflect.Slice:
		r.slice(v)
	case reflect.Array:
		r.all(v)
	case reflect.Struct:
		for i := range v.NumField() {
			r.get(v.Field(i))
		}
	default:
		panic(fmt.Sprintf("tight: a %v", v.Type()))
	}
}

func (r *reader) all(v reflect.Value) {
	for i := 0; i < v.Len() && r.err == nil; i++ {
		r.get(v.Index(i))
	}
}

// slice reads a slice. Each element takes a byte at least, so that no more memory is asked for than bytes came for.
func (r *reader) slice(v reflect.Value) {
	n := r.unsigned()
	if n == 0 {
		return
	}
	if n-1 > uint64(len(r.rest)) {
		r.fail(errShort)
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n-1), int(n-1)))
	r.all(v)
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.rest)
	r.skip(size)
	return n
}

func (r *reader) unsigned() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.skip(size)
	return n
}

// skip goes past a number of so many bytes; 0 or less: it was none.
func (r *reader) skip(size int) {
	if size <= 0 {
		r.fail(errShort)
		return
	}
	r.rest = r.rest[size:]
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail(errShort)
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// fail keeps the first error, and leaves nothing to read.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}
