package importer

import (
	"errors"
	"testing"

	"darwarp/kernels"
)

// TestSizer: small sizes are found among those at which a module runs, and others beside them.
func TestSizer(t *testing.T) {
	groups := func(d kernels.Dims) (bool, error) { return d["channels"]%8 == 0 && d["width"] >= 3, nil }
	s := &sizer{names: []string{"batch", "channels", "width"}, fits: groups, numbers: product}
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
	never := &sizer{names: []string{"n"}, numbers: product, fits: func(kernels.Dims) (bool, error) { return false, nil }}
	if got, err := never.small(kernels.Dims{"n": 1 << 20}); err != nil || got["n"] != 1<<20 {
		t.Errorf("%v, %v: expected the module's own size", got, err)
	}
	gone := errors.New("gone")
	lost := &sizer{names: []string{"n"}, numbers: product, fits: func(kernels.Dims) (bool, error) { return false, gone }}
	if _, err := lost.small(kernels.Dims{"n": 1 << 20}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

// TestSizerCountsNumbers: where a tensor has axes of fixed lengths, as heads of 1024 numbers, fewer of them are a small
// size: a process that makes the inputs of such cases did not end in time.
func TestSizerCountsNumbers(t *testing.T) {
	s := &sizer{names: []string{"batch", "heads", "length"}, fits: func(kernels.Dims) (bool, error) { return true, nil },
		numbers: func(d kernels.Dims) int { return 4 * 1024 * product(d) }}
	small, err := s.small(kernels.Dims{"batch": 32, "heads": 32, "length": 512})
	if err != nil || s.numbers(small) > perPlace*smallSize {
		t.Fatalf("%v with %d numbers, %v", small, s.numbers(small), err)
	}
	list, err := s.around(small)
	if err != nil || len(list) < 4 {
		t.Errorf("%v, %v", list, err)
	}
	for _, d := range list {
		if s.numbers(d) > perPlace*aroundSize {
			t.Errorf("%v has %d numbers", d, s.numbers(d))
		}
	}
}
