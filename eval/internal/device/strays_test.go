package device

import "testing"

func TestStrays(t *testing.T) {
	for _, c := range []struct {
		all  []*Strays
		want string
	}{
		{[]*Strays{{Where: "a", Bytes: 2}, nil, {Where: "b", Bytes: 3, Left: 1}},
			"a: wrote 2 bytes outside of its buffers (1 more like it)"},
		{[]*Strays{{Where: "a", Left: 2}, {Where: "b", Bytes: 4, Place: "0 bytes past the end of y"},
			{Where: "c", Input: "x"}},
			"b: wrote 4 bytes outside of its buffers, the first 0 bytes past the end of y"},
		{[]*Strays{{Kept: "v (4 bytes)"}, {Where: "a", Bytes: 4}}, "a: wrote 4 bytes outside of its buffers"},
		{[]*Strays{nil, {Where: "a", Left: 2}, {Where: "b", Input: "x"}}, "b: wrote to its input x"},
		{[]*Strays{{Where: "a", Left: 2, Scratch: "kept"}},
			"a: left 2 bytes in scratch kept that every call must leave cleared"},
		{[]*Strays{{Where: "a", Left: 2}}, "a: left 2 bytes in scratch that every call must leave cleared"},
	} {
		var all *Strays
		for _, s := range c.all {
			all = all.Join(s)
		}
		if got := all.Why(); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
	if (*Strays)(nil).Join(nil) != nil {
		t.Error("strays out of nothing")
	}
}
