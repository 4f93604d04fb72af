package proc

import (
	"errors"
	"os"
	"testing"
)

// TestChannel has a worker send files: they outlive it.
func TestChannel(t *testing.T) {
	ch, err := NewChannel()
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, Spec{Files: []*os.File{ch.Remote}})
	if _, err := ch.Receive(); !errors.Is(err, errNoFile) {
		t.Errorf("received %v before anything was sent", err)
	}
	if _, err := do(t, w, "send", 2, long); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for want := range byte(2) {
		f, err := ch.Receive()
		if err != nil {
			t.Fatal(err)
		}
		s, err := OpenShared(f)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Map()[0]; got != want+1 {
			t.Errorf("memory %d is number %d", want+1, got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := ch.Close(); err != nil {
		t.Error(err)
	}
}
