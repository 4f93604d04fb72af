package fleet

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"darwarp/kernels"
)

// hasModel reports whether workers can fetch a model of the fakes' family.
func hasModel(f *Fleet) bool {
	f.post.models.mu.Lock()
	defer f.post.models.mu.Unlock()
	return f.post.models.known["f"] != nil
}

// judged is how many candidates a worker has judged.
func judged(w *fake) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen)
}

// TestModels: once there is a model little of a source is sent; workers that join later, and after the server has lost
// the model, get candidates as they are.
func TestModels(t *testing.T) {
	f, g := open(t, newFake("a"))
	askAll := func(from, to int) {
		t.Helper()
		for n, r := range asked(t, f, from, to) {
			if r.Outcome != kernels.OK {
				t.Errorf("candidate %d: %+v", n, r)
			}
		}
	}
	askAll(1, 2)
	until(t, "a model", func() bool { return hasModel(f) })
	before := f.nc.Stats().OutBytes
	askAll(2, 42)
	if sent, whole := f.nc.Stats().OutBytes-before, uint64(40*len(sourceOf(1))); sent > whole/4 {
		t.Errorf("%d bytes for 40 candidates of %d together", sent, whole)
	}

	js, err := jetstream.New(f.nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteObjectStore(t.Context(), f.names.Tasks()); err != nil {
		t.Fatal(err)
	}
	if err := f.restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if hasModel(f) {
		t.Error("a model that the server has lost is still named")
	}
	late := newFake("late")
	g.join(late)
	until(t, "the worker that joins late", func() bool { return len(f.roster.ready()) == 2 })
	for from := 50; from < 250 && judged(late) < 5; from += 20 {
		askAll(from, from+20)
	}
	if judged(late) < 5 || !hasModel(f) {
		t.Errorf("it judged %d candidates; a model: %t", judged(late), hasModel(f))
	}
}

// TestModelRefused: a job that is like something nobody has put there is not done, and the worker works on.
func TestModelRefused(t *testing.T) {
	f, _ := open(t, newFake("a"))
	w := &worker{link: link{js: f.post.js, names: f.names},
		workshop: workshop{station: &Station{Problem: &kernels.Problem{}}}}
	short, end := context.WithTimeout(t.Context(), time.Second)
	defer end()
	sum := "0000000000000000000000000000000000000000000000000000000000000000"
	if got, err := w.unpack(short, &job{Like: sum, sent: "\x01\x01a"}); err == nil {
		t.Errorf("%+v", got)
	}
	if got, err := w.unpack(t.Context(), &job{Like: f.task, sent: "\x02\x00\x00\x09"}); err == nil {
		t.Errorf("%+v", got)
	}
	m := &f.post.models
	m.put(m.store, "odd", "not \xff UTF-8")
	m.put(m.store, "x", "model<>")
	if m.known["odd"] != nil || m.known["x"] == nil {
		t.Fatalf("%+v", m.known)
	}
	got, err := w.unpack(t.Context(), &job{Like: m.known["x"].name, sent: "\x07\x00\x00\x07", Device: []byte("{}")})
	if err != nil || got.Source != "model<>" {
		t.Errorf("%+v, %v", got, err)
	}
}
