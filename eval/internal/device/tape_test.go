package device

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTape(t *testing.T) {
	p := &Prepare{Cases: packed(), Slots: 3, SlotBytes: 2000} // outputs of 256, 512 and 768 bytes
	rng := rand.New(rand.NewPCG(3, 4))
	if got := (*Tape)(nil); got.Take([]int{0}, rng, nil) != nil || got.Cases() != nil {
		t.Error("no tape records")
	}
	tape := p.NewTape(&Record{Slots: [2]int{2, 1}}, 1, 2)
	var places []int
	put := func(_, at int) error { places = append(places, at); return nil }
	tape.Pause(true)
	err1 := tape.Take([]int{0, 1}, rng, put)
	tape.Pause(false)
	err2 := tape.Take([]int{0, 1}, rng, put)    // both fit half of the slot
	err3 := tape.Take([]int{1, 1, 1}, rng, put) // of these one does
	cases := tape.Cases()
	offsets, total := Pack(p.Cases, cases)
	for i := range offsets {
		offsets[i] += 2000
	}
	if err := errors.Join(err1, err2, err3); err != nil || len(cases) != 3 || cases[2] != 1 || total > 2000 ||
		!slices.Equal(places, offsets) {
		t.Errorf("%v at %v, %v", cases, places, err)
	}
	full := p.NewTape(&Record{}, 0, 1)
	if err := full.Take([]int{2, 2, 2, 2}, rng, func(_, at int) error { return nil }); err != nil ||
		len(full.Cases()) != 2 {
		t.Errorf("%v in a slot that has room for two, %v", full.Cases(), err)
	}
}
