package templates

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"time"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

// outputs are used again: a search renders thousands of sources a second, of some 14 KB each.
var outputs = sync.Pool{New: func() any { return &limitedBuilder{} }}

// Render writes the source of a family's point. The template sees every gene by name (inactive ones at their default),
// every let, T (the C++ element type), dtype, elem, launched, which says of each entry of the plan whether any size of
// the problem launches it, and finish, the problem's epilogue, nil if it has none. Genes of these two names hide them.
// The same point gives the same source, byte by byte. An error says where: tile.cu.tmpl:12:5.
func (b *Bundle) Render(f *kernels.Family, env expr.Env, t kernels.DType) (string, error) {
	data := make(map[string]any, 5+len(env))
	data["launched"], data["T"], data["dtype"], data["finish"] = f.Launched, t.CType(), string(t), b.Problem.Epilogue
	data["Out"] = b.Problem.Output().CType()
	for k, v := range env {
		if _, ok := v.(kernels.Device); !ok {
			data[k] = v
		}
	}
	out := outputs.Get().(*limitedBuilder)
	defer outputs.Put(out)
	out.reset()
	if kernels.Grown(f.Name) {
		out.until = time.Now().Add(untrustedTime)
	}
	if s := (&sheet{out: out, data: data, all: b.quick, others: b.templates}); !s.write(f.Name) {
		out.restart()
		if err := b.templates.ExecuteTemplate(out, f.Name, data); err != nil {
			return "", errors.New(strings.TrimPrefix(err.Error(), "template: "))
		}
	}
	text := string(tidy(out.Bytes()))
	if kernels.Grown(f.Name) {
		return text, plain(text)
	}
	return text, nil
}

// tidy drops the blanks that template actions leave behind: trailing spaces and runs of empty lines. What is left lies
// where text was.
func tidy(text []byte) []byte {
	out, rest := text[:0], text
	blank := false // an empty line waits for what follows it
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, newline)
		n := len(line)
		for n > 0 && (line[n-1] == ' ' || line[n-1] == '\t' || line[n-1] == '\r') {
			n--
		}
		if n == 0 {
			blank = len(out) > 0
			continue
		}
		if blank {
			out = append(out, '\n')
		}
		out = append(append(out, line[:n]...), '\n')
		blank = false
	}
	if len(out) == 0 {
		return append(out, '\n')
	}
	return out
}

var newline = []byte{'\n'}

// Job makes the evaluation job of a family's genome on a device.
func (b *Bundle) Job(f *kernels.Family, g kernels.Genome, dev kernels.Device, t kernels.DType) (kernels.Job, error) {
	env, err := f.Env(g, dev, t)
	if err != nil {
		return kernels.Job{}, err
	}
	src, err := b.Render(f, env, t)
	if err != nil {
		return kernels.Job{}, err
	}
	acc := b.Problem.Accumulator(f.Accumulator(g))
	return kernels.Job{
		ID: f.Plan.NewID(src, strings.Join([]string{dev.Toolchain, dev.Arch, IncludeHash(),
			f.Plan.Values(env)}, " ")+claim(acc)),
		Variant: kernels.Variant{Family: f.Name, Genes: g},
		Source:  src,
		Plan:    f.Plan,
		Env:     env,
		Acc:     acc,
	}, nil
}

// claim is the part of an ID that says in what a candidate keeps its sums, where it is not fp32: it is judged by that.
func claim(acc kernels.DType) string {
	if acc == "" || acc == kernels.FP32 {
		return ""
	}
	return " sums in " + string(acc)
}

// VariantJob makes the evaluation job of a variant: of a point, or of a source of its own with its plan,
// whose expressions read dims, the device and elem.
func (b *Bundle) VariantJob(v kernels.Variant, dev kernels.Device, t kernels.DType) (kernels.Job, error) {
	if v.Family != "" {
		f, err := b.Family(v.Family)
		if err != nil {
			return kernels.Job{}, err
		}
		return b.Job(f, v.Genes, dev, t)
	}
	if v.Plan == nil {
		return kernels.Job{}, errors.New("a source of its own without a launch plan")
	}
	scope := expr.Scope{"device": kernels.Device{}, "elem": 0}
	for _, d := range b.Problem.DimNames {
		scope[d] = 0
	}
	plan, err := kernels.CompilePlan("plan", b.Problem.Restrict(*v.Plan), b.Problem, scope)
	if err != nil {
		return kernels.Job{}, err
	}
	acc := b.Problem.Accumulator(v.Acc)
	id := kernels.NewID(v.Source, *v.Plan, strings.Join([]string{dev.Toolchain, dev.Arch, IncludeHash()}, " ")+claim(acc))
	return kernels.Job{ID: id, Variant: v, Source: v.Source, Plan: plan,
		Env: expr.Env{"device": dev, "elem": t.Size(), "dtype": string(t)}, Acc: acc}, nil
}

// ReferenceSource is the reference kernel as the compiler gets it, with T and the problem's epilogue defined. Of a
// module it is empty.
func (b *Bundle) ReferenceSource(t kernels.DType) string {
	if b.Problem.Reference.IsModule() {
		return ""
	}
	head := "#include <darwarp/darwarp.cuh>\n"
	if e := b.Problem.Epilogue; e != nil {
		head += "#include <darwarp/epilogue.cuh>\nusing namespace darwarp::exact;\n" + e.Function()
	}
	return head + "using T = " + t.CType() + ";\n" + b.Reference
}
