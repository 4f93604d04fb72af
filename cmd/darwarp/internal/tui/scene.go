package tui

import (
	"fmt"
	"time"
)

// scene is what every part of a view looks at: the board, the terminal, and where the focus is.
type scene struct {
	board *Board
	src   Source
	opt   Options
	art   *art
	w, h  int
	focus pane
	zoom  bool
	page  int // rows of the pane in focus, for paging
}

func (s *scene) size() size {
	switch {
	case s.w < leastW || s.h < leastH:
		return sizeNone
	case s.w < framedW || s.h < framedH:
		return sizeCompact
	case s.w >= wideW && s.h >= wideH && !s.zoom:
		return sizeWide
	case s.w >= sideW && s.h >= highH && !s.zoom:
		return sizeHigh
	}
	return sizeFramed
}

// has reports whether there is such a pane.
func (s *scene) has(p pane) bool {
	return p != panePortfolio || s.board.state != nil && s.board.state.Portfolio != nil
}

// elapsed is the search's time now, a little after its last event.
func (s *scene) elapsed() time.Duration {
	b := s.board
	at := b.elapsed.elapsed
	if l := &b.live; l.last.Kind != "" {
		at = l.last.At
		if l.watching && !l.last.Still && !b.still() {
			at += max(0, s.opt.Now().Sub(l.heard))
		}
	}
	return at
}

// turn moves the focus.
func (s *scene) turn(by int) {
	s.focus = (s.focus + pane(by) + paneCount) % paneCount
	if !s.has(s.focus) {
		s.turn(by)
	}
}

func (s *scene) workloadText() string {
	ws := s.board.workloads()
	if len(ws) == 1 {
		return "size " + ws[0].Name
	}
	return fmt.Sprintf("%d sizes", len(ws))
}

// steerable reports whether commands mean something now.
func (s *scene) steerable() bool { return s.opt.Steer && s.board.live.watching }
