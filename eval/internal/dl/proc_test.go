package dl

import (
	"strings"
	"testing"
	"unsafe"
)

func openLibc(t testing.TB) *Lib {
	t.Helper()
	lib, err := Open("libc.so.6")
	if err != nil {
		t.Skipf("this machine has no glibc to call: %v", err)
	}
	return lib
}

func TestBindAndCall(t *testing.T) {
	type embedded struct {
		Error Proc `c:"strerror"`
	}
	var c struct {
		embedded
		Abs    Proc `c:"abs"`
		Strlen Proc `c:"no_such_strlen|strlen"`
		Absent Proc `c:"no_such_function,optional"`
	}
	if err := openLibc(t).Bind(&c); err != nil {
		t.Fatal(err)
	}
	minus7 := int32(-7)
	if got := c.Abs.Call(uintptr(uint32(minus7))); got != 7 {
		t.Errorf("abs(-7) = %d", got)
	}
	text, err := CString("hello")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Strlen.Call(uintptr(unsafe.Pointer(&text[0]))); got != 5 || c.Strlen.Name != "strlen" {
		t.Errorf("%s(hello) = %d", c.Strlen.Name, got)
	}
	if got := c.Error.CallString(0); got == "" {
		t.Error("strerror(0) is empty")
	}
	if c.Absent.Ok() || c.Absent.Name != "no_such_function" {
		t.Errorf("absent symbol bound: %+v", c.Absent)
	}
}

func TestBindNamesEveryMissingSymbol(t *testing.T) {
	type embedded struct {
		E Proc `c:"no_such_e"`
	}
	var c struct {
		A Proc `c:"no_such_a"`
		B Proc `c:"abs"`
		C Proc `c:"no_such_c|no_such_d"`
		embedded
	}
	err := openLibc(t).Bind(&c)
	if err == nil || !strings.Contains(err.Error(), "no_such_a") ||
		!strings.Contains(err.Error(), "no_such_c or no_such_d, no_such_e") {
		t.Errorf("Bind = %v", err)
	}
}

func TestCallFrameAllocatesNothing(t *testing.T) {
	var c struct {
		Abs Proc `c:"abs"`
	}
	if err := openLibc(t).Bind(&c); err != nil {
		t.Fatal(err)
	}
	frame := make([]uintptr, 11)
	if n := testing.AllocsPerRun(100, func() { c.Abs.CallFrame(frame) }); n != 0 {
		t.Errorf("%v allocations per call, want none: launches must not feed the garbage collector", n)
	}
}

func TestOpenMissing(t *testing.T) {
	if _, err := Open("libno_such_library.so.1"); err == nil || !strings.Contains(err.Error(), "libno_such_library") {
		t.Errorf("Open = %v", err)
	}
}

func TestStrings(t *testing.T) {
	if _, err := CString("a\x00b"); err == nil {
		t.Error("CString accepted a NUL")
	}
	b, _ := CString("abc")
	if GoString(&b[0]) != "abc" || GoString(nil) != "" || Trim(append(b, 'x')) != "abc" || Trim([]byte("ab")) != "ab" {
		t.Error("C strings do not round-trip")
	}
}

func BenchmarkCallFrame(b *testing.B) {
	var c struct {
		Abs Proc `c:"abs"`
	}
	if err := openLibc(b).Bind(&c); err != nil {
		b.Fatal(err)
	}
	frame := []uintptr{1}
	for b.Loop() {
		c.Abs.CallFrame(frame)
	}
}
