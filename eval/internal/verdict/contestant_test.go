package verdict

import (
	"slices"
	"testing"

	"darwarp/eval/internal/rig"
	"darwarp/kernels"
)

func TestFewAreKept(t *testing.T) {
	p := NewSession(&rig.Rig{})
	for i := range byte(3 * mostGated) {
		p.keep(kernels.ID{0}, Contestant{}) // asked for again and again
		p.keep(kernels.ID{i + 1}, Contestant{})
	}
	if n := len(p.gated); n != mostGated || p.gated[n-1].id != (kernels.ID{3 * mostGated}) ||
		p.gated[n-2].id != (kernels.ID{0}) {
		t.Errorf("%d kept: %v", n, p.gated)
	}
}

func TestExpect(t *testing.T) {
	c := Contestant{Hashes: map[int]uint64{3: 30, 4: 40}}
	if got := c.Expect([]int{4, 3}); !slices.Equal(got, []uint64{40, 30}) || c.Expect([]int{3, 5}) != nil {
		t.Errorf("hashes %v", got)
	}
}
