package tui

import tea "charm.land/bubbletea/v2"

// selection is the candidate that a view is about: where the leaderboard's cursor is, what is marked, and which two are
// compared.
type selection struct {
	*scene
	failures *failuresPane
	leader   list // of the leaderboard
	picked   int32
	follows  bool // the cursor stays on the best
	marks    []int32
	pair     [2]int32              // the two that are compared, -1: with the parent
	scroll   map[candidateView]int // of what is shown of it
}

func newSelection(s *scene, f *failuresPane) *selection {
	return &selection{scene: s, failures: f, follows: true, picked: -1, pair: [2]int32{-1, -1},
		scroll: map[candidateView]int{}}
}

// selected is the row under the leaderboard's cursor, -1: there is none.
func (s *selection) selected() int32 {
	n := s.board.listed()
	if n == 0 {
		return -1
	}
	if !s.follows {
		if at := s.board.placeOf(s.picked); at >= 0 {
			s.leader.at = at
		}
	} else {
		s.leader.at = 0
	}
	s.leader.at = min(max(0, s.leader.at), n-1)
	return s.board.rowAt(s.leader.at)
}

// subject is the row that the candidate pane shows and that keys are about.
func (s *selection) subject() int32 {
	if s.focus == paneFailures {
		if all := s.board.causes.sorted(); s.failures.list.at < len(all) {
			return all[s.failures.list.at].example
		}
	}
	if s.pair[0] >= 0 && s.focus == paneCandidate {
		return s.pair[1] // it is compared, and not the one under the cursor
	}
	if s.picked >= 0 && !s.follows && s.board.rows[s.picked].score == 0 {
		return s.picked // a failure that was opened
	}
	return s.selected()
}

func (s *selection) moveLeader(by int) {
	s.selected() // where the cursor is now
	if n := s.board.listed(); n > 0 {
		s.leader.at = min(max(0, s.leader.at+by), n-1)
		s.picked = s.board.rowAt(s.leader.at)
		s.follows = s.leader.at == 0
	}
	s.pair, s.scroll = [2]int32{-1, -1}, map[candidateView]int{}
}

// pick moves the leaderboard's cursor to a row, or remembers one that is not listed.
func (s *selection) pick(i int32) {
	s.picked, s.follows, s.pair = i, false, [2]int32{-1, -1}
	s.scroll = map[candidateView]int{}
}

func (s *selection) mark() tea.Cmd {
	i := s.subject()
	if i < 0 {
		return nil
	}
	for k, x := range s.marks {
		if x == i {
			s.marks = append(s.marks[:k], s.marks[k+1:]...)
			return nil
		}
	}
	if s.marks = append(s.marks, i); len(s.marks) > 2 {
		s.marks = s.marks[1:] // the two that were marked last
	}
	if s.focus == paneLeaders {
		s.moveLeader(1)
	}
	return nil
}

func (s *selection) isMarked(i int32) bool {
	for _, x := range s.marks {
		if x == i {
			return true
		}
	}
	return false
}

// list is a cursor in rows of which a window is shown.
type list struct{ at, top int }

// window moves the window so that the cursor is in it, and gives its first row.
func (l *list) window(n, height int) int {
	l.at = min(max(0, l.at), max(0, n-1))
	l.top = min(max(l.top, l.at-height+1), l.at)
	l.top = max(0, min(l.top, n-height))
	return l.top
}
