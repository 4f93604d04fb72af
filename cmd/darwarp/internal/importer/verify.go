package importer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"darwarp/eval"
	"darwarp/eval/module"
	"darwarp/kernels"
	"darwarp/templates"
)

// near is by how much of an element's value and scale the reference kernel and the module may differ. Both compute in
// fp64 and add in different orders, some 1e-16 a term; a constant of the module, as an epsilon, may be rounded to fp32
// in the kernel, 6e-8. It is less than what the gate allows a kernel in fp32.
const near = 1e-7

// verify runs the reference kernel on the cpu device and the module in Python on the same numbers, at the check shapes,
// and refuses the module where they differ. It returns the number of cases.
func verify(ctx context.Context, r *module.Reader, read *reading, dir string, req Request) (cases int, err error) {
	b, err := templates.Load(os.DirFS(dir))
	if err != nil {
		return 0, err
	}
	t := b.Problem.DTypes[0]
	cfg := eval.Config{Problem: b.Problem, Reference: wide(b.ReferenceSource(t)), Headers: templates.Include(), DType: t,
		Trust: eval.Trust{Sandbox: req.Sandbox, Foreign: true}, Version: req.Version,
		Means: eval.Means{CacheDir: req.CacheDir}}
	if err := read.fits(b.Problem); err != nil {
		return 0, err
	}
	var unfit *module.Unfit
	err = eval.Truths(ctx, cfg, func(truth eval.Truth) error {
		dims := map[string]int{}
		for i, d := range read.Dims {
			dims[d.Name] = truth.Dims[b.Problem.DimNames[i]]
		}
		got, err := r.Compute(ctx, dims, read.buffers(&truth), slices.Concat(truth.Inputs...))
		if errors.As(err, &unfit) {
			return nil
		}
		if err != nil {
			return at(truth.Name, err)
		}
		cases++
		return compare(&truth, got)
	})
	if err == nil && cases == 0 {
		err = &module.Refused{Why: "it runs at none of the check shapes: " + unfit.Why}
	}
	return cases, err
}

// wide is a reference kernel in which nothing overflows on the way that fp64 holds: the module runs in fp64.
func wide(reference string) string {
	return strings.Replace(reference, "constexpr bool FLOATS = true;", "constexpr bool FLOATS = false;", 1)
}

// tried has the module tell the truth at the check shapes, as it will for a search. It returns the number of cases, and
// refuses a module that gives no finite number at any of them.
func tried(ctx context.Context, r *module.Reader, read *reading, dir string, req Request) (cases int, err error) {
	b, err := templates.Load(os.DirFS(dir))
	if err != nil {
		return 0, err
	}
	cfg := eval.Config{Problem: b.Problem, Headers: templates.Include(), DType: b.Problem.DTypes[0],
		Trust: eval.Trust{Sandbox: req.Sandbox, Foreign: true}, Version: req.Version,
		Means: eval.Means{CacheDir: req.CacheDir}}
	if cfg.Teller, err = module.TellerOf(b.Problem, r, read.Answer); err != nil {
		return 0, err
	}
	finite := false
	err = eval.Truths(ctx, cfg, func(truth eval.Truth) error {
		cases++
		for _, values := range truth.Values {
			finite = finite || slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) })
		}
		return nil
	})
	if err == nil && !finite {
		err = &module.Refused{Why: "it gives no finite number at any of the check shapes"}
	}
	return cases, err
}

// at says where a module was refused.
func at(name string, err error) error {
	if r, ok := err.(*module.Refused); ok {
		return &module.Refused{Why: fmt.Sprintf("at %s: %s", name, r.Why)}
	}
	return err
}

// fits reports whether a folder has the sizes and the inputs of the graph, in the graph's order, whatever their names.
func (r *reading) fits(p *kernels.Problem) error {
	inputs := 0
	for _, t := range p.Tensors {
		if t.Role == "in" {
			inputs++
		}
	}
	if len(p.DimNames) != len(r.Dims) || inputs != len(r.Tensors) {
		return fmt.Errorf("the folder that was made has %d dims and %d inputs, the graph has %d and %d", len(p.DimNames),
			inputs, len(r.Dims), len(r.Tensors))
	}
	return nil
}

// buffers tells the module which of its tensors each input is.
func (r *reading) buffers(truth *eval.Truth) (list []module.Buffer) {
	for _, b := range truth.Buffers {
		if !b.Out {
			t := r.Tensors[len(list)]
			list = append(list, module.Buffer{Torch: r.Paths[t.Name], Kind: t.Kind, DType: string(b.DType), Shape: b.Shape})
		}
	}
	return list
}

// compare holds the outputs of the module against the truth of a case.
func compare(truth *eval.Truth, got [][]float64) error {
	if len(got) != len(truth.Values) {
		return fmt.Errorf("%s: the module has %d outputs, the folder %d", truth.Name, len(got), len(truth.Values))
	}
	for k, want := range truth.Values {
		if len(got[k]) != len(want) {
			return differ(truth.Name, "output %d has %d numbers, that of the module %d", k+1, len(want), len(got[k]))
		}
		for i, v := range want {
			if math.IsNaN(v) && whole(truth, k) {
				continue // any place is right: rounding decides which number is the greatest
			}
			if !agree(v, held(got[k][i]), float64(truth.Scales[k][i])) {
				return differ(truth.Name, "number %d of output %d is %.12g, the module gives %.12g", i, k+1, v, got[k][i])
			}
		}
	}
	return nil
}

// whole reports whether an output is one of integers.
func whole(truth *eval.Truth, output int) bool {
	for _, b := range truth.Buffers {
		if b.Out {
			if output == 0 {
				return b.DType == kernels.I32
			}
			output--
		}
	}
	return false
}

// held is a number of the module as a reference kernel gives it (value_of in num.cu): what is too large for a float is
// the largest one where rounding may keep it there, and else inf.
func held(v float64) float64 {
	switch size := math.Abs(v); {
	case !(size > math.MaxFloat32):
		return v
	case size < 1.1*math.MaxFloat32:
		return math.Copysign(math.MaxFloat32, v)
	}
	return math.Inf(int(math.Copysign(1, v)))
}

// leastNormal is the least number of fp64 with all its bits: products below it depend on the order of their factors.
const leastNormal = 0x1p-1022

func agree(a, b, scale float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return a == b || math.IsNaN(a) && math.IsNaN(b)
	}
	return math.Abs(a-b) <= near*(math.Abs(a)+math.Abs(scale))+leastNormal
}

func differ(name, format string, args ...any) error {
	return &module.Refused{Why: "the reference kernel that was made is not the module: at " + name + " " +
		fmt.Sprintf(format, args...)}
}

// wholeName is the workload with the module's own sizes, where another is searched.
const wholeName = "whole"

// complete adds the module and its graph to the folder, and the whole size where a part of it is searched.
func (r *reading) complete(all map[string][]byte, source string) error {
	all[ModuleFile], all[graphFile] = []byte(source), r.Graph
	if r.whole == nil {
		return nil
	}
	p, err := kernels.ParseProblem(problemFile, all[problemFile])
	if err == nil {
		err = r.fits(p)
	}
	if err != nil {
		return err
	}
	var dims []string
	for i, d := range r.Dims {
		dims = append(dims, fmt.Sprintf("%s = %d", p.DimNames[i], r.whole[d.Name]))
	}
	text := fmt.Sprintf("\n[[workload]] # the module's own size\nname = %q\ndims = { %s }\n", wholeName,
		strings.Join(dims, ", "))
	all[problemFile] = append(slices.Clip(all[problemFile]), text...)
	return nil
}
