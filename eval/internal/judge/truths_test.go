package judge

import (
	"slices"
	"testing"
)

func TestTruthsWithinBudget(t *testing.T) {
	for _, c := range []struct {
		name   string
		used   [][]int // cases by turn, of 10 bytes each
		n      int
		want   []int
		enough bool
	}{
		{"room left", [][]int{{0}, {}}, 20, nil, true},
		{"the least used goes", [][]int{{0, 1}, {0, 2}, {}}, 10, []int{1}, true},
		{"used again", [][]int{{0}, {1}, {2}, {0}, {}}, 20, []int{1, 2}, true},
		{"not what this turn uses", [][]int{{0}, {1, 2}}, 20, []int{0}, false},
		{"more than the budget", [][]int{{0}, {1}, {}}, 100, []int{0, 1}, true},
		{"more than the budget, alone", nil, 100, nil, true},
	} {
		s := newTruths(30)
		for _, cases := range c.used {
			s.turn++
			for _, i := range cases {
				if s.get(i) == nil {
					s.add(i, 0, 10)
				}
			}
		}
		got, enough := s.victims(c.n)
		if !slices.Equal(got, c.want) || enough != c.enough {
			t.Errorf("%s: %v go (%v), want %v (%v)", c.name, got, enough, c.want, c.enough)
		}
		for _, i := range got {
			s.drop(i)
		}
		if s.held != 10*len(s.kept) {
			t.Errorf("%s: %d bytes held by %d truths", c.name, s.held, len(s.kept))
		}
	}
}
