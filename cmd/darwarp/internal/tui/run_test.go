package tui

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"darwarp/evolve"
	"darwarp/kernels"
)

// screenBuffer is a terminal that only remembers.
type screenBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screenBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screenBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

const alternate, normal = "\x1b[?1049h", "\x1b[?1049l"

// TestRun runs the program itself: it must leave the terminal as it was, however it ends.
func TestRun(t *testing.T) {
	boom := func(context.Context, kernels.ID, string) (string, error) { panic("boom") }
	for _, tt := range []struct {
		name   string
		keys   string
		export func(context.Context, kernels.ID, string) (string, error)
		cancel bool
		fails  bool
	}{
		{name: "left with q", keys: "q"},
		{name: "left with ctrl-c", keys: "\x03"},
		{name: "told to end", cancel: true},
		{name: "a panic in the background", keys: "e\r", export: boom, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t, 20, 80, 24, false)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.cancel {
				cancel()
			}
			var out screenBuffer
			_, err := Run(ctx, d.m.board, d.src, Options{Export: tt.export, UTF8: true}, strings.NewReader(tt.keys), &out)
			if (err != nil) != tt.fails {
				t.Errorf("error %v", err)
			}
			text := out.String()
			if on, off := strings.LastIndex(text, alternate), strings.LastIndex(text, normal); on > off {
				t.Errorf("the alternate screen is left on: %q", text)
			}
		})
	}
}

// TestPanicWhileDrawing checks that a mistake in the drawing does not keep the board from taking events: the
// search that feeds it goes on.
func TestPanicWhileDrawing(t *testing.T) {
	d := open(t, 20, 80, 24, true)
	d.m.art, d.m.changed = nil, true
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a view without art draws")
			}
		}()
		d.m.View()
	}()
	d.tell(evolve.Event{Kind: evolve.KindRestart, Note: "no gain"})
	if last := d.m.board.log[len(d.m.board.log)-1].text; last != "starting again: no gain" {
		t.Errorf("the last line is %q", last)
	}
}
