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
