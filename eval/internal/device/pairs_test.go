package device

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fought has two samplers fight, and lists what was done in which order.
func fought(req *Duel, sides [2]*scripted) (d *Duelling, done []string, err error) {
	d = NewDuel(req, prepared(), rand.New(rand.NewPCG(3, 4)), func(p string) {
		if TurnOf(p) != 0 {
			done = append(done, "phase")
		}
	})
	for i, name := range []string{"A", "B"} {
		sides[i].name, sides[i].say = name, func(line string) { done = append(done, line) }
	}
	err = d.Fight(func(side int, _ Contender, tape *Tape) (Sampler, error) {
		sides[side].tape = tape
		done = append(done, "load "+sides[side].name)
		return sides[side], nil
	})
	return d, done, errors.Join(err, d.Close())
}

// TestPairs: both sides are loaded and warmed up, then they take turns A B B A, and each of these is announced before.
func TestPairs(t *testing.T) {
	a, b := &scripted{list: times(99, 1, 2, 3, 4), sets: 2, cases: []int{0}},
		&scripted{list: times(99, 5, 6, 7, 8), sets: 2, cases: []int{1}}
	d, done, err := fought(&Duel{Run: Run{Workload: "w"}, Pairs: 4, Record: &Record{Slots: [2]int{0, 1}}},
		[2]*scripted{a, b})
	turns := strings.Repeat(" phase A phase B phase B phase A", 2)
	want := "phase load A phase load B phase A phase B" + turns + " close A close B"
	if got := strings.Join(done, " "); err != nil || got != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	ra, rb := d.Reply.A, d.Reply.B
	if !slices.Equal(ra.Samples, []float64{1, 2, 3, 4}) || !slices.Equal(rb.Samples, []float64{5, 6, 7, 8}) ||
		len(ra.Clock) != 4 || ra.Repeat != nil {
		t.Errorf("%+v", d.Reply)
	}
	if ra.Checked != 10 || !slices.Equal(ra.Recorded, []int{0, 0, 0, 0}) || !slices.Equal(rb.Recorded, []int{1, 1, 1, 1}) {
		t.Errorf("%d outputs checked, %v and %v recorded", ra.Checked, ra.Recorded, rb.Recorded)
	}
}

// TestFreshPairs: both sides of a pair have the same sets in the same order, of those that both have.
func TestFreshPairs(t *testing.T) {
	a, b := &scripted{list: []Reading{{Nanos: 1, Repeat: 1.01}}, sets: 8},
		&scripted{list: []Reading{{Nanos: 2, Repeat: 0.5}}, sets: 5}
	d, _, err := fought(&Duel{Run: Run{Workload: "w", Fresh: 3}, Pairs: 6}, [2]*scripted{a, b})
	if err != nil || !reflect.DeepEqual(a.turns[1:], b.turns[1:]) {
		t.Fatalf("%v: %v and %v", err, a.turns, b.turns)
	}
	seen := map[int]bool{}
	for _, turn := range a.turns {
		if len(turn) != 3 {
			t.Errorf("%d sets", len(turn))
		}
		for _, set := range turn {
			seen[set] = true
		}
	}
	if len(seen) != 5 || seen[5] || !slices.Equal(d.Reply.B.Repeat, slices.Repeat([]float64{0.5}, 6)) {
		t.Errorf("sets %v, repeats %v", seen, d.Reply.B.Repeat)
	}
}

// TestDuelEnds: with the first sample whose outputs are wrong or whose launches strayed, warm-ups too, and with a
// launch that fails; it is known whose that was, and both sides are given back.
func TestDuelEnds(t *testing.T) {
	good := times(1000)[0]
	wrong, stray := good, good
	wrong.Wrong, stray.Strays = 1, &Strays{Where: "w", Left: 1}
	for _, c := range []struct {
		name  string
		list  []Reading // of the challenger
		fails int
		taken int // samples of the challenger, with the warm-up
		side  int
		err   error
	}{
		{"all is well", []Reading{good}, 0, 9, 1, nil},
		{"a wrong output in the warm-up", []Reading{wrong}, 0, 1, 2, nil},
		{"a wrong output", []Reading{good, good, wrong, good}, 0, 3, 2, nil},
		{"a stray", []Reading{good, good, good, stray}, 0, 4, 2, nil},
		{"a launch that fails", []Reading{good}, 5, 5, 2, errLaunch},
	} {
		a, b := &scripted{list: []Reading{good}, sets: 1}, &scripted{list: c.list, sets: 1, fails: c.fails}
		d, done, err := fought(&Duel{Run: Run{Workload: "w"}, Pairs: 8}, [2]*scripted{a, b})
		if !errors.Is(err, c.err) || c.err == nil && err != nil || b.taken != c.taken || d.Side != c.side ||
			!strings.HasSuffix(strings.Join(done, " "), "close A close B") {
			t.Errorf("%s: %v after %d samples of the challenger, at side %d of %s; %v", c.name, err, b.taken, d.Side, d.Where,
				done)
		}
		if got := d.Reply.B; got.Wrong != b.list[min(b.taken, len(b.list))-1].Wrong ||
			(got.Strays != nil) != (c.name == "a stray") {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestDuelWithoutAnOpponent: a side that cannot be loaded ends the duel, and the other is given back.
func TestDuelWithoutAnOpponent(t *testing.T) {
	var done []string
	a := &scripted{name: "A", say: func(line string) { done = append(done, line) }}
	d := NewDuel(&Duel{Run: Run{Workload: "w"}, Pairs: 1}, prepared(), rand.New(rand.NewPCG(3, 4)), func(string) {})
	err := d.Fight(func(side int, _ Contender, _ *Tape) (Sampler, error) {
		if side == 1 {
			return nil, errLaunch
		}
		return a, nil
	})
	if !errors.Is(err, errLaunch) || d.Side != 2 || d.Where != "load the challenger" {
		t.Errorf("%v at %s of side %d", err, d.Where, d.Side)
	}
	if err := d.Close(); err != nil || !slices.Equal(done, []string{"close A"}) {
		t.Errorf("%v, %v", err, done)
	}
}
