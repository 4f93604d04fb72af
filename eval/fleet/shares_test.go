package fleet

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestShares: workers are divided evenly, whoever comes and goes; where there are more searches than workers, those
// that wait get a turn, the longest first.
func TestShares(t *testing.T) {
	s, now := &shares{}, time.Unix(0, 0)
	guests, workers := []string{}, []string{}
	cannot := map[string]string{}
	pass := func(d time.Duration) { // all that are there say so every now and then
		for end := now.Add(d); now.Before(end); now = now.Add(time.Second) {
			for _, g := range guests {
				s.ask(g, "gemm", now)
			}
			for _, w := range workers {
				s.offer(w, "", cannot[w], false, now)
			}
		}
	}
	have := func(want string) {
		t.Helper()
		pass(2 * time.Second)
		got := ""
		for _, g := range guests {
			got += fmt.Sprint(g, s.has(g), " ")
		}
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	without := func(all []string, one string) []string {
		return slices.DeleteFunc(all, func(x string) bool { return x == one })
	}
	guests, workers = []string{"A"}, []string{"1", "2", "3", "4", "5"}
	have("A5 ")
	guests = []string{"A", "B"}
	have("A3 B2 ")
	guests = []string{"A", "B", "C"}
	have("A2 B2 C1 ")
	s.leave("A")
	guests = without(guests, "A")
	have("B3 C2 ")
	cannot["1"], cannot["2"], cannot["3"], cannot["4"] = "B", "B", "B", "B"
	have("B1 C4 ")
	clear(cannot)
	guests, workers = []string{"B", "C", "D"}, without(workers, "5") // who is silent is gone, its search too
	pass(2 * silence)
	have("B0 C2 D2 ")
	guests, workers, *s = []string{"A", "B", "C"}, []string{"1"}, shares{}
	have("A1 B0 C0 ")
	if _, before, n, w := s.ask("C", "gemm", now); before != 1 || n != 3 || w != 1 {
		t.Errorf("%d before it, %d searches, %d workers", before, n, w)
	}
	turns := ""
	for range 6 {
		for _, g := range guests {
			if s.has(g) > 0 {
				turns += g
			}
		}
		pass(turn)
	}
	if turns != "ABCABC" {
		t.Errorf("turns: %s", turns)
	}
	s.offer("1", "", "", true, now)
	if s.has("A")+s.has("B")+s.has("C") != 0 {
		t.Error("a worker that has left works")
	}
	if s.offer("2", "C", "", false, now) != "C" || s.offer("2", "", "C", false, now) == "C" {
		t.Error("a worker that works goes on where it is, and leaves what it cannot do")
	}
}
