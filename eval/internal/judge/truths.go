package judge

import (
	"cmp"
	"maps"
	"slices"

	"darwarp/eval/internal/cuda"
)

// truths are those on the device, within a budget. All that one turn asks for stay until the next.
type truths struct {
	budget int // bytes
	held   int
	turn   int
	kept   map[int]*truth // by case
}

type truth struct {
	at    cuda.Ptr
	bytes int
	used  int // turn
}

func newTruths(budget int) *truths { return &truths{budget: budget, kept: map[int]*truth{}} }

// get is the truth of a case, nil where it is not there.
func (t *truths) get(i int) *truth {
	got := t.kept[i]
	if got != nil {
		got.used = t.turn
	}
	return got
}

// victims are the cases whose truth must go so that n bytes fit, least used first. enough is false where all that may
// go are too few, for this turn uses the others; what fits nowhere is tried alone.
func (t *truths) victims(n int) (list []int, enough bool) {
	old := slices.SortedFunc(maps.Keys(t.kept), func(a, b int) int {
		return cmp.Or(cmp.Compare(t.kept[a].used, t.kept[b].used), cmp.Compare(a, b))
	})
	held := t.held
	for _, i := range old {
		if held+n <= t.budget {
			return list, true
		}
		if t.kept[i].used == t.turn {
			return list, false
		}
		list, held = append(list, i), held-t.kept[i].bytes
	}
	return list, true
}

func (t *truths) add(i int, at cuda.Ptr, bytes int) {
	t.kept[i] = &truth{at: at, bytes: bytes, used: t.turn}
	t.held += bytes
}

func (t *truths) drop(i int) {
	t.held -= t.kept[i].bytes
	delete(t.kept, i)
}
