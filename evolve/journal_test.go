package evolve

import (
	"fmt"
	"log/slog"
	"testing"

	"darwarp/kernels"
	"darwarp/store"
)

// TestGroup: verdicts that came together are stored at once, with the state after the last of them; each is told after
// it is stored, and everything in the order in which it happened.
func TestGroup(t *testing.T) {
	keep := &memory{}
	j := newJournal(keep, slog.New(slog.DiscardHandler))
	now := 0
	j.tell(func(e *Event) { e.Evals = now }, func() []byte { return fmt.Append(nil, "state ", now) })
	var told string
	j.begin(func(e Event) {
		if told += fmt.Sprint(e.Kind, " ", e.Evals, "; "); e.Candidate != nil && len(keep.candidates) < e.Evals {
			t.Errorf("candidate %d is told before it is stored", e.Evals)
		}
	})
	judged := func(n int) {
		now = n
		j.candidate(kernels.Candidate{ID: kernels.ID{byte(n)}, Result: kernels.Result{Outcome: kernels.Wrong}})
	}
	judged(1)
	judged(2)
	if j.grouped() != 2 || told != "" {
		t.Errorf("%d together, told %q", j.grouped(), told)
	}
	j.send(Event{Kind: KindSkip})
	j.save(func() error { now = 3; told += "op; "; return nil })
	if j.grouped() != 0 {
		t.Error("another verdict may join what is followed by something else")
	}
	keep.full = func(string) error { return store.ErrNoSpace }
	if err := j.flush(); err == nil || len(keep.candidates) > 0 {
		t.Errorf("%v, %d stored", err, len(keep.candidates))
	}
	keep.full = nil
	if err := j.flush(); err != nil || keep.puts != 1 || len(keep.candidates) != 2 ||
		string(keep.checkpoint) != "state 2" {
		t.Errorf("%v, %d transactions, %d candidates, %s", err, keep.puts, len(keep.candidates), keep.checkpoint)
	}
	if want := "disk 2; result 1; result 2; disk 2; skip 2; op; "; told != want {
		t.Errorf("told %q, expected %q", told, want)
	}
}

// TestTogether: verdicts that wait are taken at once, up to a bound, and nothing else is.
func TestTogether(t *testing.T) {
	s := &Search{queue: newQueue(t.Context(), nil, false)}
	tasks := []*task{{}, {purpose: forTrial}, {}, {flight: flight{withdrawn: true}}, {Challenger: kernels.ID{1}}, {}}
	for i, want := range []bool{true, false, true, false, false, true} {
		s.queue.answered(answer{task: tasks[i]})
		if _, ok := s.queue.nextVerdict(); ok != want {
			t.Errorf("task %d: %v", i, ok)
		} else if !ok {
			s.queue.next()
		}
	}
	s.queue.answered(answer{task: tasks[0], err: kernels.ErrLost})
	if _, ok := s.queue.nextVerdict(); ok {
		t.Error("what was lost is no verdict")
	}
}
