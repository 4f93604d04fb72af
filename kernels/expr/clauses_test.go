package expr

import (
	"strings"
	"testing"
)

func TestClauses(t *testing.T) {
	scope := Scope{"a": 0, "b": 0, "c": 0}
	for _, tt := range []struct{ rule, want string }{
		{"a > 1", ""},
		{"a > 1 || b > 1", ""},
		{"a > 1 && b > 1", "a > 1; b > 1"},
		{"a > 1 || (b > 1 and c > 1)", "a > 1 || b > 1; a > 1 || c > 1"},
		{"(a > 1 && b > 1) || c == a / b", "a > 1 || c == a / b; b > 1 || c == a / b"},
		{"!(a > 1 && b > 1) && c > 1", "!(a > 1 && b > 1); c > 1"},
		{"(a > 1 ? b > 1 : c > 1) || (a > 2 && b > 2)", "(a > 1 ? b > 1 : c > 1) || a > 2; (a > 1 ? b > 1 : c > 1) || b > 2"},
		{"a > 1 && no such", ""},
	} {
		var got []string
		for _, e := range Clauses(tt.rule, scope) {
			got = append(got, e.Text)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: %q, want %q", tt.rule, text, tt.want)
		}
	}
	// 2^90, if all were made
	if n := len(Clauses(strings.Repeat("(a > 1 && b > 1) || ", 90)+"c > 1", scope)); n > maxClauses {
		t.Errorf("%d clauses", n)
	}
}
