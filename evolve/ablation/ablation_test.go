package ablation

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

//go:embed testdata/ablate.toml
var ablateToml string

func ablateSpace(t *testing.T) *kernels.Space {
	t.Helper()
	return kernelstest.Space(t, kernelstest.Family(t, "f", ablateToml))
}

func TestAblate(t *testing.T) {
	s := ablateSpace(t)
	winner := kernels.Genome{"a": kernels.Int(2), "b": kernels.Int(2), "mode": kernels.String("fancy"),
		"depth": kernels.Int(3)}
	choices := Choices(s.Family, winner)
	if got := fmt.Sprint(choices); got != "[{a 1 2} {b 1 2} {mode plain fancy} {depth 2 3}]" {
		t.Fatalf("choices %s", got)
	}
	for _, c := range []struct {
		name     string
		take     []int
		want     string
		repaired string
	}{
		{"repaired", []int{0}, "a=1 b=4 depth=3 mode=fancy", "[{b 2 4}]"},
		{"a gene that ends with it", []int{2}, "a=2 b=2 mode=plain", "[]"},
		{"as it is", []int{3}, "a=2 b=2 depth=2 mode=fancy", "[]"},
		{"two", []int{0, 1}, "a=1 b=1 mode=plain", "[{mode fancy plain}]"},
		{"all", []int{0, 1, 2, 3}, "a=1 b=1 mode=plain", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var take []kernels.GeneChange
			for _, i := range c.take {
				take = append(take, choices[i])
			}
			a, err := Ablate(s, winner, Repairs, take...)
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for n, v := range a.Genome {
				parts = append(parts, n+"="+v.String())
			}
			slices.Sort(parts)
			if got := fmt.Sprint(parts); got != "["+c.want+"]" {
				t.Errorf("%s, expected %s", got, c.want)
			}
			if got := fmt.Sprint(a.Repaired); got != c.repaired {
				t.Errorf("repaired %s, expected %s", got, c.repaired)
			}
		})
	}
	if _, err := Ablate(s, winner, 0, choices[0]); err == nil || !strings.Contains(err.Error(), "at most 0 other genes") {
		t.Errorf("an ablation without repairs: %v", err)
	}
	if _, err := Ablate(s, kernels.Genome{"a": kernels.Int(3)}, Repairs); err == nil {
		t.Error("a value that the gene does not have was taken")
	}
}

func TestPairs(t *testing.T) {
	s := ablateSpace(t)
	choices := Choices(s.Family, kernels.Genome{"a": kernels.Int(2), "b": kernels.Int(2), "mode": kernels.String("fancy"),
		"depth": kernels.Int(3)})
	gains := []float64{0.1, 0.2, 0.3, 0.9}
	got := Pairs(s.Family, choices, func(i int) float64 { return gains[i] })
	// the constraint ties a, b and mode
	if want := [][2]int{{1, 2}, {0, 2}, {0, 1}, {2, 3}, {1, 3}, {0, 3}}; !slices.Equal(got, want) {
		t.Errorf("pairs %v, expected %v", got, want)
	}
}
