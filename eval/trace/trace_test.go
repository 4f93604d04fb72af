package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
)

// read is a trace's spans by row, and the names of rows and groups.
func read(t *testing.T, text []byte) (spans map[[2]int][]event, names map[[2]int]string) {
	t.Helper()
	var all []event
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	spans, names = map[[2]int][]event{}, map[[2]int]string{}
	for _, e := range all {
		row := [2]int{e.PID, e.TID}
		switch e.Phase {
		case "M":
			names[row] = e.Args["name"]
		case "X":
			spans[row] = append(spans[row], e)
		}
	}
	return spans, names
}

func TestTrace(t *testing.T) {
	var text bytes.Buffer
	r := New(&text)
	a, b := r.Take("candidates"), r.Take("candidates")
	ctx := With(t.Context(), b)
	outer := Begin(ctx, "gate")
	inner := Begin(ctx, "wait")
	inner.End()
	outer.Note("cases", 3)
	outer.End()
	a.Begin("compile").End()
	a.Free()
	if again := r.Take("candidates"); again != a {
		t.Error("a row that is free was not taken")
	}
	d := r.Take("device")
	d.Begin("time").End()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	spans, names := read(t, text.Bytes())
	for row, want := range map[[2]int]string{{1, 0}: "candidates", {1, 1}: "candidates 1", {1, 2}: "candidates 2",
		{2, 0}: "device", {2, 1}: "device 1"} {
		if names[row] != want {
			t.Errorf("row %v is %q: expected %q", row, names[row], want)
		}
	}
	got := spans[[2]int{1, 2}]
	if len(got) != 2 || got[0].Name != "wait" || got[1].Name != "gate" || got[1].Args["cases"] != "3" {
		t.Fatalf("spans %+v: expected a wait in a gate of 3 cases", got)
	}
	if w, g := got[0], got[1]; w.Start < g.Start || w.Start+w.Duration > g.Start+g.Duration {
		t.Errorf("%+v does not lie in %+v", w, g)
	}
	if len(spans[[2]int{1, 1}]) != 1 || len(spans[[2]int{2, 1}]) != 1 {
		t.Errorf("spans %v: expected one of each of the other rows", spans)
	}
}

// Nobody who is traced asks whether he is.
func TestNoTrace(t *testing.T) {
	var r *Recorder
	l := r.Take("candidates")
	ctx := With(context.Background(), l)
	s := Begin(ctx, "gate")
	s.Note("cases", 3)
	s.End()
	l.Free()
	if err := r.Close(); err != nil || s != nil {
		t.Errorf("span %v, error %v: expected none", s, err)
	}
}

func TestTraceOfMany(t *testing.T) {
	var text bytes.Buffer
	r := New(&text)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				l := r.Take("candidates")
				l.Begin("compile").End()
				l.Free()
			}
		})
	}
	all.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	spans, _ := read(t, text.Bytes())
	n := 0
	for _, row := range spans {
		n += len(row)
	}
	if n != 400 || len(spans) > 8 {
		t.Errorf("%d spans in %d rows: expected 400 in 8 at most", n, len(spans))
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestTraceThatCannotBeWritten(t *testing.T) {
	r := New(full{})
	for range 1000 {
		l := r.Take("candidates")
		l.Begin("compile").End()
	}
	if err := r.Close(); err == nil || err.Error() != "no space" { // which is told once
		t.Errorf("nothing could be written: %v", err)
	}
}

// TestTraceOfNothing: what a command refuses leaves no trace, and one event makes a whole one.
func TestTraceOfNothing(t *testing.T) {
	var text bytes.Buffer
	r := New(&text)
	if err := r.Close(); err != nil || text.Len() > 0 {
		t.Errorf("%v, %q was written", err, text.String())
	}
	r = New(&text)
	r.Take("candidates").Begin("compile").End()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if spans, _ := read(t, text.Bytes()); len(spans) != 1 {
		t.Errorf("%q: %d rows, expected 1", text.String(), len(spans))
	}
}
