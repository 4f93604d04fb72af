package kernels

import "darwarp/kernels/expr"

// sizing is how a condition that reads dims becomes one of the genes alone.
type sizing uint8

const (
	noSize    sizing = iota // it reads no dims
	everySize               // it is to hold at every size of the space
	anySize                 // at one of them at least
)

// run evaluates d in the environment, one that reads dims at the sizes in turn until it is decided.
func (s *scratchpad) run(d *derived) (any, error) {
	if d.at == noSize {
		return s.vm.Value(d.expr, s.env)
	}
	if len(s.sizes) == 0 {
		return true, nil
	}
	for _, size := range s.sizes {
		size.into(s.env)
		v, err := s.vm.Value(d.expr, s.env)
		if err != nil || v.(bool) == (d.at == anySize) {
			return v, err
		}
	}
	return d.at == everySize, nil
}

// compileMatters reads the condition of a gene on sizes, which may read the genes before it and the device.
func (g *Gene) compileMatters(n *notes, key string, scope expr.Scope) {
	if g.Matters == "" {
		return
	}
	e, err := expr.CompileBool(g.Matters, scope)
	n.add(key+".matters", err)
	if g.sized = e; err == nil && g.when != nil { // "when" guards what follows it
		g.sized, err = expr.CompileBool("("+g.When+") && ("+g.Matters+")", scope)
		n.add(key+".matters", err)
	}
}

// Sized reports whether the rule reads dims: it refuses points only where a space is made for sizes.
func (c Constraint) Sized() bool { return c.sized }

// at evaluates the rule at sizes; without sizes one that reads dims holds.
func (c Constraint) at(env expr.Env, sizes []Dims) (bool, error) {
	if !c.sized {
		return c.expr.Bool(env)
	}
	for _, d := range sizes {
		d.into(env)
		if ok, err := c.expr.Bool(env); err != nil || ok == c.Some {
			return ok, err
		}
	}
	return !c.Some || len(sizes) == 0, nil
}

func (c Constraint) sizing() sizing {
	if c.Some {
		return anySize
	}
	return everySize
}

// Check explains what keeps a genome out of a space of these sizes, apart from pins.
func (s *Space) Check(g Genome) error { return s.Family.Check(g, s.Device, s.DType, s.Sizes...) }

// into gives an environment the dims.
func (d Dims) into(env expr.Env) {
	for name, v := range d {
		env[name] = v
	}
}
