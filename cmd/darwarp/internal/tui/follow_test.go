package tui

import (
	"errors"
	"strings"
	"testing"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// breaking is a source that breaks while it is read.
type breaking struct {
	*fake
	load func() (*State, error)
}

func (b breaking) Load() (*State, error) { return b.load() }

// TestFollowOutlivesWhatBreaks: whatever goes wrong in the view, the board says so and takes all events, so that the
// search that feeds it goes on.
func TestFollowOutlivesWhatBreaks(t *testing.T) {
	broken := func(change func(s *State)) func(*fake) (*State, error) {
		return func(f *fake) (*State, error) {
			s := f.state()
			change(s)
			return s, nil
		}
	}
	failed := errors.New("the disk is gone")
	for _, tt := range []struct {
		name string
		load func(*fake) (*State, error)
		want string
	}{
		{"load panics", func(*fake) (*State, error) { panic("no run") }, "the view failed: no run"},
		{"load fails", func(*fake) (*State, error) { return nil, failed }, failed.Error()},
		{"no state", func(*fake) (*State, error) { return nil, nil }, "the view failed: runtime error"},
		{"reading panics", broken(func(s *State) {
			s.Each = func(func(kernels.Candidate) error) error { panic("no page") }
		}), "the view failed: no page"},
		{"reading fails", broken(func(s *State) {
			s.Each = func(func(kernels.Candidate) error) error { return failed }
		}), failed.Error()},
		{"entering panics", broken(func(s *State) {
			s.Provenance = func(string) (kernels.Provenance, error) { panic("no provenance") }
			s.Champions = []store.Champion{{ID: idOf(0), At: began}}
		}), "the view failed: no provenance"},
		{"nothing", broken(func(*State) {}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := &fake{story: newStory(t), feed: make(chan evolve.Event, 3)}
			src.next()
			src.next()
			for range cap(src.feed) {
				src.feed <- evolve.Event{Kind: evolve.KindMachine}
			}
			close(src.feed)
			b := NewBoard()
			b.Follow(breaking{src, func() (*State, error) { return tt.load(src) }})
			if len(src.feed) > 0 {
				t.Errorf("%d events were not taken", len(src.feed))
			}
			b.mu.Lock() // left unlocked
			defer b.mu.Unlock()
			switch {
			case tt.want == "" && b.err != nil:
				t.Errorf("got %v", b.err)
			case tt.want != "" && (b.err == nil || !strings.Contains(b.err.Error(), tt.want)):
				t.Errorf("got %v, want %s", b.err, tt.want)
			case b.loading || b.live.watching:
				t.Error("the board still waits")
			}
		})
	}
}
