package rig

import (
	"errors"
	"strings"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestPowers: what one class of inputs does not tell of an output, another of the same size may; not one of another
// size, nor integers.
func TestPowers(t *testing.T) {
	small, large := kernels.Dims{"m": 8, "n": 64}, kernels.Dims{"m": 64, "n": 64}
	type said struct {
		dims        kernels.Dims
		class, name string
		told        bool
	}
	const anySize, equalRows = "x 1.001", "equal rows"
	for _, c := range []struct {
		name string
		said []said
		want string // in the error
	}{
		{"nothing was tried", nil, ""},
		{"one class tells", []said{{small, "uniform", "zeros", true}}, ""},
		{"none tells", []said{{small, "uniform", "zeros", false}}, "uniform: zeros"},
		{"the second tells", []said{{small, "uniform", "zeros", false}, {small, "normal", "zeros", true}}, ""},
		{"the first tells", []said{{small, "uniform", "zeros", true}, {small, "normal", "zeros", false}}, ""},
		{"the second tells something else", []said{{small, "uniform", "zeros", false}, {small, "uniform", "ones", false},
			{small, "normal", "zeros", true}, {small, "normal", "ones", false}}, "uniform: ones"},
		{"another size tells", []said{{small, "uniform", "zeros", false}, {large, "uniform", "zeros", true}},
			"uniform: zeros"},
		{"another size tells what is the same at each", []said{{small, "uniform", anySize, false},
			{large, "normal", anySize, true}}, ""},
		{"no size tells what is the same at each", []said{{small, "uniform", anySize, false},
			{large, "normal", anySize, false}, {large, "exact", anySize, true}}, "uniform: x 1.001"},
		{"rows that are equal at one size are told at another", []said{{small, "uniform", equalRows, false},
			{large, "uniform", "rows", true}}, ""},
		{"rows that are equal at one size are told at none", []said{{small, "uniform", equalRows, false},
			{large, "uniform", "rows", false}}, "uniform: rows"},
		{"rows that are equal for one class", []said{{small, "uniform", equalRows, false},
			{small, "normal", "rows", true}}, ""},
		{"only integers tell", []said{{small, "exact", "zeros", true}, {small, "normal", "zeros", false}}, "normal: zeros"},
		{"integers do not tell", []said{{small, "exact", "zeros", false}, {small, "normal", "zeros", true}}, "exact: zeros"},
	} {
		found := newPowers()
		for _, s := range c.said {
			tried := check.Tried{Name: s.name, AnySize: s.name == anySize || s.name == equalRows}
			tried.Name = strings.TrimPrefix(tried.Name, "equal ")
			if !s.told {
				tried.Accepted = "all is well"
			}
			found.add(&device.Case{Name: s.class, Dims: s.dims, Class: s.class}, []check.Tried{tried})
		}
		err := found.unfit()
		told := err == nil || errors.Is(err, ErrUnfit) && strings.Contains(err.Error(), c.want)
		if (err == nil) != (c.want == "") || !told {
			t.Errorf("%s: %v, expected %q", c.name, err, c.want)
		}
	}
}
