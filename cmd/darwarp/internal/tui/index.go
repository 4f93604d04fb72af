package tui

import (
	"cmp"
	"slices"
)

// index keeps the rows that are right in the order of the leaderboard. New rows wait in a heap of their
// own and are merged in when somebody looks: a look costs as much as there are rows at most, and an
// arrival nothing.
type index struct {
	board  *Board
	order  []int32 // rows, best first
	fresh  []int32
	place  []int32 // by position in order: rank, as far as it was asked for
	shown  []int32 // positions in order that the filter lets through
	filter filter
	stale  bool                // shown is not of this order
	by     func(r, s *row) int // instead of by score; nil: by score
}

func (x *index) add(i int32) { x.fresh = append(x.fresh, i) }

func (x *index) compare(a, b int32) int {
	r, s := &x.board.rows[a], &x.board.rows[b]
	if x.by != nil {
		if c := x.by(r, s); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(r.score, s.score); c != 0 {
		return c
	}
	return cmp.Compare(r.seq, s.seq)
}

// settle merges what is new.
func (x *index) settle() {
	if len(x.fresh) > 0 {
		slices.SortFunc(x.fresh, x.compare)
		x.merge()
		x.fresh, x.stale = x.fresh[:0], true
	}
	if x.stale && x.filter.active() {
		x.shown = x.shown[:0]
		for p, i := range x.order {
			if x.filter.passes(x.board, i) {
				x.shown = append(x.shown, int32(p))
			}
		}
	}
	x.stale = false
}

// merge inserts sorted rows, last first, each with one move of what is behind it. What is before the first
// keeps its rank.
func (x *index) merge() {
	end := len(x.order)
	x.order = append(x.order, x.fresh...)
	for j := len(x.fresh) - 1; j >= 0; j-- {
		p, _ := slices.BinarySearchFunc(x.order[:end], x.fresh[j], x.compare)
		copy(x.order[p+j+1:end+j+1], x.order[p:end])
		x.order[p+j] = x.fresh[j]
		end = p
	}
	x.place = x.place[:min(len(x.place), end)]
}

// resort puts all rows in order again, for their scores have changed.
func (x *index) resort() {
	x.fresh = append(x.fresh, x.order...)
	x.order, x.place = x.order[:0], x.place[:0]
}

// remove takes a row out.
func (x *index) remove(i int32) {
	x.settle()
	is := func(k int32) bool { return k == i }
	x.order, x.place, x.stale = slices.DeleteFunc(x.order, is), x.place[:0], true
}

// setFilter replaces the filter.
func (x *index) setFilter(f filter) { x.filter, x.stale = f, true }

// len is how many rows are listed.
func (x *index) len() int {
	x.settle()
	if x.filter.active() {
		return len(x.shown)
	}
	return len(x.order)
}

// position is the place in order of the n-th row that is listed.
func (x *index) position(n int) int {
	if x.filter.active() {
		return int(x.shown[n])
	}
	return n
}

// search is the position of a row.
func (x *index) search(i int32) (position int, ok bool) {
	return slices.BinarySearchFunc(x.order, i, x.compare)
}

// find is where a row is listed, -1: it is not.
func (x *index) find(i int32) int {
	x.settle()
	p, ok := x.search(i)
	if !ok {
		return -1
	}
	if x.filter.active() {
		if n, ok := slices.BinarySearch(x.shown, int32(p)); ok {
			return n
		}
		return -1
	}
	return p
}

// rank is the place of the row at a position: rows whose interval reaches that of the first of their
// group cannot be told from it and share its rank, and the next group counts them (1, 1, 3).
func (x *index) rank(position int) int {
	for p := len(x.place); p <= position; p++ {
		r := int32(p + 1)
		if p > 0 {
			leader := x.place[p-1]
			if x.board.bounds[x.order[p]][0] <= x.board.bounds[x.order[leader-1]][1] {
				r = leader
			}
		}
		x.place = append(x.place, r)
	}
	return int(x.place[position])
}

// best is the lowest score, 0: none.
func (x *index) best() float64 {
	x.settle()
	if len(x.order) == 0 {
		return 0
	}
	return x.board.rows[x.order[0]].score
}
