package inputs

import (
	"encoding/binary"
	"slices"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// drawnOf are the numbers of one tensor.
func drawnOf(d *kernels.Drawn, n, tensor int, seed uint64) []int {
	dst := make([]byte, 4*n)
	Drawn(dst, kernels.I32, d, tensor, seed)
	return ints(dst)
}

func ints(mem []byte) (list []int) {
	for ; len(mem) >= 4; mem = mem[4:] {
		list = append(list, int(int32(binary.LittleEndian.Uint32(mem))))
	}
	return list
}

// TestClustered: indices that agree with each other, both ends of the range, and one number that is some of every few
// are among few numbers of a long range, whatever the seed; and others that are anywhere.
func TestClustered(t *testing.T) {
	for seed := range uint64(50) {
		list := drawnOf(&kernels.Drawn{Low: -1, High: 49998, How: kernels.Clustered}, 40, 1, seed)
		ends, equal, rising, seen := 0, 0, 0, map[int]bool{}
		for i, v := range list {
			if v < -1 || v > 49998 {
				t.Fatalf("seed %d: %d is out of the range", seed, v)
			}
			if seen[v] = true; v < 1 || v > 49996 {
				ends++
			}
			if i > 0 && v == list[i-1] {
				equal++
			}
			if i > 0 && v == list[i-1]+1 {
				rising++
			}
		}
		if ends < 5 || equal < 5 || rising < 5 || len(seen) < 10 {
			t.Errorf("seed %d: %d ends, %d equal, %d rising: %v", seed, ends, equal, rising, list)
		}
	}
}

// TestAgreed: where few lines are hard, indices are one number, of either end or between, or all in order. Half of the
// inputs have one exception at least, and few.
func TestAgreed(t *testing.T) {
	const n = 600
	kinds, pure := map[string]int{}, 0
	for seed := range uint64(80) {
		list, seen := drawnOf(&kernels.Drawn{Low: -1, High: 4999, How: kernels.Agreed}, n, 1, seed), map[int]int{}
		rising := 0
		for i, v := range list {
			if seen[v]++; v == i-1 {
				rising++
			}
		}
		most, kind := -1, "between"
		for v, times := range seen {
			if times > n/2 {
				most = times
				kind = map[int]string{-1: "low", 4999: "high"}[v]
			}
		}
		if rising > n/2 {
			most, kind = rising, "rising"
		}
		if kinds[kind]++; most == n {
			pure++
		}
		if most < n-4 {
			t.Errorf("seed %d: %d of %d agree: %v", seed, most, n, list)
		}
	}
	if len(kinds) != 4 || pure < 20 || pure > 60 {
		t.Errorf("%v, without exceptions %d", kinds, pure)
	}
}

// TestUnbounded: whole numbers without a range have either sign and any number of bits; a few are far larger than the
// others, and have low bits that a float would lose.
func TestUnbounded(t *testing.T) {
	low, high, far, odd := 0, 0, 0, 0
	for _, v := range drawnOf(&kernels.Drawn{Low: -1 << 27, High: 1 << 20, How: kernels.Unbounded}, 1<<16, 1, 7) {
		size := max(v, -v)
		switch {
		case size > 1<<27 || size == 0:
			t.Errorf("%d", v)
		case size > 1<<20:
			if far++; size&1 == 1 {
				odd++
			}
		}
		if v < 0 {
			low++
		}
		if size < 1<<4 {
			high++
		}
	}
	if low < 30000 || low > 35000 || high < 5000 || far < 30 || far > 100 || odd < 10 {
		t.Errorf("%d below 0, %d small, %d large, %d of them odd", low, high, far, odd)
	}
}

// TestDrawnRanges: whatever the seed, four numbers have both ends of a range among them, many have some on and beside
// the edges of tiles and some far from them, and none is out of the range.
func TestDrawnRanges(t *testing.T) {
	for seed := range uint64(20) {
		if four := drawnOf(&kernels.Drawn{Low: 1, High: 999, How: kernels.Lengths}, 4, 1, seed); slices.Min(four) != 1 ||
			slices.Max(four) != 999 {
			t.Errorf("seed %d: %v", seed, four)
		}
		beside, far := map[int]bool{}, 0
		for _, v := range drawnOf(&kernels.Drawn{Low: 2, High: 998, How: kernels.Lengths}, 400, 1, seed) {
			if v < 2 || v > 998 {
				t.Errorf("seed %d: %d is out of the range", seed, v)
			}
			if from := (v + 1) % 16; from < 3 {
				beside[from] = true
			} else if v > 2 && v < 998 {
				far++
			}
		}
		if len(beside) < 3 || far < 50 {
			t.Errorf("seed %d: beside tiles %v, %d far from them", seed, beside, far)
		}
	}
}

// TestOffsets: whatever the seed, offsets go from 0 to the end in lines of unlike lengths, none shorter than the least;
// with a least of 0 some are empty, and with one that there is no room for all are alike.
func TestOffsets(t *testing.T) {
	for seed := range uint64(20) {
		for _, least := range []int{0, 5, 1000} {
			empty, lengths := false, map[int]bool{}
			list := drawnOf(&kernels.Drawn{Low: float64(least), High: 960, How: kernels.Offsets}, 17, 1, seed)
			for i := range list[1:] {
				n := list[i+1] - list[i]
				lengths[n], empty = true, empty || n == 0
				if n < min(least, 60) {
					t.Errorf("seed %d, least %d: a line of %d in %v", seed, least, n, list)
				}
			}
			if list[0] != 0 || list[16] != 960 || empty != (least == 0) || (len(lengths) == 1) != (least == 1000) {
				t.Errorf("seed %d, least %d: %v", seed, least, list)
			}
		}
	}
}

// TestSkewed: offsets go from 0 to the end; some lines have several times the mean, some none where the least is 0, and
// none less than the least; of two lines one often has all. With a least that there is no room for all are alike.
func TestSkewed(t *testing.T) {
	empty, longest, whole := 0, 0, 0
	for seed := range uint64(20) {
		for _, least := range []int{0, 5, 1000} {
			list := drawnOf(&kernels.Drawn{Low: float64(least), High: 963, How: kernels.Skewed}, 17, 1, seed)
			most := 0
			for i := range list[1:] {
				n := list[i+1] - list[i]
				if most = max(most, n); n < min(least, 60) {
					t.Errorf("seed %d, least %d: a line of %d in %v", seed, least, n, list)
				}
				if n == 0 {
					empty++
				}
			}
			if list[0] != 0 || list[16] != 963 || least == 1000 && most > 61 {
				t.Errorf("seed %d, least %d: %v", seed, least, list)
			}
			longest = max(longest, most)
		}
		if two := drawnOf(&kernels.Drawn{High: 100, How: kernels.Skewed}, 3, 1, seed); two[1] == 0 || two[1] == 100 {
			whole++
		}
	}
	if empty < 20 || longest < 400 || whole < 2 || whole > 15 {
		t.Errorf("%d lines without anything, a longest one of %d, %d with all: too few or many", empty, longest, whole)
	}
}

// TestEvenly: all of a few numbers occur, and none beside them.
func TestEvenly(t *testing.T) {
	for _, high := range []int{0, 1, 15, 255} {
		seen := map[int]bool{}
		for _, v := range drawnOf(&kernels.Drawn{High: float64(high)}, 5000, 1, 7) {
			seen[v] = true
			if v < 0 || v > high {
				t.Errorf("%d is not from 0 to %d", v, high)
			}
		}
		if len(seen) != high+1 {
			t.Errorf("%d numbers from 0 to %d", len(seen), high)
		}
	}
}

// TestPermutations: every number occurs once, orders depend on seed and tensor, and few numbers stay in their place.
func TestPermutations(t *testing.T) {
	for _, n := range []int{1, 2, 5, 64, 1000} {
		seen := map[int]bool{}
		for _, v := range drawnOf(&kernels.Drawn{High: float64(n - 1), How: kernels.Permutation}, n, 4, 9) {
			if v < 0 || v >= n || seen[v] {
				t.Errorf("%d numbers: %d occurs twice, or is none of them", n, v)
			}
			seen[v] = true
		}
	}
	d, stay := &kernels.Drawn{High: 999, How: kernels.Permutation}, 0
	one := drawnOf(d, 1000, 4, 9)
	for i, v := range one {
		if i == v {
			stay++
		}
	}
	if stay > 20 || slices.Equal(one, drawnOf(d, 1000, 5, 9)) || slices.Equal(one, drawnOf(d, 1000, 4, 10)) {
		t.Errorf("%d of 1000 numbers stay in their place, or orders are the same", stay)
	}
}

// TestNearlyInOrder: where lines are of many classes, most numbers of some permutations stay, and of some they are
// turned round or shifted; but never all of them.
func TestNearlyInOrder(t *testing.T) {
	const n = 700
	b := kernels.Buffer{DType: kernels.I32, Shape: []int{n}, Drawn: &kernels.Drawn{How: kernels.Permutation}}
	kinds := map[string]int{}
	for seed := range uint64(100) {
		d := (&device.Case{Class: device.Mixed}).Drawn(&b)
		list := drawnOf(&d, n, 1, seed)
		by := map[int]int{} // how many numbers move so far, and how many have the same sum with their place
		for i, v := range list {
			by[(v-i+n)%n]++
			by[-1-v-i]++
		}
		kind := "any"
		for far, count := range by {
			if count == n {
				t.Fatalf("seed %d: all numbers move alike", seed)
			}
			switch {
			case count < n*3/4:
			case far == 0:
				kind = "stay"
			case far < 0:
				kind = "turned"
			default:
				kind = "shifted"
			}
		}
		if kinds[kind]++; len(slices.Compact(slices.Sorted(slices.Values(list)))) != n {
			t.Fatalf("seed %d: no permutation", seed)
		}
	}
	for _, kind := range []string{"any", "stay", "turned", "shifted"} {
		if kinds[kind] < 5 {
			t.Errorf("of 100 permutations: %v", kinds)
		}
	}
	if d := (&device.Case{Class: "normal"}).Drawn(&b); d.How != kernels.Permutation {
		t.Errorf("timed inputs are drawn %s", d.How)
	}
}

// TestAlso: about one in so many numbers is the one beside the range, whatever the way to draw, and never all of them.
func TestAlso(t *testing.T) {
	for _, how := range []kernels.Draw{kernels.Evenly, kernels.Clustered, kernels.Agreed} {
		d, all := kernels.Drawn{High: 9, Share: 8, Also: -100, How: how}, 0
		for seed := range uint64(200) {
			for n := 1; n < 4; n++ {
				if list := drawnOf(&d, n, 1, seed); !slices.ContainsFunc(list, func(v int) bool { return v != -100 }) {
					t.Errorf("%q, seed %d: %v: nothing is left", how, seed, list)
				}
			}
			for _, v := range drawnOf(&d, 64, 1, seed) {
				if v == -100 {
					all++
				} else if v < 0 || v > 9 {
					t.Fatalf("%q: %d", how, v)
				}
			}
		}
		if all < 200*64/10 || all > 200*64/6 {
			t.Errorf("%q: %d of %d", how, all, 200*64)
		}
	}
}
