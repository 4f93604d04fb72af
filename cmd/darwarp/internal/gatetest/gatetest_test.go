package gatetest_test

import (
	"slices"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/kernels"
)

func cases(t *testing.T, kind string, short bool) []gatetest.Case {
	t.Helper()
	b, err := gatetest.Bundle()
	if err != nil {
		t.Fatal(err)
	}
	list, err := gatetest.Cases(b, kind, short)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestThereAreAsManyHonestKernelsAsCheats(t *testing.T) {
	for _, kind := range []string{"cuda", "cpu"} {
		count := map[string]int{}
		for _, c := range cases(t, kind, false) {
			count[c.Family]++
		}
		if count["cheat"] < 25 || count["honest"] < count["cheat"]-1 {
			t.Errorf("%s: %v: expected at least 25 cheats and as many honest kernels", kind, count)
		}
	}
}

func TestTheShortListNamesKernels(t *testing.T) {
	short := cases(t, "cpu", true)
	if len(short) != 10 {
		t.Errorf("%d kernels in the short test, expected 10: is a name in brief misspelt?", len(short))
	}
}

func TestNoCheatMayPassAndNoHonestKernelFail(t *testing.T) {
	for _, c := range cases(t, "cuda", false) {
		for _, o := range []kernels.Outcome{kernels.OK, kernels.Duplicate, kernels.Lost, kernels.Unknown, kernels.CompileFailed, kernels.Unsupported} {
			if held, want := c.Holds(o), c.Family == "honest" && o == kernels.OK; held != want {
				t.Errorf("%s %s: %s holds: %v", c.Family, c.Name, o, held)
			}
		}
	}
}

// TestEveryKernelIsItsOwn finds a way or a cheat that the template has forgotten: it renders as another.
func TestEveryKernelIsItsOwn(t *testing.T) {
	b, err := gatetest.Bundle()
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for _, c := range cases(t, "cuda", false) {
		f, err := b.Family(c.Family)
		if err != nil {
			t.Fatal(err)
		}
		j, err := b.Job(f, c.Genes, kernels.Device{Arch: "sm_90a", Kind: "cuda", SmemPerBlock: 232448, MaxThreads: 1024}, "fp32")
		if err != nil {
			t.Fatal(err)
		}
		body := strings.Replace(j.Source, ": "+c.Name+".", "", 1) // the comment that names it
		if launches := []string{"plain", "grid_stride", "one_thread_blocks", "large_blocks", "too_many_threads", "three_launches"}; slices.Contains(sources, body) && !slices.Contains(launches, c.Name) {
			t.Errorf("%s %s has the source of another", c.Family, c.Name)
		}
		sources = append(sources, body)
	}
}
