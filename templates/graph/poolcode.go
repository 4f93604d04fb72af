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
	d["PoolLoops"] = w.loops("float")
	d["PoolTruth"] = w.loops("double")
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

// loops go over the places of a window: an axis each, then what is done with a place inside the tensor.
func (w *pool) loops(number string) string {
	var b strings.Builder
	rest := "k"
	for i := w.Rank() - 1; i >= 0; i-- {
		b.WriteString(w.axis(beginCode, i, rest))
		rest = fmt.Sprintf("%s / Index(y%d)", rest, i)
	}
	fmt.Fprintf(&b, "    const T* line = in.%s + (long long)(%s)", w.In(), rest)
	for i := range w.lengths {
		fmt.Fprintf(&b, " * x%d", i)
	}
	b.WriteString(";\n")
	at := "0LL"
	for i := range w.lengths {
		b.WriteString(w.axis(loopCode, i, ""))
		at = fmt.Sprintf("(%s * x%d + c%d)", at, i, i)
	}
	b.WriteString("        const T* p = line + " + at + ";\n" + w.found(number))
	b.WriteString(strings.Repeat("    }\n", w.Rank()))
	return b.String()
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

// found is what is done with a place.
func (w *pool) found(number string) string {
	place := "        float v1[1];\n        unpack<T, 1>(load_word<LOAD, 1>(p), v1);\n        const float v = v1[0];\n"
	if number == "double" {
		place = "        const double v = darwarp::to_float(*p);\n"
	}
	switch {
	case !w.Average: // NaN where there is one
		return place + "        found = found > v || found != found ? found : v;\n"
	case number == "double":
		return place + "        found += v, size += fabs(v), ++places;\n"
	}
	return place + "        found += v, ++places;\n"
}
