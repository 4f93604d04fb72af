package kernels

import (
	"fmt"
	"slices"

	"darwarp/kernels/expr"
)

// Bind is the plan of one point on its own: what env knows, genes and lets, stands in it as numbers and
// words, and launches that are never done are left out. What the device is, elem and the dims stay names.
func (p *Plan) Bind(env expr.Env) (PlanSpec, error) {
	b := binder{env: expr.Env{}}
	for name, v := range env {
		if _, device := v.(Device); !device && name != "elem" {
			b.env[name] = v
		}
	}
	out := PlanSpec{}
	for _, s := range p.Spec.Scratch {
		s.Bytes = b.text(s.Bytes)
		out.Scratch = append(out.Scratch, s)
	}
	for i, l := range p.Spec.Launches {
		if on, err := p.launches[i].decided(env); err == nil {
			if l.When = ""; !on {
				continue
			}
		}
		out.Launches = append(out.Launches, b.launch(l))
	}
	return out.WithoutUnprepared(), b.err
}

// WithoutUnprepared leaves prepared scratch out where no launch prepares it, and with it launches that would read it:
// they are done at no size, though their conditions read dims. Launches that are never done must have been left out
// before.
func (p PlanSpec) WithoutUnprepared() PlanSpec {
	if slices.ContainsFunc(p.Launches, func(l LaunchSpec) bool { return l.Prepare }) {
		return p
	}
	var out PlanSpec
	for _, s := range p.Scratch {
		if !s.Prepared {
			out.Scratch = append(out.Scratch, s)
		}
	}
	for _, l := range p.Launches {
		if !l.takes(p.prepared()) {
			out.Launches = append(out.Launches, l)
		}
	}
	return out
}

// prepared are the names of prepared scratch.
func (p PlanSpec) prepared() (names []string) {
	for _, s := range p.Scratch {
		if s.Prepared {
			names = append(names, s.Name)
		}
	}
	return names
}

// takes reports whether a launch has one of these as an argument.
func (l LaunchSpec) takes(names []string) bool {
	return slices.ContainsFunc(l.Args, func(a string) bool { return slices.Contains(names, a) })
}

type binder struct {
	env expr.Env
	err error
}

func (b *binder) launch(l LaunchSpec) LaunchSpec {
	l.When, l.Smem = b.text(l.When), b.text(l.Smem)
	l.Grid, l.Block, l.Cluster, l.Args = b.texts(l.Grid), b.texts(l.Block), b.texts(l.Cluster), b.texts(l.Args)
	if l.L2Window != nil {
		w := *l.L2Window
		w.When, w.Tensors = b.text(w.When), slices.Clone(w.Tensors)
		l.L2Window = &w
	}
	l.TensorMaps = slices.Clone(l.TensorMaps)
	for i := range l.TensorMaps {
		m := &l.TensorMaps[i]
		m.Shape, m.Box, m.Swizzle = b.texts(m.Shape), b.texts(m.Box), b.text(m.Swizzle)
	}
	return l
}

func (b *binder) texts(in []string) (out []string) {
	for _, t := range in {
		out = append(out, b.text(t))
	}
	return out
}

// text replaces the names in an expression that was compiled before.
func (b *binder) text(text string) string {
	if text == "" {
		return ""
	}
	out, err := expr.Substitute(text, b.env)
	if err != nil { // it was compiled
		b.err = err
		return text
	}
	return out
}

// decided reports whether a launch is done, where no dim decides that.
func (l launchExprs) decided(known expr.Env) (bool, error) {
	if l.when == nil {
		return true, nil
	}
	for _, name := range l.when.Names() {
		if _, ok := known[name]; !ok {
			return false, fmt.Errorf("%s is not known", name)
		}
	}
	return l.when.Bool(known)
}
