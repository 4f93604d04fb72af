package device

import "math/rand/v2"

// Tape is what lies in a slot of the outputs of timed launches so far. No tape records nothing.
type Tape struct {
	cases   []Case
	at, end int   // bytes in the output memory: the next outputs', and where the slot ends
	share   int   // bytes that each sample may fill
	list    []int // cases
	paused  bool  // while samples are taken that do not count
}

// NewTape begins the slot of a side that is to hold outputs of so many samples; without a request none.
func (p *Prepare) NewTape(req *Record, side, samples int) *Tape {
	if req == nil {
		return nil
	}
	at := req.Slots[side] * p.SlotBytes
	return &Tape{cases: p.Cases, at: at, end: at + p.SlotBytes, share: p.SlotBytes / max(samples, 1)}
}

// Take records a sample of outputs of cases: as many as its share of the slot holds, which ones is secret.
// put copies those of the k-th case to a place in the output memory.
func (t *Tape) Take(cases []int, rng *rand.Rand, put func(k, at int) error) error {
	if t == nil || t.paused {
		return nil
	}
	left := t.share
	for _, k := range rng.Perm(len(cases)) {
		n := t.cases[cases[k]].OutBytes()
		if n > left || t.at+n > t.end {
			return nil
		}
		if err := put(k, t.at); err != nil {
			return err
		}
		t.at, left = t.at+n, left-n
		t.list = append(t.list, cases[k])
	}
	return nil
}

// Pause says whether the next samples count.
func (t *Tape) Pause(on bool) {
	if t != nil {
		t.paused = on
	}
}

// Cases are the cases of what lies in the slot, in order.
func (t *Tape) Cases() []int {
	if t == nil {
		return nil
	}
	return t.list
}
