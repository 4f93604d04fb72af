package tui

import (
	"cmp"
	"strconv"
)

// order is the index that the leaderboard shows: by score, or by a column.
func (b *Board) order() *index {
	if b.sorted != nil {
		return b.sorted
	}
	return &b.ranking
}

// list lets a row be on the leaderboard.
func (b *Board) list(i int32) {
	b.ranking.add(i)
	if b.sorted != nil {
		b.sorted.add(i)
	}
}

// sortBy lets the leaderboard be in another order than by score; nil: by score again.
func (b *Board) sortBy(by func(r, s *row) int) {
	b.sorted = nil
	if by == nil {
		return
	}
	b.ranking.settle()
	b.sorted = &index{board: b, by: by}
	b.sorted.fresh = append(b.sorted.fresh, b.ranking.order...)
	b.sorted.setFilter(newFilter(b.ranking.filter.text))
}

// setFilter lets the leaderboard show only what passes.
func (b *Board) setFilter(text string) {
	b.ranking.setFilter(newFilter(text))
	if b.sorted != nil {
		b.sorted.setFilter(newFilter(text))
	}
}

// listed is how many rows the leaderboard has.
func (b *Board) listed() int { return b.order().len() }

// championPlace is where the champion is listed by score, -1: nowhere, or the order is another.
func (b *Board) championPlace() int {
	if b.sorted != nil || len(b.steps) == 0 {
		return -1
	}
	return b.ranking.find(b.steps[len(b.steps)-1].row)
}

// rowAt is the n-th row of the leaderboard. By score the champion is the first: it won its duels, whatever one timing
// says.
func (b *Board) rowAt(n int) int32 {
	x := b.order()
	switch at := b.championPlace(); {
	case n == 0 && at > 0:
		n = at
	case n <= at:
		n--
	}
	return x.order[x.position(max(0, n))]
}

// placeOf is where a row is listed, -1: it is not.
func (b *Board) placeOf(i int32) int {
	p := b.order().find(i)
	switch at := b.championPlace(); {
	case p < 0 || at < 0 || p > at:
		return p
	case p == at:
		return 0
	}
	return p + 1
}

// rankAt is the rank of the n-th row, 0 where the row above has the same.
func (b *Board) rankAt(n int) int {
	rank := b.rankOf(b.rowAt(n))
	if n > 0 && b.sorted == nil && b.rankOf(b.rowAt(n-1)) == rank {
		return 0
	}
	return rank
}

func (b *Board) rankOf(i int32) int {
	b.ranking.settle()
	p, ok := b.ranking.search(i)
	if !ok {
		return 0
	}
	return b.ranking.rank(p)
}

// compareTexts compares numbers as such, and other texts as texts.
func compareTexts(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}
