package importer

import (
	"errors"
	"testing"

	"darwarp/kernels"
)

// TestSizer: small sizes are found among those at which a module runs, and others beside them.
func TestSizer(t *testing.T) {
	groups := func(d kernels.Dims) (bool, error) { return d["channels"]%8 == 0 && d["width"] >= 3, nil }
	s := &sizer{names: []string{"batch", "channels", "width"}, fits: groups}
	small, err := s.small(kernels.Dims{"batch": 64, "channels": 96, "width": 4096})
	if err != nil || product(small) > smallSize {
		t.Fatalf("%v, %v", small, err)
	}
	list, err := s.around(small)
	if err != nil || len(list) < 4 || len(list) > mostShapes {
		t.Errorf("%v, %v", list, err)
	}
	odd := false
	for _, d := range list {
		if ok, _ := groups(d); !ok || product(d) > aroundSize {
			t.Errorf("%v does not fit", d)
		}
		odd = odd || d["width"]%2 == 1
	}
	if !odd {
		t.Errorf("no odd width among %v", list)
	}
	never := &sizer{names: []string{"n"}, fits: func(kernels.Dims) (bool, error) { return false, nil }}
	if got, err := never.small(kernels.Dims{"n": 1 << 20}); err != nil || got["n"] != 1<<20 {
		t.Errorf("%v, %v: expected the module's own size", got, err)
	}
	gone := errors.New("gone")
	lost := &sizer{names: []string{"n"}, fits: func(kernels.Dims) (bool, error) { return false, gone }}
	if _, err := lost.small(kernels.Dims{"n": 1 << 20}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}
