package device

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// opposed are two scripted samplers, and a list of what was done in which order.
type opposed struct {
	sides [2]*scripted
	done  []string
	fails int // the side that cannot be loaded, from 1; 0: none
}

func newOpposed(a, b *scripted) *opposed {
	o := &opposed{sides: [2]*scripted{a, b}}
	for i, name := range []string{"A", "B"} {
		o.sides[i].name, o.sides[i].say = name, func(line string) { o.done = append(o.done, line) }
	}
	return o
}

func (o *opposed) Load(side, _ int, _ Contender, tape *Tape) (Sampler, error) {
	o.done = append(o.done, "load "+o.sides[side].name)
	if o.fails == side+1 {
		return nil, errLaunch
	}
	o.sides[side].tape = tape
	return o.sides[side], nil
}

func (o *opposed) Unload(side int) error {
	o.done = append(o.done, "unload "+o.sides[side].name)
	return nil
}

// fight has them fight a duel.
func (o *opposed) fight(req *Duel, halves int) (*Duelling, error) {
	d := NewDuel(req, prepared(), rand.New(rand.NewPCG(3, 4)), func(p string) {
		if TurnOf(p) != 0 {
			o.done = append(o.done, "phase")
		}
	}, o)
	d.Halves = halves
	return d, errors.Join(d.Fight(), d.Close())
}

func (o *opposed) did() string { return strings.Join(o.done, " ") }

// TestPairs: both sides are loaded and warmed up, then they take turns A B B A, and each of these is announced before.
func TestPairs(t *testing.T) {
	a, b := &scripted{list: times(99, 1, 2, 3, 4), sets: 2, cases: []int{0}},
		&scripted{list: times(99, 5, 6, 7, 8), sets: 2, cases: []int{1}}
	o := newOpposed(a, b)
	d, err := o.fight(&Duel{Run: Run{Workload: "w"}, Pairs: 4, Record: &Record{Slots: [2]int{0, 1}}}, 0)
	turns := strings.Repeat(" phase A phase B phase B phase A", 2)
	want := "phase load A phase load B phase A phase B" + turns + " close B unload B close A unload A"
	if got := o.did(); err != nil || got != want {
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

// TestLongSide: a side whose calls are long has no warm-up.
func TestLongSide(t *testing.T) {
	for _, tt := range []struct {
		long [2]bool
		want string
	}{
		{[2]bool{true, false}, "B A B B A A B"},
		{[2]bool{false, true}, "A A B B A A B"},
		{[2]bool{true, true}, "A B B A A B"},
		{[2]bool{}, "A B A B B A A B"},
	} {
		o := newOpposed(&scripted{list: times(1), sets: 2}, &scripted{list: times(2), sets: 2})
		d, err := o.fight(&Duel{Run: Run{Workload: "w"}, Pairs: 3, Long: tt.long}, 0)
		var taken []string
		for _, what := range o.done {
			if what == "A" || what == "B" {
				taken = append(taken, what)
			}
		}
		if got := strings.Join(taken, " "); err != nil || got != tt.want || len(d.Reply.A.Samples) != 3 {
			t.Errorf("%v: %s, expected %s; %v", tt.long, got, tt.want, err)
		}
	}
}

// TestFreshPairs: both sides of a pair have the same sets in the same order, of those that both have.
func TestFreshPairs(t *testing.T) {
	a, b := &scripted{list: []Reading{{Nanos: 1, Repeat: 1.01}}, sets: 8},
		&scripted{list: []Reading{{Nanos: 2, Repeat: 0.5}}, sets: 5}
	d, err := newOpposed(a, b).fight(&Duel{Run: Run{Workload: "w", Fresh: 3}, Pairs: 6}, 0)
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
		o := newOpposed(a, b)
		d, err := o.fight(&Duel{Run: Run{Workload: "w"}, Pairs: 8}, 0)
		if !errors.Is(err, c.err) || c.err == nil && err != nil || b.taken != c.taken || d.Side != c.side ||
			!strings.HasSuffix(o.did(), "close B unload B close A unload A") {
			t.Errorf("%s: %v after %d samples of the challenger, at side %d of %s; %v", c.name, err, b.taken, d.Side, d.Where,
				o.done)
		}
		if got := d.Reply.B; got.Wrong != b.list[min(b.taken, len(b.list))-1].Wrong ||
			(got.Strays != nil) != (c.name == "a stray") {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestDuelWithoutAnOpponent: a side that cannot be loaded ends the duel, and the other is given back.
func TestDuelWithoutAnOpponent(t *testing.T) {
	o := newOpposed(&scripted{}, &scripted{})
	o.fails = 2
	d, err := o.fight(&Duel{Run: Run{Workload: "w"}, Pairs: 1}, 0)
	if !errors.Is(err, errLaunch) || d.Side != 2 || d.Where != "load the challenger" {
		t.Errorf("%v at %s of side %d", err, d.Where, d.Side)
	}
	if got := o.did(); got != "phase load A phase load B unload B close A unload A" {
		t.Errorf("%q", got)
	}
}

// TestHalves: many pairs are taken in two parts, in which the sides change places in the order of loading, of warm-ups
// and of the pairs; few in one, and the order is drawn.
func TestHalves(t *testing.T) {
	for _, c := range []struct {
		pairs, parts int
	}{{7, 1}, {8, 2}, {9, 2}, {60, 2}} {
		firsts := map[string]bool{}
		for seed := range uint64(20) {
			a, b := &scripted{list: times(1), sets: 1}, &scripted{list: times(2), sets: 1}
			o := newOpposed(a, b)
			d := NewDuel(&Duel{Run: Run{Workload: "w"}, Pairs: c.pairs}, prepared(), rand.New(rand.NewPCG(seed, 0)),
				func(string) {}, o)
			d.Halves = 8
			if err := errors.Join(d.Fight(), d.Close()); err != nil {
				t.Fatal(err)
			}
			loads := slices.DeleteFunc(slices.Clone(o.done), func(l string) bool { return !strings.HasPrefix(l, "load") })
			if len(loads) != 2*c.parts || c.parts == 2 && (loads[0] != loads[3] || loads[1] != loads[2]) {
				t.Fatalf("%d pairs: %v", c.pairs, loads)
			}
			firsts[loads[0]] = true
			if c.pairs == 8 && !mirrored(o.did()) {
				t.Errorf("the second half is not the first one with the sides exchanged: %s", o.did())
			}
			if len(d.Reply.A.Samples) != c.pairs || len(d.Reply.B.Samples) != c.pairs || a.taken != c.pairs+c.parts {
				t.Fatalf("%d pairs: %d and %d samples, %d of A with warm-ups", c.pairs, len(d.Reply.A.Samples),
					len(d.Reply.B.Samples), a.taken)
			}
		}
		if len(firsts) != 2 {
			t.Errorf("%d pairs: %v is always loaded first", c.pairs, firsts)
		}
	}
}

// mirrored reports whether the second half of what was done is the first one with the sides exchanged.
func mirrored(did string) bool {
	did = strings.TrimSpace(did)
	half := did[:len(did)/2]
	return strings.NewReplacer("A", "B", "B", "A").Replace(half) == strings.TrimSpace(did[len(half):]) &&
		strings.Contains(half, "unload")
}
