package kernelbench

import (
	"strings"
	"testing"
)

// TestOneLine: a reason is one line that says something.
func TestOneLine(t *testing.T) {
	for _, tt := range []struct{ why, want string }{
		{"it is refused", "it is refused"},
		{"it is refused\nand more", "it is refused"},
		{"it does not compile:\n  k.cu:3: error: expected ;\n  3 | x", "it does not compile: k.cu:3: error: expected ;"},
		{"nothing follows:", "nothing follows:"},
		{"nothing follows:\n\n", "nothing follows:"},
		{strings.Repeat("x", 500), strings.Repeat("x", 400)},
	} {
		if got := oneLine(tt.why); got != tt.want {
			t.Errorf("%q: %q, expected %q", tt.why, got, tt.want)
		}
	}
}
