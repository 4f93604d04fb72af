package kernels

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels/expr"
)

// Epilogue is what becomes of a sum on its way out: an expression of the sum and of elements of inputs, which the truth
// and the families' templates compute from the same text. It reads "sum", inputs whose axes are axes of the output,
// numbers, + - * / and functions of one argument. It may be made of two sums, which then have names.
type Epilogue struct {
	Value string `toml:"value" json:"value"`
	// Sums are the names of the sums that an output is made of, where these are two; default: "sum"
	Sums []string `toml:"sums,omitempty" json:"sums,omitempty"`

	Operands []Operand `toml:"-" json:"-"` // in the order of the problem's tensors
	code     string
}

// Operand is an input that an epilogue reads one element of for each output.
type Operand struct {
	Name  string
	CType string // T, or that of its own type
	Index string // C++: where the element for (row, col) is, with the output's rows `columns` long
}

const maxEpilogue = 1000 // bytes

// epilogueFunctions are in darwarp/epilogue.cuh: exact for the truth, and both exact and fast for candidates.
var epilogueFunctions = []string{"gelu", "relu", "sigmoid", "silu", "tanh"}

// finishArg is the argument of a launch that stands for the epilogue's operands, of which there may be none.
const finishArg = "finish"

// Function is the expression as a C++ function of values of any type that has these operations: first the sums, then
// the operands.
func (e *Epilogue) Function() string {
	names := slices.Clone(e.Sums)
	for _, o := range e.Operands {
		names = append(names, o.Name)
	}
	return "template <class X>\n__device__ __forceinline__ X epilogue(X " + strings.Join(names, ", X ") +
		") {\n    return " + e.code + ";\n}\n"
}

// Paired reports whether an output is made of two sums.
func (e *Epilogue) Paired() bool { return len(e.Sums) == 2 }

// compileSums checks the names of the sums.
func (e *Epilogue) compileSums(n *notes, p *Problem) {
	if len(e.Sums) == 0 {
		e.Sums = []string{"sum"}
	}
	if len(e.Sums) > 2 {
		n.addf("epilogue.sums", "%d sums: expected one or two", len(e.Sums))
	}
	taken := slices.Concat(epilogueFunctions, epilogueWords, p.DimNames)
	for _, t := range p.Tensors {
		taken = append(taken, t.Name)
	}
	for i, name := range e.Sums {
		if CheckIdentifier(name) != nil || slices.Contains(taken, name) || slices.Contains(e.Sums[:i], name) {
			n.addf("epilogue.sums", "%q is not usable: expected a new identifier", name)
		}
	}
}

// epilogueWords have a meaning where the families' templates compute an epilogue.
var epilogueWords = []string{"X", "T", "row", "col", "columns", "end", "epilogue"}

func (p *Problem) compileEpilogue(n *notes) {
	if p.Epilogue == nil {
		return
	}
	out := slices.IndexFunc(p.Tensors, func(t Tensor) bool { return t.Role == "out" })
	if out < 0 || len(p.Tensors[out].Shape) != 2 {
		n.addf("epilogue", "expected an output of two axes")
		return
	}
	if len(p.Epilogue.Value) > maxEpilogue {
		n.addf("epilogue.value", "%d bytes: expected at most %d", len(p.Epilogue.Value), maxEpilogue)
		return
	}
	p.Epilogue.compileSums(n, p)
	r := &epilogueReader{tokens: epilogueTokens.FindAllString(p.Epilogue.Value, -1), problem: p,
		axes: p.Tensors[out].Shape, used: map[string]Operand{}, reads: map[string]bool{}}
	r.sum()
	switch {
	case r.err == nil && r.at < len(r.tokens):
		r.fail("unexpected %q", r.tokens[r.at])
	case r.err == nil:
		for _, name := range p.Epilogue.Sums {
			if !r.reads[name] {
				r.fail("it does not read %s", name)
			}
		}
	}
	n.add("epilogue.value", r.err)
	p.Epilogue.code = strings.Join(r.code, "")
	for _, t := range p.Tensors {
		if o, ok := r.used[t.Name]; ok {
			p.Epilogue.Operands = append(p.Epilogue.Operands, o)
		}
	}
}

