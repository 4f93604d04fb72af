package kernels

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
		for _, e := range clauses(tt.rule, scope) {
			got = append(got, e.Text)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: %q, want %q", tt.rule, text, tt.want)
		}
	}
	if n := len(clauses(strings.Repeat("(a > 1 && b > 1) || ", 90)+"c > 1", scope)); n > maxClauses { // 2^90, if all were made
		t.Errorf("%d clauses", n)
	}
}

// TestGuardedClause has a clause that divides by zero wherever the one that guards it is not settled yet: it must refuse nothing
// there, and be no error.
func TestGuardedClause(t *testing.T) {
	genes := []string{"values = [2, 3, 4]\ndefault = 2", "values = [0, 1, 2]\ndefault = 1", "values = [0, 1, 2]\ndefault = 0"}
	s := mustSpace(t, genesTOML(genes, "[[constraint]]\nrule = \"g1 + g2 > 2 && g0 % g1 == 0\"\nwhy = \"so\""), nil)
	if len(s.Family.Constraints[0].clauses) != 2 || s.Len() != 3+2*2 { // g1 = 1: g2 = 2; g1 = 2: g0 even, g2 = 1 or 2
		t.Errorf("%d points, clauses %v", s.Len(), s.Family.Constraints[0].clauses)
	}
}
