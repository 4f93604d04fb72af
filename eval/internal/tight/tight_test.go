package tight

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	Name  string
	Sizes []int
	At    [3]int
}

type outer struct {
	On   bool
	N    int
	Odd  int8
	U    uint64
	Many []inner
	Rest []string
}

func examples() []outer {
	return []outer{
		{},
		{On: true, N: math.MinInt64, Odd: -128, U: math.MaxUint64, Rest: []string{"", "a", strings.Repeat("long", 100)}},
		{Many: []inner{{Name: "k", Sizes: []int{1, -1, 1 << 40}, At: [3]int{3, 2, 1}}, {Sizes: []int{}}}},
	}
}

func TestTight(t *testing.T) {
	for _, want := range examples() {
		b := Append([]byte("before"), want)
		got, err := Read[outer](b[len("before"):])
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, expected %+v", got, err, want)
		}
	}
	if n := len(Append(nil, outer{})); n != 6 {
		t.Errorf("nothing takes %d bytes, expected one for each field", n)
	}
}

// What was cut off, lengthened or is of another type is refused.
func TestTightDamaged(t *testing.T) {
	for _, v := range examples() {
		b := Append(nil, v)
		for n := range b {
			if got, err := Read[outer](b[:n]); err == nil {
				t.Errorf("%d of %d bytes were read as %+v", n, len(b), got)
			}
		}
		if _, err := Read[outer](append(b, 0)); err == nil {
			t.Error("a byte more was not seen")
		}
	}
	if _, err := Read[int8](Append(nil, 128)); err == nil {
		t.Error("128 was read as an int8")
	}
	if _, err := Read[uint8](Append(nil, uint(256))); err == nil {
		t.Error("256 was read as a uint8")
	}
	if _, err := Read[[]inner](Append(nil, uint64(1)<<62)); err == nil {
		t.Error("a slice of 2^62 elements was made")
	}
}

func TestTightRefuses(t *testing.T) {
	for _, f := range []func(){
		func() { Append(nil, map[string]int{}) },
		func() { Append(nil, 1.5) },
		func() { _, _ = Read[*int]([]byte{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a type that it cannot write was taken")
				}
			}()
			f()
		}()
	}
}

func FuzzTight(f *testing.F) {
	for _, v := range examples() {
		f.Add(Append(nil, v))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Read[outer](b)
		if err != nil {
			return
		}
		if again, err := Read[outer](Append(nil, v)); err != nil || !reflect.DeepEqual(again, v) {
			t.Errorf("%+v, %v, expected %+v", again, err, v)
		}
	})
}
