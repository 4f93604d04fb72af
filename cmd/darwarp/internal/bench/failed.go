package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// failedPoint is a point that is not right, with why and how to try it again.
type failedPoint struct {
	ID      kernels.ID      `json:"id"`
	Variant kernels.Variant `json:"variant"`
	Outcome kernels.Outcome `json:"outcome"`
	Detail  string          `json:"detail"`
	Again   string          `json:"again"` // the --gene flags that leave this point of its family and no other
}

// again pins every gene that the point has.
func again(v kernels.Variant) string {
	if len(v.Genes) == 0 {
		return ""
	}
	return "--gene " + strings.ReplaceAll(v.Genes.Key(), " ", " --gene ")
}

// What is listed of failures, so that a family that is wrong as a whole still fits on a screen.
const (
	failuresShown = 10 // kinds: the same family, outcome and words, but for numbers
	pointsShown   = 3  // of a kind
)

// writeFailed lists points that are not right, by family and cause, the most frequent first.
func writeFailed(w io.Writer, all []failedPoint) {
	kinds := map[string][]failedPoint{}
	var keys []string
	for _, f := range all {
		cause, _ := report.Cause(f.Outcome, f.Detail)
		key := f.Variant.Family + " " + cause
		if kinds[key] == nil {
			keys = append(keys, key)
		}
		kinds[key] = append(kinds[key], f)
	}
	slices.SortStableFunc(keys, func(x, y string) int { return cmp.Compare(len(kinds[y]), len(kinds[x])) })
	for i, key := range keys {
		if i == failuresShown {
			left := report.Count(leftOf(kinds, keys[i:]))
			fmt.Fprintf(w, "\n%s more in another %s; --json has all\n", left, report.Quantity(len(keys)-i, "kind"))
			return
		}
		writeKind(w, kinds[key])
	}
}

func leftOf(kinds map[string][]failedPoint, keys []string) (n int) {
	for _, k := range keys {
		n += len(kinds[k])
	}
	return n
}

// writeKind shows the points that failed in one way.
func writeKind(w io.Writer, points []failedPoint) {
	first, n := points[0], report.Count(len(points))
	fmt.Fprintf(w, "\n%s %s, family %s: %s\n", n, first.Outcome, first.Variant.Family, report.FirstLine(first.Detail))
	for i, f := range points {
		if i == pointsShown {
			fmt.Fprintf(w, "  and %s more; --json has all\n", report.Count(len(points)-i))
			return
		}
		fmt.Fprintf(w, "  %s %s\n", f.ID.Short(), f.Again)
	}
}
