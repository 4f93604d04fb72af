package fleet

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// fakeTenants are searches and workers that say again and again that they are there.
type fakeTenants struct {
	shares
	t                *testing.T
	now              time.Time
	tenants, workers []string
	cannot           map[string]string
}

func newFakeTenants(t *testing.T, tenants, workers []string) *fakeTenants {
	return &fakeTenants{t: t, now: time.Unix(0, 0), tenants: tenants, workers: workers, cannot: map[string]string{}}
}

func (c *fakeTenants) pass(d time.Duration) {
	for end := c.now.Add(d); c.now.Before(end); c.now = c.now.Add(time.Second) {
		for _, g := range c.tenants {
			c.ask(g, "gemm", c.now)
		}
		for _, w := range c.workers {
			c.offer(w, "", c.cannot[w], false, c.now)
		}
	}
}

// have compares how many workers each search has: "A2 B1 ".
func (c *fakeTenants) have(want string) {
	c.t.Helper()
	c.pass(2 * time.Second)
	got := ""
	for _, g := range c.tenants {
		got += fmt.Sprint(g, c.has(g), " ")
	}
	if got != want {
		c.t.Errorf("%q, expected %q", got, want)
	}
}

// TestShares: workers are divided evenly, whoever comes and goes.
func TestShares(t *testing.T) {
	c := newFakeTenants(t, []string{"A"}, []string{"1", "2", "3", "4", "5"})
	c.have("A5 ")
	c.tenants = []string{"A", "B"}
	c.have("A3 B2 ")
	c.tenants = []string{"A", "B", "C"}
	c.have("A2 B2 C1 ")
	c.leave("A")
	c.tenants = []string{"B", "C"}
	c.have("B3 C2 ")
	for _, w := range []string{"1", "2", "3", "4"} {
		c.cannot[w] = "B"
	}
	c.have("B1 C4 ")
	clear(c.cannot)
	c.tenants, c.workers = []string{"B", "C", "D"}, slices.Delete(c.workers, 4, 5) // who is silent is gone
	c.pass(2 * silence)
	c.have("B0 C2 D2 ")
	if got := c.offer("6", "C", "", false, c.now); got != "B" {
		t.Errorf("a new worker goes to %q, and not to the search that has none", got)
	}
	if got := c.offer("6", "", "B", false, c.now); got == "B" {
		t.Errorf("a worker that cannot work for B is sent to %q", got)
	}
	c = newFakeTenants(t, []string{"A", "B"}, nil)
	c.have("A0 B0 ")
	if got := c.offer("1", "B", "", false, c.now); got != "B" {
		t.Errorf("a worker of B, whose server was started again, is sent to %q", got)
	}
}

// TestUnfit: a worker that could not work for the only search there is tries again after a while.
func TestUnfit(t *testing.T) {
	c := newFakeTenants(t, []string{"A"}, []string{"1"})
	c.have("A1 ")
	c.cannot["1"] = "A"
	c.have("A0 ")
	clear(c.cannot)
	c.pass(unfit - 10*time.Second)
	c.have("A0 ")
	c.pass(10 * time.Second)
	c.have("A1 ")
}

// TestSharesAgain: a server that was started again leaves its workers where they are until their searches had time to
// come back, in whichever order they do.
func TestSharesAgain(t *testing.T) {
	c := newFakeTenants(t, []string{"B"}, nil)
	c.begun = c.now
	told := func(when string, worker, works, want string) {
		t.Helper()
		if got := c.offer(worker, works, "", false, c.now); got != want {
			t.Errorf("%s: worker %s of %s is sent to %q, expected %q", when, worker, works, got, want)
		}
	}
	told("nobody is back", "1", "A", "")
	c.pass(time.Second)
	told("B is back", "1", "A", "")
	told("B is back", "2", "B", "B")
	c.tenants = []string{"B", "A"}
	c.pass(time.Second)
	told("A is back", "1", "A", "A")
	told("A is back", "2", "B", "B")
	told("a new worker", "3", "", "B")
	told("a search that does not come back", "4", "C", "")
	if got := c.offer("4", "", "C", false, c.now); got != "A" {
		t.Errorf("a worker that cannot work for a search that is not there is sent to %q", got)
	}
	told("another of that search", "5", "C", "")
	c.pass(2 * silence)
	told("a search that has not come back", "5", "C", "B")
}

// TestTurns: where there are more searches than workers, those that wait get a turn, the longest waiting first.
func TestTurns(t *testing.T) {
	c := newFakeTenants(t, []string{"A", "B", "C"}, []string{"1"})
	c.have("A1 B0 C0 ")
	if _, before, n, w := c.ask("C", "gemm", c.now); before != 1 || n != 3 || w != 1 {
		t.Errorf("%d before it, %d searches, %d workers", before, n, w)
	}
	turns := ""
	for range 6 {
		for _, g := range c.tenants {
			if c.has(g) > 0 {
				turns += g
			}
		}
		c.pass(turn)
	}
	if turns != "ABCABC" {
		t.Errorf("turns: %s", turns)
	}
	c.offer("1", "", "", true, c.now)
	if c.has("A")+c.has("B")+c.has("C") != 0 {
		t.Error("a worker that has left works")
	}
}
