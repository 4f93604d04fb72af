package tui

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestListing: whatever the order and the filter, each row that passes is listed once and found where it is; by score
// the champion is the first.
func TestListing(t *testing.T) {
	d := open(t, 300, 120, 40, true)
	b := d.m.board
	for _, champion := range []kernels.ID{d.src.reigns[0].ID, d.src.reigns[len(d.src.reigns)-1].ID} {
		b.steps = append(b.steps, gain{row: b.byID[champion]})
		for _, text := range []string{"", "threads=128", "unroll=true mutate", "nosuch"} {
			for _, by := range []func(r, s *row) int{nil, func(r, s *row) int { return cmp.Compare(s.seq, r.seq) }} {
				b.sortBy(by)
				b.setFilter(text)
				seen := map[int32]bool{}
				for n := range b.listed() {
					i := b.rowAt(n)
					if seen[i] || b.placeOf(i) != n {
						t.Fatalf("%q: row %d at %d is found at %d, or twice", text, i, n, b.placeOf(i))
					}
					seen[i] = true
				}
				if want := b.ranking.len(); len(seen) != want {
					t.Errorf("%q: %d rows, want %d", text, len(seen), want)
				}
				if by == nil && text == "" && b.rows[b.rowAt(0)].id != champion {
					t.Error("the champion is not the first")
				}
			}
		}
	}
}

// TestSort goes through all columns: the rows are in their order, both ways, and new ones find their place.
func TestSort(t *testing.T) {
	d := open(t, 200, 200, 50, true)
	b := d.m.board
	d.sees("speedup vs cublas") // what is on the screen is sorted by
	var heads []string
	for {
		d.press("s")
		head := d.m.leaders.sort.head
		if head == "" {
			break
		}
		heads = append(heads, head)
		d.sees("by " + head + ", ")
		for range 5 {
			c := d.src.next()
			b.enter(&c, -1)
		}
		for range 2 {
			if !slices.IsSortedFunc(rowsOf(b), b.sorted.compare) || b.listed() != b.ranking.len() {
				t.Errorf("%s: not sorted, or %d of %d rows", head, b.listed(), b.ranking.len())
			}
			d.press("S")
		}
	}
	for _, want := range []string{"id", "small", "speedup", "gate", "threads", "per_thread"} {
		if !slices.Contains(heads, want) {
			t.Errorf("not sorted by %s: %q", want, heads)
		}
	}
	d.press("s", "s") // by time
	d.sees("small▴")
	first := b.rows[b.rowAt(0)]
	d.press("S")
	d.sees("small▾")
	if x, y := first.times[0].median, b.rows[b.rowAt(0)].times[0].median; !(x < y) {
		t.Errorf("from the fastest %g ns, the other way round %g", x, y)
	}
	d.press("w")
	d.sees("large▾")
	d.press("esc")
	d.misses("by large")
	if b.sorted != nil {
		t.Error("still sorted")
	}
}

func rowsOf(b *Board) (all []int32) {
	for n := range b.listed() {
		all = append(all, b.rowAt(n))
	}
	return all
}

// TestRankOnce: a rank stands at the first of its group, and at the first row that is seen.
func TestRankOnce(t *testing.T) {
	d := open(t, 300, 120, 30, false)
	b := d.m.board
	shown := map[int]int{}
	for n := range b.listed() {
		if r := b.rankAt(n); r > 0 && n > 0 {
			shown[r]++
		}
	}
	for r, n := range shown {
		if n > 2 { // a group is parted where the champion was taken out of it
			t.Errorf("rank %d stands %d times", r, n)
		}
	}
	d.press("end")
	lines := strings.Split(d.screen(), "\n")
	if fields := strings.Fields(strings.Trim(lines[6], "│")); len(fields[0]) == 10 {
		t.Errorf("the first row has no rank: %q", lines[6])
	}
}
