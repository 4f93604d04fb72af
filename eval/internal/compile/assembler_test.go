package compile

import "testing"

func TestAssembler(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"none", "__global__ void k() {}", ""},
		{"first line", "// ptxas: -O2\n#include <x>\n", "-O2"},
		{"later line", "#include <x>\n// ptxas: -O1\n", "-O1"},
		{"inside a line", "int a; // ptxas: -O1\n", ""},
		{"another option", "// ptxas: --maxrregcount=8\n", ""},
		{"out of range", "// ptxas: -O9\n", ""},
		{"with more behind it", "// ptxas: -O2 -v\n", ""},
	} {
		if got := Assembler(c.source); got != c.want {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}
