package compile

import (
	"strings"
	"testing"
)

func TestUsesAssembly(t *testing.T) {
	for _, c := range []struct {
		name, source string
		line         string // empty: no assembly
	}{
		{"statement", "int a;\nvoid f() { asm(\"nop\"); }", "candidate.cu:2:"},
		{"volatile", "asm volatile (\"\");", "candidate.cu:1:"},
		{"underscores", "\n\n__asm__(\"\");", "candidate.cu:3:"},
		{"line comment", "// asm(\"nop\")\nint a;", ""},
		{"block comment", "/* asm\n asm */ int a;", ""},
		{"after a comment", "/* one\n two */ asm(\"\");", "candidate.cu:2:"},
		{"string", "const char *s = \"asm(\\\"x\\\")\";", ""},
		{"part of a name", "int plasma, asm2, my_asm;", ""},
	} {
		got := usesAssembly(c.source)
		if c.line == "" && got != "" || !strings.HasPrefix(got, c.line) {
			t.Errorf("%s: %q, expected %q", c.name, got, c.line)
		}
	}
}

func TestHarmlessFunctions(t *testing.T) {
	for name, want := range map[string]bool{
		"sinf": true, "exp2": true, "fmaf": true, "erfcf": true, "memcpy": true, "abort": true, "__popcountdi2": true,
		"__extendhfsf2": true, "_ZSt20__throw_length_errorPKc": true, "printf": true,
		"system": false, "execve": false, "open": false, "mmap": false, "dlopen": false, "syscall": false, "fork": false,
		"socket": false, "mprotect": false, "_ZNSt6thread4joinEv": false, "__libc_start_main": false, "sprintf": false,
	} {
		got := false
		for _, re := range harmless {
			got = got || re.MatchString(name)
		}
		if got != want {
			t.Errorf("%s: harmless is %v, expected %v", name, got, want)
		}
	}
}

func TestWhatTheDeviceLacks(t *testing.T) {
	for message, want := range map[string]bool{
		"candidate.cu:4:9: error: '__nosuch' was not declared in this scope":                           true,
		"candidate.cu:4:9: error: 'mma' is not a member of 'nvcuda'":                                   true,
		"candidate.cu:4:9: error: use of undeclared identifier '__nosuch'":                             true,
		"candidate.cu:4:9: error: attempt to use poisoned \"asm\"":                                     true,
		"candidate.cu:4:9: error: 'foo' was not declared in this scope":                                false,
		"candidate.cu:4:9: error: expected ';' before '}' token":                                       false,
		"candidate.cu:4:9: error: cannot convert 'int' to '__half' in initialization":                  false,
		"candidate.cu:4:9: error: no matching function for call to '__shfl_sync(unsigned, double[3])'": false,
	} {
		if got := lacking.MatchString(message); got != want {
			t.Errorf("%q: %v, expected %v", message, got, want)
		}
	}
}
