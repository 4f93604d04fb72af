package flashinfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels"
	"darwarp/templates"
)

const problemFile = "problem.toml"

// builtinEpsilon is the one of the built-in RMS norm, as its files write it.
const builtinEpsilon = "1e-6"

// usual are the sizes of a var axis where no workload says any; scored is how many of the workloads a search takes
// unless it is told others.
var usual = []int{1, 16, 64, 1024, 8192}

const scored = 4

// Folder makes the files of a problem folder from a definition and, where there are some, its workloads (JSON lines).
// An error says in one line why there is no problem.
func Folder(data, workloads []byte) (files map[string][]byte, name string, err error) {
	d, err := parse(data)
	if err != nil {
		return nil, "", err
	}
	o, ok := operations[d.OpType]
	if !ok {
		return nil, "", fmt.Errorf("op_type %q: expected one of %s", d.OpType,
			strings.Join(slices.Sorted(maps.Keys(operations)), ", "))
	}
	b, err := templates.Builtin(o.problem)
	if err != nil {
		return nil, "", err
	}
	axes, err := d.dims(b.Problem)
	if err != nil {
		return nil, "", err
	}
	dtype, err := d.dtype(b.Problem.DTypes)
	if err != nil {
		return nil, "", err
	}
	numbers, err := o.read(d)
	if err != nil {
		return nil, "", err
	}
	sizes, err := d.sizes(axes, workloads)
	if err != nil {
		return nil, "", err
	}
	if files, err = b.Renamed(d.Name); err != nil {
		return nil, "", err
	}
	files[problemFile] = problemText(string(files[problemFile]), dtype, sizesText(b.Problem.DimNames, sizes))
	if eps := numbers["eps"]; eps != "" {
		err = replaceEpsilon(files, eps)
	}
	return files, d.Name, err
}

// sizes are those of the workloads, each once, the smallest first.
func (d definition) sizes(axes map[string]string, lines []byte) (all []kernels.Dims, err error) {
	given, err := d.workloads(lines)
	if err != nil {
		return nil, err
	}
	for _, values := range given {
		dims := kernels.Dims{}
		for dim, axis := range axes {
			if dims[dim] = d.Axes[axis].Value; d.Axes[axis].Type == "var" {
				dims[dim] = values[axis]
			}
			if dims[dim] < 1 {
				return nil, fmt.Errorf("a workload has no size for the axis %s", axis)
			}
		}
		if !slices.ContainsFunc(all, func(o kernels.Dims) bool { return maps.Equal(o, dims) }) {
			all = append(all, dims)
		}
	}
	slices.SortStableFunc(all, func(a, b kernels.Dims) int { return volume(a) - volume(b) })
	return all, nil
}

func volume(d kernels.Dims) int {
	n := 1
	for _, v := range d {
		n *= v
	}
	return n
}

// workloads are the values of the var axes.
func (d definition) workloads(lines []byte) (all []map[string]int, err error) {
	for line := range bytes.Lines(lines) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var trace struct {
			Definition string `json:"definition"`
			Workload   struct {
				Axes map[string]int `json:"axes"`
			} `json:"workload"`
		}
		if err := json.Unmarshal(line, &trace); err != nil {
			return nil, fmt.Errorf("line %d of the workloads: expected an object with definition and workload, as "+
				"FlashInfer-Bench writes it", len(all)+1)
		}
		if trace.Definition != d.Name {
			return nil, fmt.Errorf("line %d of the workloads is of the definition %q", len(all)+1, trace.Definition)
		}
		all = append(all, trace.Workload.Axes)
	}
	if len(all) > 0 {
		return all, nil
	}
	for _, n := range usual {
		values := map[string]int{}
		for name, a := range d.Axes {
			if a.Type == "var" {
				values[name] = n
			}
		}
		all = append(all, values)
	}
	return all, nil
}

// sizesText declares the workloads. Some, spread from the smallest to the largest, are scored by default.
func sizesText(dims []string, all []kernels.Dims) string {
	var b strings.Builder
	for i, d := range all {
		var name, values []string
		for _, dim := range dims {
			name, values = append(name, strconv.Itoa(d[dim])), append(values, fmt.Sprintf("%s = %d", dim, d[dim]))
		}
		fmt.Fprintf(&b, "[[workload]]\nname = %q\ndims = { %s }\n", strings.Join(name, "x"), strings.Join(values, ", "))
		if len(all) <= scored || i*(scored-1)/(len(all)-1) != (i-1)*(scored-1)/(len(all)-1) || i == 0 {
			b.WriteString("default = true\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// problemText is problem.toml with one type, and other workloads in place of its own.
func problemText(text string, t kernels.DType, workloads string) []byte {
	var out []string
	skipping, done := false, false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "[[workload]]":
			if skipping = true; !done {
				out, done = append(out, strings.TrimRight(workloads, "\n"), ""), true
			}
		case strings.HasPrefix(line, "dtypes = "):
			line = fmt.Sprintf("dtypes = [%q]", t)
		}
		if !skipping {
			out = append(out, line)
		}
		skipping = skipping && line != ""
	}
	return []byte(strings.Join(out, "\n"))
}

// replaceEpsilon puts the definition's epsilon in place of the built-in one, in every file that has it.
func replaceEpsilon(files map[string][]byte, eps string) error {
	v, err := strconv.ParseFloat(eps, 64)
	if err != nil || !(v > 0 && v < 1) {
		return fmt.Errorf("its epsilon is %s: expected a number above 0 and below 1", eps)
	}
	text, n := strconv.FormatFloat(v, 'e', -1, 64), 0
	for name, data := range files {
		n += bytes.Count(data, []byte(builtinEpsilon))
		files[name] = bytes.ReplaceAll(data, []byte(builtinEpsilon), []byte(text))
	}
	if n == 0 {
		return fmt.Errorf("the built-in problem has no epsilon %s", builtinEpsilon)
	}
	return nil
}
