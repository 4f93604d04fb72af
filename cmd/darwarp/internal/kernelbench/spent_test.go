package kernelbench

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// spends holds what a module's line says of its time against how long it took, and wants phases in it.
func (s *stage) spends(name string, phases ...string) {
	s.Helper()
	log, err := openLog(s.b.Out, s.b.settings())
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close()
	p, sum := log.had[name], 0.0
	for _, v := range p.Spent {
		sum += v
	}
	if math.Abs(sum-p.Seconds) > 1 {
		s.Errorf("%s: %g s in all, and %g s in %v", name, p.Seconds, sum, p.Spent)
	}
	for _, phase := range phases {
		if _, ok := p.Spent[phase]; !ok {
			s.Errorf("%s: no %q in %v", name, phase, p.Spent)
		}
	}
}

// TestSpent: each module's line says where its own time went, in the folder and with --json, also where it failed.
func TestSpent(t *testing.T) {
	s := newStage(t, map[string]string{"1_a.py": "right", "2_b.py": "refused", "3_c.py": "no search"})
	s.b.JSON = true
	out, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var p Problem
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		want := [][]string{{"import", "searching"}, {"import"}, {"import", "searching"}}[i]
		if got := slices.Sorted(maps.Keys(p.Spent)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", p.Name, p.Spent, want)
		}
		s.spends(p.Name, want...)
	}
}
