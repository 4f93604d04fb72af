package graph

import "testing"

// windows counts those that fit, as torch does: a last one that ends beyond the padding counts with ceil, where it
// begins before the end of the tensor.
func windows(length, kernel, stride, padding, spread int, ceil bool) (n int) {
	extent := spread*(kernel-1) + 1
	for at := -padding; ; at += stride {
		if at+extent > length+padding {
			if ceil && at+extent-stride < length+padding && at < length {
				n++
			}
			return n
		}
		n++
	}
}

// TestPoolLengths: the length of a result is the number of windows, however they overlap or leave gaps.
func TestPoolLengths(t *testing.T) {
	for length := 20; length < 40; length++ {
		for _, s := range [][4]int{{3, 2, 0, 1}, {3, 2, 1, 1}, {2, 3, 1, 1}, {4, 3, 2, 1}, {2, 4, 1, 2}, {1, 5, 0, 1},
			{8, 1, 4, 3}, {3, 2, 1, 3}, {2, 7, 1, 1}} {
			for _, ceil := range []bool{false, true} {
				w := pool{Kernel: s[:1], Stride: s[1:2], Padding: s[2:3], Spread: s[3:], Ceil: ceil, lengths: []string{"x"}}
				g := Graph{sizes: map[string]int{"x": length}}
				got, err := g.size(w.results()[0])
				if want := windows(length, s[0], s[1], s[2], s[3], ceil); err != nil || got != want {
					t.Errorf("windows of %v over %d, ceil %v: %d, expected %d (%v)", s, length, ceil, got, want, err)
				}
			}
		}
	}
}

// TestPoolLeast: an average over three axes wants a whole window in the tensor itself in PyTorch, other pools only
// with the padding.
func TestPoolLeast(t *testing.T) {
	three, ones := []int{3, 3, 3}, []int{1, 1, 1}
	for want, w := range map[int]pool{
		3: {Average: true, Kernel: three, Stride: ones, Padding: ones, Spread: ones},
		1: {Average: true, Kernel: three[:2], Stride: ones[:2], Padding: ones[:2], Spread: ones[:2]},
		2: {Kernel: []int{4, 4, 4}, Stride: ones, Padding: ones, Spread: ones},
	} {
		if got := w.least(0); got != want {
			t.Errorf("%+v: %d, expected %d", w, got, want)
		}
	}
}
