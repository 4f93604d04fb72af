package kernels

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/kernels/expr"
)

// Weights stay the same over many calls. A launch with Prepare packs them beforehand, into scratch with Prepared, and
// its time is not the call's. So it may depend on nothing but the weights: it gets them, that scratch and the dims of
// their shapes, and what it makes has a bound.

// checkWeights says what is wrong with a tensor of weights.
func (t *Tensor) checkWeights(n *notes, key string) {
	switch {
	case !t.Weights:
	case t.Role != "in":
		n.addf(key+".weights", "only inputs are weights")
	case t.Made:
		n.addf(key+".weights", "what is made from other inputs is not known before a call")
	}
}

// WeightDims are the dims that the shapes of the weights read, in the problem's order: all that is known beforehand.
func (p *Problem) WeightDims() (names []string) {
	own := p.weightDims()
	for _, name := range p.DimNames {
		if own[name] {
			names = append(names, name)
		}
	}
	return names
}

// weightDims are the dims that the shapes of the weights read.
func (p *Problem) weightDims() map[string]bool {
	dims := map[string]bool{}
	for i, t := range p.Tensors {
		if !t.Weights || i >= len(p.exprs.shapes) {
			continue
		}
		for _, e := range p.exprs.shapes[i] {
			for name := range p.dimsOf(e) {
				dims[name] = true
			}
		}
	}
	return dims
}

// dimsOf are the dims that an expression reads.
func (p *Problem) dimsOf(e *expr.Expr) map[string]bool {
	dims := map[string]bool{}
	if e == nil { // a mistake that was noted
		return dims
	}
	for _, name := range e.Names() {
		if slices.Contains(p.DimNames, name) {
			dims[name] = true
		}
	}
	return dims
}

// foreign is why an expression may not be part of what prepares: it reads a dim that the weights do not have.
func (p *Problem) foreign(e *expr.Expr) error {
	own := p.weightDims()
	for _, name := range slices.Sorted(maps.Keys(p.dimsOf(e))) {
		if !own[name] {
			return fmt.Errorf("reads %s: expected the dims of the weights (%s), which are all that is known beforehand",
				name, strings.Join(slices.Sorted(maps.Keys(own)), ", "))
		}
	}
	return nil
}

func (p *Problem) hasWeights() bool {
	return slices.ContainsFunc(p.Tensors, func(t Tensor) bool { return t.Weights })
}

// compilePacked reads the bound on what may be made of the weights.
func (p *Problem) compilePacked(n *notes, scope expr.Scope) {
	switch {
	case p.Packed == "" && p.hasWeights():
		n.addf("packed", "missing: say how many bytes may be made of the weights, as in \"2 * n * k\"")
	case p.Packed != "" && !p.hasWeights():
		n.addf("packed", "expected an input with weights = true")
	case p.Packed != "":
		p.exprs.packed = p.intExpr(n, "packed", p.Packed, scope)
		n.add("packed", p.foreign(p.exprs.packed))
	}
}

// checkPrepare says what is wrong with what a plan prepares.
func (p *Plan) checkPrepare(n *notes, problem *Problem) {
	prepared, prepares := map[string]bool{}, map[string]bool{}
	for i, s := range p.Spec.Scratch {
		if !s.Prepared {
			continue
		}
		prepared[s.Name] = true
		key := fmt.Sprintf("scratch[%d]", i)
		n.add(key+".bytes", problem.foreign(p.scratch[i]))
		if s.Zero || s.Once {
			n.addf(key+".prepared", "expected neither zero nor once: launches with prepare write all that is read")
		}
	}
	for i, l := range p.Spec.Launches {
		if l.Prepare {
			prepares[l.Entry] = true
			p.launches[i].checkPrepare(n, fmt.Sprintf("launch[%d]", i), l, problem, prepared)
		}
	}
	for i, l := range p.Spec.Launches {
		if prepares[l.Entry] && !l.Prepare {
			n.addf(fmt.Sprintf("launch[%d].entry", i), "%s prepares: expected another kernel", l.Entry)
		}
	}
	if len(prepared) > 0 && len(prepares) == 0 {
		n.addf("scratch", "%s is prepared by no launch: expected a [[launch]] with prepare = true",
			strings.Join(slices.Sorted(maps.Keys(prepared)), ", "))
	}
}

func (l launchExprs) checkPrepare(n *notes, key string, spec LaunchSpec, problem *Problem, prepared map[string]bool) {
	weights := map[string]bool{}
	for _, t := range problem.Tensors {
		weights[t.Name] = t.Weights
	}
	if !problem.hasWeights() {
		n.addf(key+".prepare", "the problem has no weights: expected a tensor with weights = true")
		return
	}
	if spec.L2Window != nil {
		n.addf(key+".l2_window", "expected none of a launch that prepares")
	}
	for i, a := range l.args {
		allowed := a.kind == "i32" || a.kind == "tensor_map" || a.kind == "tensor" && weights[a.name] ||
			a.kind == "scratch" && prepared[a.name]
		if !allowed {
			n.addf(fmt.Sprintf("%s.args[%d]", key, i), "%s: expected weights, scratch with prepared = true, or numbers", a.name)
		}
	}
	for i, m := range spec.TensorMaps {
		if !weights[m.Tensor] {
			n.addf(fmt.Sprintf("%s.tensor_map[%d].tensor", key, i), "%q: expected weights", m.Tensor)
		}
	}
	l.each(func(what string, e *expr.Expr) { n.add(key+"."+what, problem.foreign(e)) })
}

// each visits the expressions that decide a launch.
func (l launchExprs) each(visit func(what string, e *expr.Expr)) {
	list := func(what string, es []*expr.Expr) {
		for i, e := range es {
			visit(fmt.Sprintf("%s[%d]", what, i), e)
		}
	}
	visit("when", l.when)
	visit("smem", l.smem)
	visit("l2_window", l.window)
	list("grid", l.grid)
	list("block", l.block)
	list("cluster", l.cluster)
	for i, a := range l.args {
		visit(fmt.Sprintf("args[%d]", i), a.value)
	}
	for i, m := range l.maps {
		visit(fmt.Sprintf("tensor_map[%d].swizzle", i), m.swizzle)
		list(fmt.Sprintf("tensor_map[%d].box", i), m.box)
		list(fmt.Sprintf("tensor_map[%d].shape", i), m.seen)
	}
}

// settle leaves a call without packed buffers where nothing prepares them, and holds the others to the problem's bound.
func (p *Plan) settle(c *Call, env expr.Env) error {
	if len(c.Prepare) == 0 {
		for _, l := range c.Launches {
			for _, a := range l.Args {
				if slices.ContainsFunc(c.Packed, func(s Scratch) bool { return a.Kind == "scratch" && s.Name == a.Name }) {
					return fmt.Errorf("launch %s takes %s, which no launch prepares here", l.Entry, a.Name)
				}
			}
		}
		c.Packed = nil
		return nil
	}
	most, err := p.packed.Int(env)
	if err != nil {
		return fmt.Errorf("packed: %w", err)
	}
	if n := c.PackedBytes(); n > most {
		return fmt.Errorf("prepared scratch of %d bytes: the problem allows %d (packed = %q)", n, most, p.packed.Text)
	}
	return nil
}

// PackedBytes is how much memory is kept between calls.
func (c *Call) PackedBytes() (n int) {
	for _, s := range c.Packed {
		n += s.Bytes
	}
	return n
}