// epilogueTokens are numbers, names, and anything else that is not blank, one by one.
var epilogueTokens = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*|\S`)

// epilogueReader translates an expression to C++, from left to right.
type epilogueReader struct {
	tokens  []string
	at      int
	depth   int
	problem *Problem
	axes    []string // of the output
	used    map[string]Operand
	reads   map[string]bool // sums
	code    []string
	err     error
}

func (r *epilogueReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.at = len(r.tokens)
}

func (r *epilogueReader) peek() string {
	if r.at < len(r.tokens) {
		return r.tokens[r.at]
	}
	return ""
}

// take accepts the next token, which is one of some.
func (r *epilogueReader) take(some ...string) bool {
	if !slices.Contains(some, r.peek()) || r.peek() == "" {
		return false
	}
	r.at++
	return true
}

// sum reads terms with + and - between them.
func (r *epilogueReader) sum() { r.list(r.product, "+", "-") }

func (r *epilogueReader) product() { r.list(r.factor, "*", "/") }

func (r *epilogueReader) list(part func(), signs ...string) {
	part()
	for r.err == nil && r.take(signs...) {
		r.code = append(r.code, " "+r.tokens[r.at-1]+" ")
		part()
	}
}

// maxEpilogueDepth bounds how deep brackets lie in each other.
const maxEpilogueDepth = 32

func (r *epilogueReader) factor() {
	if r.depth++; r.depth > maxEpilogueDepth {
		r.fail("more than %d brackets in each other", maxEpilogueDepth)
		return
	}
	defer func() { r.depth-- }()
	token := r.peek()
	switch r.at++; {
	case token == "":
		r.fail("it ends too early")
	case token == "(":
		r.bracket("(")
	case slices.Contains(r.problem.Epilogue.Sums, token):
		r.reads[token], r.code = true, append(r.code, token)
	case slices.Contains(epilogueFunctions, token):
		if !r.take("(") {
			r.fail("%s is a function: expected %s(...)", token, token)
			return
		}
		r.bracket(token + "(")
	case token[0] >= '0' && token[0] <= '9':
		r.number(token)
	default:
		r.operand(token)
	}
}

func (r *epilogueReader) bracket(open string) {
	r.code = append(r.code, open)
	r.sum()
	if r.err == nil && !r.take(")") {
		r.fail("expected )")
	}
	r.code = append(r.code, ")")
}

func (r *epilogueReader) number(token string) {
	if v, err := strconv.ParseFloat(token, 32); err != nil || v == 0 && strings.Trim(token, "0.") != "" {
		r.fail("%s is no number of fp32", token)
		return
	}
	if !strings.Contains(token, ".") {
		token += ".0"
	}
	r.code = append(r.code, "X("+token+"f)")
}

// operand reads an input whose axes are those of the output, or one of them, or of one element.
func (r *epilogueReader) operand(name string) {
	i := slices.IndexFunc(r.problem.Tensors, func(t Tensor) bool { return t.Name == name && t.Role == "in" })
	if i < 0 {
		r.fail("%q is neither %s, nor an input, nor a function: %s", name, strings.Join(r.problem.Epilogue.Sums, " or "),
			strings.Join(epilogueFunctions, ", "))
		return
	}
	t := r.problem.Tensors[i]
	o := Operand{Name: name, CType: t.CType()}
	switch shape := t.Shape; {
	case slices.Equal(shape, r.axes):
		o.Index = "size_t(row) * columns + col"
	case len(shape) == 1 && shape[0] == r.axes[1]:
		o.Index = "col"
	case len(shape) == 1 && shape[0] == r.axes[0]:
		o.Index = "row"
	case len(shape) == 1 && shape[0] == "1":
		o.Index = "0"
	default:
		r.fail("%s has the shape %v: expected %v, one of these alone, or [1]", name, shape, r.axes)
		return
	}
	r.used[name] = o
	r.code = append(r.code, name)
}

// expandEpilogue puts the operands in the place of the argument that stands for them, unless that is the name of
// something.
func (p *Problem) expandEpilogue(spec PlanSpec, scope expr.Scope) {
	_, taken := scope.With(p.dimScope())[finishArg]
	if taken || slices.ContainsFunc(p.Tensors, func(t Tensor) bool { return t.Name == finishArg }) {
		return
	}
	var names []string
	if p.Epilogue != nil {
		for _, o := range p.Epilogue.Operands {
			names = append(names, o.Name)
		}
	}
	for i, l := range spec.Launches {
		if at := slices.Index(l.Args, finishArg); at >= 0 {
			spec.Launches[i].Args = slices.Replace(slices.Clone(l.Args), at, at+1, names...)
		}
	}
}
