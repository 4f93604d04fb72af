package diagram

import (
	"errors"
	"slices"
	"testing"
)

// climb is the set of points whose values never go down by more than one; next to what follows, only the last value
// matters.
type climb struct {
	point  [5]uint8
	values []uint8
	fails  int // the level whose choices have an error; 0: none
	keyed  int // choices asked for
}

var errFails = errors.New("fails")

func (c *climb) Values(level int) ([]uint8, error) {
	if c.fails > 0 && level == c.fails {
		return nil, errFails
	}
	return c.values, nil
}

func (c *climb) Choose(level int, v uint8) (bool, error) {
	c.keyed++
	c.point[level] = v
	return c.holds(level), nil
}

func (c *climb) holds(level int) bool { return level == 0 || c.point[level]+1 >= c.point[level-1] }

func (c *climb) Key(level int) uint64 {
	if level == 0 {
		return 0
	}
	return uint64(c.point[level-1])
}

// list is the set by trying everything, ascending.
func (c *climb) list(level int) (all [][]uint8) {
	if level == len(c.point) {
		return [][]uint8{slices.Clone(c.point[:])}
	}
	for _, v := range c.values {
		if c.point[level] = v; c.holds(level) {
			all = append(all, c.list(level+1)...)
		}
	}
	return all
}

func TestDiagram(t *testing.T) {
	for _, values := range [][]uint8{{0}, {0, 1, 2, 3}, {1, 5, 6}, {0, 2, 4}} {
		c := &climb{values: values}
		all := c.list(0)
		d, err := Build(len(c.point), c)
		if err != nil || d.Len() != len(all) {
			t.Fatalf("%v: %d points, %v; expected %d", values, d.Len(), err, len(all))
		}
		for i, want := range all {
			got := make([]uint8, len(want))
			d.At(i, got)
			if place, ok := d.Index(want); !slices.Equal(got, want) || place != i || !ok {
				t.Errorf("%v: place %d is %v, the place of %v is %d, %v", values, i, got, want, place, ok)
			}
		}
		if limit := len(values) * (1 + len(values)*(len(c.point)-1)); c.keyed > limit {
			t.Errorf("%v: %d choices: expected at most %d, for beginnings are shared", values, c.keyed, limit)
		}
		if _, ok := d.Index([]uint8{9, 0, 0, 0, 0}); ok {
			t.Errorf("%v: a point that is not of the set has a place", values)
		}
	}
}

func TestEmpty(t *testing.T) {
	d, err := Build(5, &climb{})
	if err != nil || d.Len() != 0 {
		t.Fatalf("%d points, %v", d.Len(), err)
	}
	if _, ok := d.Index(make([]uint8, 5)); ok {
		t.Error("the empty set has a point")
	}
}

// apart is a set without two beginnings in common.
type apart struct{ climb }

func (a *apart) Key(level int) (key uint64) {
	for _, v := range a.point[:level] {
		key = key<<8 | uint64(v)
	}
	return key
}

func TestBuildFails(t *testing.T) {
	many := make([]uint8, 64)
	for i := range many {
		many[i] = uint8(i)
	}
	for _, tt := range []struct {
		choices Choices
		want    error
	}{
		{&climb{values: []uint8{0, 1}, fails: 3}, errFails},
		{&apart{climb{values: many}}, ErrTooLarge},
	} {
		if _, err := Build(5, tt.choices); !errors.Is(err, tt.want) {
			t.Errorf("%v: expected %v", err, tt.want)
		}
	}
}
