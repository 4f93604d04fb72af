package bench

import (
	"fmt"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestWriteFailed: a family that is wrong as a whole takes a few lines, and a rare failure beside it is still named.
func TestWriteFailed(t *testing.T) {
	var all []failedPoint
	add := func(n int, outcome kernels.Outcome, detail string) {
		for i := range n {
			v := kernels.Variant{Family: "tile", Genes: kernels.Genome{"a": kernels.Int(len(all)), "b": kernels.Bool(true)}}
			all = append(all, failedPoint{kernels.ID{byte(i)}, v, outcome, fmt.Sprintf(detail, i), again(v)})
		}
	}
	add(1, kernels.Flaky, "right once, wrong once at element %d")
	add(500, kernels.Wrong, "C[%d] is far off\nand more")
	var text strings.Builder
	writeFailed(&text, all)
	for _, want := range []string{"\n500 wrong, family tile: C[0] is far off\n", "  and 497 more; --json has all\n",
		"--gene a=0 --gene b=true\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if n := strings.Count(text.String(), "\n"); n > 9 {
		t.Errorf("%d lines:\n%s", n, text.String())
	}

	all = nil
	for i := range 12 {
		add(2, kernels.Crashed, strings.Repeat("x", i+1)+" %d")
	}
	text.Reset()
	writeFailed(&text, all)
	if !strings.HasSuffix(text.String(), "\n4 more in another 2 kinds; --json has all\n") {
		t.Errorf("12 kinds end with\n%s", text.String())
	}
}
