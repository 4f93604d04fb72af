package graph

import (
	"fmt"
	"strings"
)

// Windows that lie wholly in the tensor need no bounds, and have places at constant distances along the last axis: of
// long axes nearly all. Their lines are there for windows of few places, as they are unrolled a second time.

// Few reports whether windows have few places.
func (w *pool) Few() bool { return w.Window() <= 64 }

// Inside is when all places of a window are in the tensor.
func (w *pool) Inside() string {
	var out []string
	for i, kernel := range w.Kernel {
		out = append(out, fmt.Sprintf("o%d >= 0 && o%d + %d < x%d", i, i, (kernel-1)*w.Spread[i], i))
	}
	return strings.Join(out, " && ")
}

// inside are the lines for a window in the tensor: v[0], v[1], ... are its numbers in the order in which they count.
func (w *pool) inside(offset string) string {
	at, from, number, loops := offset+"(0)", offset+"(0)", "0", ""
	for i, kernel := range w.Kernel {
		at = fmt.Sprintf("(%s * x%d + o%d)", at, i, i)
		from = fmt.Sprintf("(%s * x%d + i%d * %d)", from, i, i, w.Spread[i])
		number = fmt.Sprintf("(%s * %d + i%d)", number, kernel, i)
		loops += fmt.Sprintf("        #pragma unroll\n        for (int i%d = 0; i%d < %d; ++i%d)\n", i, i, kernel, i)
	}
	return fmt.Sprintf("        const T* first = line + %s;\n        float v[%d][1];\n%s"+
		"            unpack<T, 1>(load_word<LOAD, 1>(first + %s), v[%s]);\n%s", at, w.Window(), loops, from, number, w.uses())
}

// uses are the lines that make the result of the numbers.
func (w *pool) uses() string {
	use, places := "found = max_nan(found, v[i][0])", ""
	if w.Average {
		use, places = "found += v[i][0]", fmt.Sprintf("        places = %d;\n", w.Window())
	}
	return fmt.Sprintf("        #pragma unroll\n        for (int i = 0; i < %d; ++i) %s;\n%s", w.Window(), use, places)
}
