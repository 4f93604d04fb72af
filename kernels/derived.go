package kernels

import (
	"fmt"
	"slices"

	"darwarp/kernels/expr"
)

// derived is an expression over a family's genes and lets, with its values by combination of the
// genes that it depends on. Whole spaces are enumerated with a few thousand evaluations, since most
// expressions depend on a few genes only.
type derived struct {
	what   string // for errors: let stage_bytes
	expr   *expr.Expr
	needs  []need
	genes  []int    // all that it depends on, through lets too, ascending
	stride []uint64 // by genes: place value of the combination's number
	size   uint64   // combinations
	at     sizing

	// Values by combination. One of the three: they are many, and looked up for every step of an enumeration.
	table []any
	truth []truth // of conditions
	large map[uint64]any
}

// truth is what a condition gives, in one byte.
type truth uint8

const (
	unknown truth = iota
	fails
	holds
)

// need is one name that an expression reads: a gene or a let.
type need struct {
	name string
	gene int
	let  *derived // nil: a gene
}

// Numbers of combinations up to which their values are a list and not a map: 4 and 8 MiB.
const (
	maxTable = 1 << 18
	maxTruth = 1 << 23
)

// derivedLets prepares the lets of a family by name.
func derivedLets(f *Family) map[string]*derived {
	lets := map[string]*derived{}
	for i := range f.Lets {
		l := &f.Lets[i]
		lets[l.Name] = newDerived(f, "let "+l.Name, l.expr, lets)
	}
	return lets
}

func newDerived(f *Family, what string, e *expr.Expr, lets map[string]*derived) *derived {
	d := &derived{what: what, expr: e}
	for _, name := range e.Names() {
		i := slices.IndexFunc(f.Genes, func(g Gene) bool { return g.Name == name })
		switch l := lets[name]; {
		case l != nil:
			d.needs = append(d.needs, need{name: name, let: l})
			d.genes = append(d.genes, l.genes...)
		case i >= 0:
			d.needs = append(d.needs, need{name: name, gene: i})
			d.genes = append(d.genes, i)
		}
	}
	slices.Sort(d.genes)
	d.genes = slices.Compact(d.genes)
	d.size = 1
	for _, i := range d.genes {
		d.stride = append(d.stride, d.size)
		d.size *= uint64(len(f.Genes[i].values)) // at most the size of the space's index, which fits
	}
	switch {
	case e.Kind() == "bool" && d.size <= maxTruth:
		d.truth = make([]truth, d.size)
	case d.size <= maxTable:
		d.table = make([]any, d.size)
	default:
		d.large = map[uint64]any{}
	}
	return d
}

// release gives back what was worth its memory only while all points were visited.
func (d *derived) release() {
	if d != nil && d.size > maxTable {
		d.truth, d.large = nil, map[uint64]any{}
	}
}

// last is the gene with which the expression's value is decided.
func (d *derived) last() int {
	if len(d.genes) == 0 {
		return 0
	}
	return d.genes[len(d.genes)-1]
}

func (d *derived) combination(p Point) (n uint64) {
	for i, g := range d.genes {
		n += uint64(p[g]) * d.stride[i]
	}
	return n
}

// known is the value of a combination, nil while it is unknown.
func (d *derived) known(n uint64) any {
	switch {
	case d.table != nil:
		return d.table[n]
	case d.truth == nil:
		return d.large[n]
	case d.truth[n] == unknown:
		return nil
	}
	return d.truth[n] == holds
}

func (d *derived) set(n uint64, v any) {
	switch {
	case d.table != nil:
		d.table[n] = v
	case d.truth == nil:
		d.large[n] = v
	case v.(bool):
		d.truth[n] = holds
	default:
		d.truth[n] = fails
	}
}

// scratchpad is what one goroutine evaluates with: the machine, and an environment that holds the
// device, elem and dtype, into which genes and lets are written.
type scratchpad struct {
	family *Family
	device Device
	dtype  DType
	sizes  []Dims
	env    expr.Env // made when an expression has to be run: mostly its value is known
	vm     expr.Machine
	keep   bool // what is evaluated: only while no other goroutine reads
}

// value evaluates d at p, of which only the genes that d depends on are read.
func (s *scratchpad) value(d *derived, p Point) (any, error) {
	n := d.combination(p)
	if v := d.known(n); v != nil {
		return v, nil
	}
	if s.env == nil {
		s.env = baseEnv(s.device, s.dtype, s.family.out)
	}
	for _, need := range d.needs {
		if need.let == nil {
			s.env[need.name] = s.family.Genes[need.gene].values[p[need.gene]].Any()
			continue
		}
		v, err := s.value(need.let, p)
		if err != nil {
			return nil, err
		}
		s.env[need.name] = v
	}
	v, err := s.run(d)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.what, err)
	}
	if s.keep {
		d.set(n, v)
	}
	return v, nil
}

// mostFilled is the number of combinations up to which all values of an expression are worked out ahead.
const mostFilled = 1 << 12

// fill works out what an expression gives for every combination of its genes, where these are few:
// neighbours and repairs ask for many that no point of the space has. A combination for which it has
// no value keeps none.
func (s *scratchpad) fill(d *derived) {
	if d == nil || d.size > mostFilled {
		return
	}
	p := make(Point, len(s.family.Genes))
	for n := range d.size {
		rest := n
		for i := len(d.genes) - 1; i >= 0; i-- {
			p[d.genes[i]] = uint8(rest / d.stride[i])
			rest %= d.stride[i]
		}
		_, _ = s.value(d, p) // an error is met again where the value is needed
	}
}

func (s *scratchpad) holds(d *derived, p Point) (bool, error) {
	if d.truth != nil {
		if t := d.truth[d.combination(p)]; t != unknown {
			return t == holds, nil
		}
	}
	v, err := s.value(d, p)
	if err != nil {
		return false, err
	}
	return v.(bool), nil
}
