package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// program is what a graph computes: numbers of every place of a domain, sums (stats) of these along its reduced axes,
// and outputs, each of every place or of every row. A row is what is kept when the reduced axes are summed away.
type program struct {
	graph   *Graph
	domain  []axis
	stats   []*stat
	outputs []output
	loads   []*value // in the order of first use
	made    map[string]*value
	rows    []*value // what rowValues found
	totals  []*stat  // sums of rows' results over all rows
	facts
	core

	coordinates []derived       // that are no axes of the domain
	spreads     map[string]bool // tensors of variances
}

// facts are what is sure of dims and of indices, whatever they are.
type facts struct {
	steps  map[string]int    // what dims are multiples of
	leasts map[string]int    // what dims are at least
	below  map[string]string // what the numbers of tensors of indices are less than
}

func noFacts() facts {
	return facts{steps: map[string]int{}, leasts: map[string]int{}, below: map[string]string{}}
}

// core is what a program has families for that others have not, where there is such a thing.
type core struct {
	scan    *scan   // nil: there is none
	product *matmul // nil: there is none
	pool    *pool   // nil: there is none
}

type axis struct {
	length  string // expression of dims
	reduced bool
}

type output struct {
	name  string
	shape []Extent
	dtype string
	value *value
	full  bool // of every place of the domain, else of every row
	total bool // one number, of all rows
}

var negInf, posInf = math.Inf(-1), math.Inf(1)

// kind of a value.
type kind int

const (
	isNumber kind = iota
	isLoad
	isStat
	isCount // of the terms of a row
	isLength
	isOp
	isAcc   // what a family works out itself: a running sum, or a product of matrices
	isPlace // the coordinate along an axis
	isTotal // a sum over all rows
)

// value is a number of each place (varies) or of each row.
type value struct {
	kind   kind
	number float64
	origin
	stat   *stat
	part   int // of the stat
	op     *operator
	args   []*value
	varies bool
	depth  int    // passes over the row that must come before
	total  bool   // depends on a sum over all rows
	ofRows bool   // of isOp: depends on numbers of rows otherwise
	exact  bool   // of isOp: nothing was rounded
	length string // of isLength, in terms of the dims
	key    string
}

// origin says which number of a tensor a value is.
type origin struct {
	tensor int       // of isLoad
	axes   []int     // of the domain, in the tensor's order
	spots  []derived // of the tensor's axes, where it is looked up; of isPlace: its own
}

// stat is a sum along the reduced axes, in the wide sense.
type stat struct {
	kind  statKind
	arg   *value
	depth int // pass that makes it, from 1
	id    int
}

// statKind says how terms come together.
type statKind struct {
	name     string
	parts    int
	twice    bool // in two passes, or in one by merging pairs
	rounds   bool // adds up rounding errors
	neutral  float64
	integers bool // gives small integers for small integers
}

var (
	sumOf     = statKind{name: "Sum", parts: 1, rounds: true, integers: true}
	productOf = statKind{name: "Product", parts: 1, rounds: true, neutral: 1}
	greatest  = statKind{name: "Greatest", parts: 1, neutral: negInf, integers: true}
	least     = statKind{name: "Least", parts: 1, neutral: posInf, integers: true}
	firstMost = statKind{name: "FirstGreatest", parts: 2, neutral: negInf, integers: true} // number, index
	firstLow  = statKind{name: "FirstLeast", parts: 2, neutral: posInf, integers: true}
	momentsOf = statKind{name: "Moments", parts: 2, twice: true, rounds: true} // mean, variance
	expSum    = statKind{
		name:    "ExpSum",
		parts:   2,
		twice:   true,
		rounds:  true,
		neutral: negInf,
	} // top, sum of exp(x - top)
	logSumOf = statKind{name: "LogSum", parts: 2, twice: true, rounds: true, neutral: negInf} // the same, top finite
)

// exponentials reports whether a sum is one of exp(x - top).
func (k statKind) exponentials() bool { return k == expSum || k == logSumOf }

func (p *program) intern(v *value) *value {
	if old := p.made[v.key]; old != nil {
		return old
	}
	p.made[v.key] = v
	if v.kind == isLoad {
		p.loads = append(p.loads, v)
	}
	return v
}

func (p *program) num(x float64) *value {
	return p.intern(&value{kind: isNumber, number: x, key: fmt.Sprintf("#%x", x)})
}

