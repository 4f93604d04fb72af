package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestUnified: the lines that a diff keeps and adds stand in the new text where its hunks say, and those that it keeps
// and takes away in the old one.
func TestUnified(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hunks := 0
	for range 300 {
		var old, changed []string
		for i := range 20 + rng.IntN(80) {
			line := fmt.Sprintf("line %d\n", i)
			old = append(old, line)
			switch rng.IntN(20) {
			case 0: // taken away
			case 1:
				changed = append(changed, line, "more\n", "and more\n")
			case 2:
				changed = append(changed, "@@ -1,2 +1,2 @@\n")
			default:
				changed = append(changed, line)
			}
		}
		text := Unified("a", "b", strings.Join(old, ""), strings.Join(changed, ""))
		hunks += held(t, text, old, changed)
	}
	if hunks < 600 {
		t.Errorf("%d hunks: too few to show anything", hunks)
	}
	if got := Unified("a", "b", "x\n", "x\n"); got != "" {
		t.Errorf("equal texts: %q", got)
	}
	if got := Unified("a", "b", "", "x\ny\n"); !strings.Contains(got, "@@ -0,0 +1,2 @@") {
		t.Errorf("of an empty text: %q", got)
	}
}

// held holds the hunks of a diff against both texts.
func held(t *testing.T, diff string, old, changed []string) (hunks int) {
	t.Helper()
	var from, to int
	at := func(text []string, line int, want string) {
		t.Helper()
		if line < 0 || line >= len(text) || text[line] != want {
			t.Fatalf("no %q at line %d\n%s", want, line+1, diff)
		}
	}
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ "):
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line, "@@ -%d", &from); err != nil {
				t.Fatal(err)
			}
			rest := line[strings.Index(line, "+"):]
			if _, err := fmt.Sscanf(rest, "+%d", &to); err != nil {
				t.Fatal(err)
			}
			from, to, hunks = from-1, to-1, hunks+1
		case line[0] == '+':
			at(changed, to, line[1:])
			to++
		case line[0] == '-':
			at(old, from, line[1:])
			from++
		default:
			at(changed, to, line[1:])
			at(old, from, line[1:])
			from, to = from+1, to+1
		}
	}
	if hunks == 0 && !slices.Equal(old, changed) {
		t.Error("no hunk")
	}
	return hunks
}
