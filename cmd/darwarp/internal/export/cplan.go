package export

import (
	"fmt"
	"slices"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

// cPlan is a launch plan as C++ texts over the dims, in the order of the plan.
type cPlan struct {
	Scratch  []cScratch
	Launches []cLaunch
	Packed   []cScratch // filled by Prepare, once for the weights, and read by Launches
	Prepare  []cLaunch
}

// Unsure reports whether there may be sizes at which nothing is packed.
func (c cPlan) Unsure() bool {
	return !slices.ContainsFunc(c.Prepare, func(l cLaunch) bool { return l.When == "" })
}

// cScratch is a scratch buffer with its bytes as a text.
type cScratch struct {
	kernels.ScratchSpec
	Bytes code
}

// cLaunch is a launch with its numbers as texts; When is empty where it is always done.
type cLaunch struct {
	Entry                string
	When, Smem           code
	Grid, Block, Cluster [3]code
	Maps                 []cTensorMap
	Args                 []cArg
	Window               []string // first and last of the tensors that L2 is asked to keep; nil: none
	WindowWhen           code     // where it is asked; empty: always
	Packed               bool     // it reads what was packed
}

// cTensorMap is a tensor map with its numbers as texts, the box's innermost dimension last.
type cTensorMap struct {
	Name, Tensor string
	Shape        []code // none: that of the tensor
	Box          []code
	Swizzle      code
}

// cArg is a buffer's name, a tensor map's name, or a number as a text.
type cArg struct {
	Buffer, Map string
	Value       code
}

// planWriter writes a plan in C++, with the names that known has replaced by their values.
type planWriter struct {
	known   expr.Env
	buffers []string // tensors and scratch
	err     error    // the first
}

// writePlan writes the launch plan of a job.
func writePlan(spec kernels.PlanSpec, tensors []kernels.Tensor, known expr.Env) (cPlan, error) {
	w := &planWriter{known: known}
	for _, t := range tensors {
		w.buffers = append(w.buffers, t.Name)
	}
	var c cPlan
	spec = w.done(spec)
	for _, s := range spec.Scratch {
		w.buffers = append(w.buffers, s.Name)
		list := &c.Scratch
		if s.Prepared {
			list = &c.Packed
		}
		*list = append(*list, cScratch{s, w.text(s.Bytes, "0LL")})
	}
	for _, l := range spec.Launches {
		when, _ := w.condition(l.When)
		list, got := &c.Launches, w.launch(l, when)
		if l.Prepare {
			list = &c.Prepare
		}
		got.Packed = !l.Prepare && slices.ContainsFunc(c.Packed, func(s cScratch) bool {
			return slices.Contains(l.Args, s.Name)
		})
		*list = append(*list, got)
	}
	return c, w.err
}

// done leaves out what is done at no size.
func (w *planWriter) done(spec kernels.PlanSpec) kernels.PlanSpec {
	spec.Launches = slices.DeleteFunc(slices.Clone(spec.Launches), func(l kernels.LaunchSpec) bool {
		_, never := w.condition(l.When)
		return never
	})
	return spec.WithoutUnprepared()
}

// text writes one expression, and none where there is no expression.
func (w *planWriter) text(text string, none code) code {
	if text == "" {
		return none
	}
	out, err := ctext(text, w.known)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", text, err)
	}
	return out
}

// condition writes a launch's condition, as nothing where it holds at all sizes; never says that it holds at none.
func (w *planWriter) condition(text string) (when code, never bool) {
	if text == "" {
		return "", false
	}
	if e, err := expr.CompileBool(text, expr.Scope(w.known)); err == nil { // it reads no dim
		if on, err := e.Bool(w.known); err == nil {
			return "", !on
		}
	}
	return w.text(text, ""), false
}

func (w *planWriter) three(texts []string) (out [3]code) {
	for i := range out {
		out[i] = "1LL"
		if i < len(texts) {
			out[i] = w.text(texts[i], "1LL")
		}
	}
	return out
}

func (w *planWriter) launch(l kernels.LaunchSpec, when code) cLaunch {
	out := cLaunch{Entry: l.Entry, When: when, Smem: w.text(l.Smem, "0LL"),
		Grid: w.three(l.Grid), Block: w.three(l.Block), Cluster: w.three(l.Cluster)}
	if window := l.L2Window; window != nil {
		out.Window = []string{window.Tensors[0], window.Tensors[len(window.Tensors)-1]}
		out.WindowWhen = w.text(window.When, "")
	}
	for _, m := range l.TensorMaps {
		out.Maps = append(out.Maps, w.tensorMap(m))
	}
	for _, a := range l.Args {
		out.Args = append(out.Args, w.arg(a, out.Maps))
	}
	return out
}

func (w *planWriter) tensorMap(m kernels.TensorMapSpec) cTensorMap {
	out := cTensorMap{Name: m.Name, Tensor: m.Tensor, Swizzle: w.text(m.Swizzle, "0LL")}
	for _, e := range m.Shape {
		out.Shape = append(out.Shape, w.text(e, "1LL"))
	}
	for _, e := range m.Box {
		out.Box = append(out.Box, w.text(e, "1LL"))
	}
	return out
}

func (w *planWriter) arg(text string, maps []cTensorMap) cArg {
	switch {
	case slices.Contains(w.buffers, text):
		return cArg{Buffer: text}
	case slices.ContainsFunc(maps, func(m cTensorMap) bool { return m.Name == text }):
		return cArg{Map: text}
	}
	return cArg{Value: w.text(text, "0LL")}
}
