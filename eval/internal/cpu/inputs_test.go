package cpu

import (
	"fmt"
	"strconv"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func TestGuardsFindEveryChangedByte(t *testing.T) {
	a, err := newArena([]int{100, 1, 4096}, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer a.free()
	if got := a.damage(); got != 0 {
		t.Fatalf("%d bytes changed in a new arena", got)
	}
	for i, b := range a.buffers {
		if address(b)%device.Alignment != 0 {
			t.Errorf("buffer %d is not aligned", i)
		}
		fill(b, 0xff) // may be written to
	}
	if got := a.damage(); got != 0 {
		t.Errorf("writing to the buffers changed %d bytes of their guards", got)
	}
	for i, z := range a.zones {
		for _, at := range []int{0, len(z) - 1, len(z) / 2} {
			z[at] ^= 0x10
			if got := a.damage(); got != 1 {
				t.Errorf("zone %d byte %d of %d: %d changed bytes found, expected 1", i, at, len(z), got)
			}
			want := fmt.Sprintf("%d bytes past the end of %d", at, i-1)
			if i == 0 || i < len(a.buffers) && at == len(z)-1 {
				want = fmt.Sprintf("%d bytes before %d", len(z)-at, i)
			}
			if got := a.strayed(strconv.Itoa); got != want && at != len(z)/2 {
				t.Errorf("zone %d byte %d: %q, expected %q", i, at, got, want)
			}
			z[at] ^= 0x10
		}
	}
	if a.key++; a.damage() == 0 {
		t.Error("another key is right")
	}
}

func TestHashSeesEveryByteAndItsPlace(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 64, 1001} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(device.Mix(uint64(i)))
		}
		was := hash(b, 0)
		for i := range b {
			b[i]++
			if hash(b, 0) == was {
				t.Errorf("%d bytes: byte %d does not count", n, i)
			}
			b[i]--
		}
		if hash(b, 1<<48) == was {
			t.Errorf("%d bytes: the salt does not count", n)
		}
	}
	c := &device.Case{Buffers: []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{4}},
		{Name: "y", Out: true, DType: kernels.FP32, Shape: []int{4}}}}
	a, err := newArena(device.Sizes(c.Buffers), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer a.free()
	was := hashOutputs(c, a)
	a.buffers[0][0]++
	if hashOutputs(c, a) != was {
		t.Error("an input counts among the outputs")
	}
}
