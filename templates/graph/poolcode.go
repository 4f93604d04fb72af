package graph

import (
	"fmt"
	"strings"
)

// poolData tells the families of windows: their lengths are parameters, x0.. of the tensor and y0.. of the result.
func (p *program) poolData(d map[string]any, n *names) {
	w := p.pool
	d["Pool"] = w
	if w == nil {
		return
	}
	var params, args []string
	for i := range w.lengths {
		params = append(params, fmt.Sprintf("int x%d, int y%d", i, i))
		args = append(args, fmt.Sprintf("x%d, y%d", i, i))
	}
	d["PoolParams"], d["PoolArgs"] = strings.Join(params, ", "), strings.Join(args, ", ")
	var lengths []string
	for i, text := range w.results() {
		lengths = append(lengths, w.lengths[i], text)
	}
	d["PoolLengths"] = quotedList(n.all(lengths))
	d["PoolValues"] = strings.Join(n.inC(lengths), ", ")
	d["PoolLoops"] = w.reads(p.offsetType(w))
	d["PoolTruth"] = w.loops()
}

// axisCode are the lines for one axis of a window: where it begins, and the loop over it.
const (
	beginCode = "    const int o#i = int(#rest % Index(y#i)) * #stride - #padding;\n"
	loopCode  = "    #pragma unroll\n    for (int i#i = 0; i#i < #kernel; ++i#i) {\n" +
		"        const int c#i = o#i + i#i * #spread;\n        if (c#i < 0 || c#i >= x#i) continue;\n"
)

// axis fills in the numbers of an axis. "#pragma" is no name.
func (w *pool) axis(code string, i int, rest string) string {
	return strings.NewReplacer("#pragma", "#pragma", "#i", numeral(i), "#rest", rest,
		"#stride", numeral(w.Stride[i]), "#padding", numeral(w.Padding[i]),
		"#kernel", numeral(w.Kernel[i]), "#spread", numeral(w.Spread[i])).Replace(code)
}

// begin finds where a window begins along each axis, and the line of all its axes.
func (w *pool) begin(b *strings.Builder) {
	rest := "k"
	for i := w.Rank() - 1; i >= 0; i-- {
		b.WriteString(w.axis(beginCode, i, rest))
		rest = fmt.Sprintf("%s / Index(y%d)", rest, i)
	}
	fmt.Fprintf(b, "    const T* line = in.%s + (long long)(%s)", w.In(), rest)
	for i := range w.lengths {
		fmt.Fprintf(b, " * x%d", i)
	}
	b.WriteString(";\n")
}

// loops are those of the truth: an axis each, then what is done with a place inside the tensor.
func (w *pool) loops() string {
	var b strings.Builder
	w.begin(&b)
	at := "0LL"
	for i := range w.lengths {
		b.WriteString(w.axis(loopCode, i, ""))
		at = fmt.Sprintf("(%s * x%d + c%d)", at, i, i)
	}
	b.WriteString("        const double v = darwarp::to_float(line[" + at + "]);\n")
	if w.Average {
		b.WriteString("        found += v, size += fabs(v), ++places;\n")
	} else { // NaN where there is one
		b.WriteString("        found = found > v || found != found ? found : v;\n")
	}
	b.WriteString(strings.Repeat("    }\n", w.Rank()))
	return b.String()
}

// placesCode are the lines for the places of a window along one axis: those outside the tensor lie at its edge, so that
// all may be read at once, and do not count.
const placesCode = "    int c#i[#kernel];\n    bool in#i[#kernel];\n    #pragma unroll\n" +
	"    for (int i = 0; i < #kernel; ++i) {\n        const int c = o#i + i * #spread;\n" +
	"        in#i[i] = c >= 0 && c < x#i;\n        c#i[i] = min(max(c, 0), x#i - 1);\n    }\n"

// reads are the lines of a family.
func (w *pool) reads(offset string) string {
	var b strings.Builder
	w.begin(&b)
	if !w.Few() {
		return b.String() + w.bounded(offset)
	}
	return b.String() + "    if (" + w.Inside() + ") {\n" + w.inside(offset) + "    } else {\n" +
		w.bounded(offset) + "    }\n"
}

// bounded are the lines for windows that may lie at an edge: no place waits for another.
func (w *pool) bounded(offset string) string {
	var b, loops strings.Builder
	at, in := offset+"(0)", []string{}
	for i, kernel := range w.Kernel {
		b.WriteString(w.axis(placesCode, i, ""))
		fmt.Fprintf(&loops, "    #pragma unroll\n    for (int i%d = 0; i%d < %d; ++i%d)", i, i, kernel, i)
		loops.WriteString(map[bool]string{true: " {\n", false: "\n"}[i == w.Rank()-1])
		at = fmt.Sprintf("(%s * x%d + c%d[i%d])", at, i, i, i)
		in = append(in, fmt.Sprintf("in%d[i%d]", i, i))
	}
	fmt.Fprintf(&b, "%s        float v[1];\n        unpack<T, 1>(load_word<LOAD, 1>(line + %s), v);\n"+
		"        const bool in = %s;\n", loops.String(), at, strings.Join(in, " && "))
	if w.Average {
		b.WriteString("        found += in ? v[0] : 0.f, places += in;\n    }\n")
	} else {
		b.WriteString("        found = in ? max_nan(found, v[0]) : found;\n    }\n")
	}
	return b.String()
}

// offsetType is what a place in a line is numbered in.
func (p *program) offsetType(w *pool) string {
	if n, err := p.graph.size(product(w.lengths)); err != nil || beyond32(n) {
		return "(long long)"
	}
	return "int"
}

// Places is how many places of a window a mean is over: those before the end of the padding, or those in the tensor.
func (w *pool) Places() string {
	switch {
	case !w.CountPadding:
		return "places"
	case !w.Ceil:
		return numeral(w.Window())
	}
	var out []string
	for i, k := range w.Kernel {
		out = append(out, fmt.Sprintf("(min(o%d + %d, x%d + %d) - o%d)", i, k, i, w.Padding[i], i))
	}
	return strings.Join(out, " * ")
}