func (p *program) load(tensor int, axes []int) *value {
	varies := len(p.sort(true)) == 0 || slices.ContainsFunc(axes, func(a int) bool { return p.domain[a].reduced })
	return p.intern(
		&value{kind: isLoad, origin: origin{tensor: tensor, axes: axes}, varies: varies, key: fmt.Sprint("t", tensor, axes)},
	)
}

// op applies an operator by its name; powers that have a plainer form get it.
func (p *program) op(name string, args ...*value) *value {
	if name == "pow" && args[1].kind == isNumber {
		switch args[1].number {
		case 1:
			return args[0]
		case 2:
			return p.op("mul", args[0], args[0])
		case 3:
			return p.op("mul", p.op("mul", args[0], args[0]), args[0])
		case 0.5:
			return p.op("sqrt", args[0])
		case -0.5:
			return p.op("rsqrt", args[0])
		case -1:
			return p.op("div", p.num(1), args[0])
		}
	}
	v := &value{kind: isOp, op: operators[name], args: args, exact: operators[name].Same || countedValue(name, args)}
	keys := []string{name}
	for _, a := range args {
		v.varies, v.depth, v.total = v.varies || a.varies, max(v.depth, a.depth), v.total || a.total
		v.ofRows, v.exact = v.ofRows || !onlyTotals(a), v.exact && (exactValue(a) || a.kind == isLength)
		keys = append(keys, a.key)
	}
	v.key = "(" + strings.Join(keys, " ") + ")"
	if len(v.key) > 200 { // a chain that doubles at each step would be as long as the powers of two
		v.key = p.short(v.key)
	}
	return p.intern(v)
}

// short gives a long key a short name.
func (p *program) short(key string) string {
	if old := p.made["name of "+key]; old != nil {
		return old.key
	}
	v := &value{key: fmt.Sprintf("(%d)", len(p.made))}
	p.made["name of "+key] = v
	return v.key
}

func (p *program) stat(k statKind, arg *value) *stat {
	for _, s := range p.stats {
		if s.kind == k && s.arg == arg {
			return s
		}
	}
	s := &stat{kind: k, arg: arg, depth: arg.depth + 1, id: len(p.stats)}
	p.stats = append(p.stats, s)
	return s
}

func (p *program) part(s *stat, i int) *value {
	return p.intern(&value{kind: isStat, stat: s, part: i, depth: s.depth, key: fmt.Sprintf("s%d.%d", s.id, i)})
}

func (p *program) count() *value { return p.intern(&value{kind: isCount, key: "count"}) }

func (p *program) length(text string) *value {
	return p.intern(&value{kind: isLength, length: text, key: "q" + text})
}

// passes is how many times a row is read before the outputs.
func (p *program) passes() (n int) {
	for _, s := range p.stats {
		n = max(n, s.depth)
	}
	return n
}

// merge makes one axis of neighbours that every tensor has together or has not, as far as the product stays below what
// an int holds at several times the scored size.
func (p *program) merge() {
	for i := len(p.domain) - 2; i >= 0; i-- {
		a, b := p.domain[i], p.domain[i+1]
		if a.reduced != b.reduced || !p.together(i) {
			continue
		}
		length := product([]string{a.length, b.length})
		if n, err := p.graph.size(length); err != nil || n > 1<<29 {
			continue
		}
		p.domain[i].length = length
		p.domain = slices.Delete(p.domain, i+1, i+2)
		p.renumber(i)
		for _, l := range p.loads {
			l.axes = slices.DeleteFunc(l.axes, func(x int) bool { return x == i+1 })
			for j := range l.axes {
				if l.axes[j] > i {
					l.axes[j]--
				}
			}
		}
	}
}

// renumber lets scattered values know that there is an axis less after i.
func (p *program) renumber(i int) {
	for _, v := range p.scattered() {
		renumberAll(v.spots, i)
	}
	renumberAll(p.coordinates, i)
	for _, d := range p.coordinates {
		if d.index != nil {
			renumberAll(d.index.spots, i)
		}
	}
}

func renumberAll(list []derived, i int) {
	for s := range list {
		list[s].axes = slices.Clone(list[s].axes)
		for j, a := range list[s].axes {
			if a > i && a < derivedFrom {
				list[s].axes[j]--
			}
		}
	}
}

func (p *program) together(i int) bool {
	for _, v := range p.scattered() {
		if p.touches(v, i) || p.touches(v, i+1) {
			return false
		}
	}
	return !slices.ContainsFunc(p.loads, func(l *value) bool {
		at := slices.Index(l.axes, i)
		next := slices.Index(l.axes, i+1)
		return (at < 0) != (next < 0) || at >= 0 && next != at+1
	})
}
