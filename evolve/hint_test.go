package evolve

import (
	"slices"
	"testing"

	"darwarp/mutate"
)

// What another run has known is shown to operators only after the search knows something itself.
func TestHintsAreHeldBack(t *testing.T) {
	space := toyConfig(t, "hills").Spaces[0]
	d := newPointDeme(0, space, mutate.Recall{}, nil)
	hint := &mutate.Individual{Index: 0, Score: 0.1, Recalled: true}
	d.add(hint, false)
	for i := range heldBack {
		if p := d.pool(false); slices.Contains(p.Best, hint) || slices.Contains(p.Seen, hint) {
			t.Fatalf("shown after %d verdicts", i)
		}
		if !d.claimed(0) {
			t.Fatal("it may be proposed again")
		}
		d.add(&mutate.Individual{Index: 1 + i, Score: 1}, false)
	}
	if d.best[0] != hint {
		t.Error("it may not become champion")
	}
	if p := d.pool(false); p.Best[0] != hint || !slices.Contains(p.Seen, hint) || len(p.Seen) != heldBack+1 {
		t.Errorf("not shown after %d verdicts", heldBack)
	}
	late := &mutate.Individual{Index: heldBack + 1, Score: 0.05, Recalled: true}
	if d.add(late, false); d.pool(false).Best[0] != late {
		t.Error("a hint that comes late waits")
	}
}
