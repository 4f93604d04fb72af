package dl

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Lib is an open shared library. It stays open for the life of the process: CUDA's libraries start
// threads and register exit handlers, so unloading one is never safe.
type Lib struct {
	Path   string
	handle uintptr
}

// Open loads the library at path, which may be a plain name for the loader to find.
func Open(path string) (*Lib, error) {
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &Lib{Path: path, handle: h}, nil
}

// Proc is one C function of a library. The zero Proc is a function the library lacks.
type Proc struct {
	Name string // the exported symbol, such as cuMemAlloc_v2
	addr uintptr
}

// Ok reports whether the library has the function.
func (p Proc) Ok() bool { return p.addr != 0 }

// ErrNoSymbol is returned for a call to a function that the library on this machine does not have.
var ErrNoSymbol = errors.New("the installed library lacks this function")

// Call calls the function with integer and pointer arguments (no C function bound here takes a
// float by value) and returns its int result. Pointers are passed as
// uintptr(unsafe.Pointer(&x)) written in the argument list itself: the compiler then keeps x on the
// heap and alive until the call returns. It panics on a Proc that is not Ok.
//
//go:uintptrescapes
func (p Proc) Call(args ...uintptr) int32 {
	r, _, _ := purego.SyscallN(p.addr, args...)
	return int32(r)
}

// CallFrame is Call with the arguments in a slice that the caller keeps: it allocates nothing. The
// caller also keeps alive, on the heap, whatever the arguments point to.
func (p Proc) CallFrame(frame []uintptr) int32 {
	r, _, _ := purego.SyscallN(p.addr, frame...)
	return int32(r)
}

// CallString is Call for a function that returns a C string which stays valid, such as an error's name.
//
//go:uintptrescapes
func (p Proc) CallString(args ...uintptr) string {
	r, _, _ := purego.SyscallN(p.addr, args...)
	return GoString(*(**byte)(unsafe.Pointer(&r))) // r is C memory, which the collector never moves
}

// CString is s as a NUL-terminated buffer; it fails on a string that already holds a NUL.
func CString(s string) ([]byte, error) {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return nil, fmt.Errorf("string has a NUL byte at %d", i)
	}
	return append([]byte(s), 0), nil
}

// GoString copies the C string at p, or returns "" for nil.
func GoString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// Trim is the text of a C buffer up to its first NUL.
func Trim(buf []byte) string {
	s, _, _ := strings.Cut(string(buf), "\x00")
	return s
}

// Bind fills the Proc fields of the struct that table points to, and of those embedded in it. Each field's tag names
// its symbol, `c:"cuInit"`, alternatives in order of preference `c:"new_name|old_name"`; with
// `c:"name,optional"` a missing symbol leaves the zero Proc. All missing symbols are reported at once.
func (l *Lib) Bind(table any) error {
	v := reflect.ValueOf(table).Elem()
	var missing []string
	for _, f := range Fields(v.Type()) {
		names, optional := Symbols(f)
		p := l.lookup(names)
		if !p.Ok() && !optional {
			missing = append(missing, strings.Join(names, " or "))
		}
		v.FieldByIndex(f.Index).Set(reflect.ValueOf(p))
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s lacks %s", l.Path, strings.Join(missing, ", "))
	}
	return nil
}

// Fields are the Proc fields of a table for Bind.
func Fields(table reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(table), func(f reflect.StructField) bool { return f.Anonymous })
}

// Symbols reads the tag of one field of a table for Bind.
func Symbols(f reflect.StructField) (names []string, optional bool) {
	list, option, _ := strings.Cut(f.Tag.Get("c"), ",")
	return strings.Split(list, "|"), option == "optional"
}

func (l *Lib) lookup(names []string) Proc {
	for _, name := range names {
		if addr, err := purego.Dlsym(l.handle, name); err == nil {
			return Proc{Name: name, addr: addr}
		}
	}
	return Proc{Name: names[0]}
}
