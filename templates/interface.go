package templates

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
	"darwarp/kernels/source"
)

// wantedParam is what a kernel's parameter has to be.
type wantedParam struct {
	text    string // as a message shows it
	pointer bool
	base    string // its type; empty: any
}

// builtinTypes are those of which a parameter certainly is not another.
var builtinTypes = strings.Fields("T half __half __half2 __nv_bfloat16 float double int long short char bool size_t")

func (w wantedParam) fits(p source.Param) bool {
	if p.Pointer != w.pointer {
		return false
	}
	other := func(word string) bool { return !p.Is(word) }
	return !slices.ContainsFunc(strings.Fields(w.base), other) || !slices.ContainsFunc(builtinTypes, p.Is)
}

// referenceParams are the parameters of the reference kernel: inputs, value and scale of each output, dims.
func (b *Bundle) referenceParams() (all []wantedParam) {
	for _, t := range b.Problem.Tensors {
		if t.Role != "out" {
			all = append(all, wantedParam{"const " + t.CType() + "* " + t.Name, true, t.CType()})
		}
	}
	for _, t := range b.Problem.Tensors {
		if t.Role == "out" {
			all = append(all, wantedParam{"double* " + t.Name, true, "double"},
				wantedParam{"float* " + t.Name + "_scale", true, "float"})
		}
	}
	return append(all, b.dimParams()...)
}

func (b *Bundle) dimParams() (all []wantedParam) {
	for _, d := range b.Problem.DimNames {
		all = append(all, wantedParam{"int " + d, false, "int"})
	}
	return all
}

// makerParams are the parameters of the kernel that makes inputs: the others, those that it makes, dims.
func (b *Bundle) makerParams() (all []wantedParam) {
	for _, made := range []bool{false, true} {
		for _, t := range b.Problem.Tensors {
			word := "const "
			if made {
				word = ""
			}
			if t.Role == "in" && t.Made == made {
				all = append(all, wantedParam{word + t.CType() + "* " + t.Name, true, t.CType()})
			}
		}
	}
	return append(all, b.dimParams()...)
}

// CheckReference refuses a reference without the kernel that the problem names, or with one that takes something else:
// what a device would say of that comes late, and in its own words.
func (b *Bundle) CheckReference() error {
	if b.Problem.Reference.IsModule() { // which Python reads
		return nil
	}
	u := b.referenceUnit(b.Problem.DTypes[0])
	s, err := source.Read(u.Source)
	if err != nil { // the compiler will say what is wrong
		return nil
	}
	if ms := b.compareReference(u, s); len(ms) > 0 {
		return ms
	}
	return nil
}

// checkReference compares the parameters of the reference kernel, and of the maker, with the problem.
func (b *Bundle) checkReference() kernels.Mistakes {
	u := b.referenceUnit(b.Problem.DTypes[0])
	s, err := source.Read(u.Source)
	if err != nil {
		return kernels.Mistakes{u.refused(err)}
	}
	return b.compareReference(u, s)
}

func (b *Bundle) compareReference(u Unit, s *source.Source) kernels.Mistakes {
	r := b.Problem.Reference
	ms := b.checkOurs(u, s, "reference", r.Entry, b.referenceParams())
	if r.Maker != nil {
		ms = append(ms, b.checkOurs(u, s, "reference.maker", r.Maker.Entry, b.makerParams())...)
	}
	return ms
}

// checkOurs compares a kernel of the reference's file, declared at a key of the problem's, with what it has to take.
func (b *Bundle) checkOurs(u Unit, s *source.Source, key, entry string, want []wantedParam) kernels.Mistakes {
	k, ok := s.Signatures[entry]
	if !ok {
		return kernels.Mistakes{{File: problemFile, Key: key + ".entry",
			Err: missingEntry(b.Problem.Reference.File, entry, s)}}
	}
	bad := len(k.Params) != len(want)
	for i := range min(len(want), len(k.Params)) {
		bad = bad || !want[i].fits(k.Params[i])
	}
	if !bad {
		return nil
	}
	texts := make([]string, len(want))
	for i, w := range want {
		texts[i] = w.text
	}
	return kernels.Mistakes{{File: u.Locate(k.Line), Err: fmt.Errorf("%s takes (%s): expected (%s)", entry,
		paramTexts(k), strings.Join(texts, ", "))}}
}

func paramTexts(k source.Signature) string {
	texts := make([]string, len(k.Params))
	for i, p := range k.Params {
		texts[i] = p.Text
	}
	return strings.Join(texts, ", ")
}

func missingEntry(file, entry string, s *source.Source) error {
	if len(s.Kernels) == 0 {
		return fmt.Errorf("%s has no kernel: expected extern \"C\" __global__ void %s(...)", file, entry)
	}
	return fmt.Errorf("%s has no kernel %q: it has %s", file, entry, strings.Join(s.Kernels, ", "))
}

// checkLaunches compares the launches of a point with the kernels of its source.
func checkLaunches(u Unit, spec kernels.PlanSpec, call kernels.Call, s *source.Source) (ms kernels.Mistakes) {
	for _, l := range slices.Concat(call.Prepare, call.Launches) {
		key := "launch" + launchIndex(spec, l)
		k, ok := s.Signatures[l.Entry]
		if !ok {
			ms = append(ms, kernels.Mistake{File: u.Declared, Key: key + ".entry", Err: missingEntry(u.File, l.Entry, s)})
			continue
		}
		if why := argsDiffer(l, k); why != "" {
			ms = append(ms, kernels.Mistake{File: u.Declared, Key: key + ".args",
				Err: fmt.Errorf("%s; %s takes (%s), at %s", why, l.Entry, paramTexts(k), u.Locate(k.Line))})
		}
	}
	return ms
}

// launchIndex is where a launch is declared, [0]; of several of the same kernel with as many arguments, the first.
func launchIndex(spec kernels.PlanSpec, l kernels.Launch) string {
	for i, d := range spec.Launches {
		if d.Entry == l.Entry && len(d.Args) == len(l.Args) {
			return fmt.Sprintf("[%d]", i)
		}
	}
	return ""
}

func argsDiffer(l kernels.Launch, k source.Signature) string {
	if len(l.Args) != len(k.Params) {
		return fmt.Sprintf("%d arguments for %d parameters", len(l.Args), len(k.Params))
	}
	for i, a := range l.Args {
		p := k.Params[i]
		pointer := a.Kind == "tensor" || a.Kind == "scratch"
		switch {
		case pointer && !p.Pointer:
			return fmt.Sprintf("argument %d, %s, is a pointer, and the parameter is %s", i+1, a.Name, p.Text)
		case a.Kind == "i32" && p.Pointer:
			return fmt.Sprintf("argument %d is a number, and the parameter is %s", i+1, p.Text)
		}
	}
	return ""
}

// refused is why a source is no device code, as a mistake of the file that it comes from.
func (u Unit) refused(err error) kernels.Mistake {
	var at *source.Error
	if !errors.As(err, &at) {
		return kernels.Mistake{File: u.File, Err: err}
	}
	return kernels.Mistake{File: u.Locate(at.Line), Err: errors.New(at.Why)}
}
