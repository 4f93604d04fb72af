package kernels

import (
	"slices"

	"darwarp/kernels/expr"
)

// Problem says what is to be computed: the tensors, the sizes, how right is right, and what to be
// faster than. It is read from problem.toml; see docs/manual/problems.md for the format.
type Problem struct {
	Name      string     `toml:"name" json:"name"`
	About     string     `toml:"about" json:"about,omitempty"`
	DimNames  []string   `toml:"dims" json:"dims"`
	DTypes    []DType    `toml:"dtypes" json:"dtypes"` // the first is the default
	Flops     string     `toml:"flops" json:"flops"`   // expression over dims: operations of one call
	Bytes     string     `toml:"bytes" json:"bytes"`   // expression over dims and elem: least device-memory traffic
	Tensors   []Tensor   `toml:"tensor" json:"tensors"`
	Workloads []Workload `toml:"workload" json:"workloads"`
	Check     Check      `toml:"check" json:"check"`
	Reference Reference  `toml:"reference" json:"reference"`
	Baselines []Baseline `toml:"baseline" json:"baselines,omitempty"`
	Epilogue  *Epilogue  `toml:"epilogue,omitempty" json:"epilogue,omitempty"`
	// Fixed are dims whose values kernels are compiled for: a run's candidates have those of its workloads alone
	Fixed []string `toml:"fixed,omitempty" json:"fixed,omitempty"`
	// Packed is the most bytes that launches with `prepare` may make of the weights: an expression over their dims
	Packed string `toml:"packed,omitempty" json:"packed,omitempty"`

	readied
}

// readied is what a problem is worked with: its expressions, compiled, and what a run has of it.
type readied struct {
	exprs  problemExprs
	fixed  Fixed  // nil: all values of the problem
	scored []Dims // of the run's workloads; nil: any
}

// problemExprs are the expressions of a problem, compiled.
type problemExprs struct {
	flops, bytes, reduction *expr.Expr
	packed                  *expr.Expr     // nil: nothing may be packed
	shapes                  [][]*expr.Expr // by tensor
	drawn                   []drawnExprs   // by tensor
	grid, block             []*expr.Expr   // of the reference
	maker                   makerExprs
}

// Tensor is one array of a problem, dense and row-major.
type Tensor struct {
	Name  string   `toml:"name" json:"name"`
	Role  string   `toml:"role" json:"role"`                       // in or out
	DType DType    `toml:"dtype,omitempty" json:"dtype,omitempty"` // empty: the problem's chosen dtype
	Shape []string `toml:"shape" json:"shape"`                     // expressions over dims
	// Of an input: the least and the greatest number, whatever the input class, and how those between are drawn
	Range []Bound `toml:"range,omitempty" json:"range,omitempty"`
	Draw  Draw    `toml:"draw,omitempty" json:"draw,omitempty"`
	Also  *int    `toml:"also,omitempty" json:"also,omitempty"` // a number beside the range, which some have
	// Of a range of numbers that are not whole: where lines are of many classes they reach beyond it, a line at a time,
	// as far as this; and each has either sign
	Reach  []Bound `toml:"reach,omitempty" json:"reach,omitempty"`
	Signed bool    `toml:"signed,omitempty" json:"signed,omitempty"`
	Made   bool    `toml:"made,omitempty" json:"made,omitempty"` // an input that follows from others: see Maker
	// An input that stays the same over many calls, and that launches with `prepare` may pack beforehand
	Weights bool `toml:"weights,omitempty" json:"weights,omitempty"`
}

// CType is the C++ type of its elements where T is that of the problem's dtype.
func (t Tensor) CType() string {
	if t.DType == "" {
		return "T"
	}
	return t.DType.CType()
}

// Output is the first output: every problem that was read has one.
func (p *Problem) Output() (out Tensor) {
	for _, t := range slices.Backward(p.Tensors) {
		if t.Role == "out" {
			out = t
		}
	}
	return out
}

// Workload is one size that is scored.
type Workload struct {
	Name    string  `toml:"name" json:"name"`
	Dims    Dims    `toml:"dims" json:"dims"`
	Weight  float64 `toml:"weight,omitempty" json:"weight,omitempty"`   // 0 means 1
	Default bool    `toml:"default,omitempty" json:"default,omitempty"` // part of a search that names no workload
	Small   bool    `toml:"small,omitempty" json:"small,omitempty"`     // taken in its place by a device that emulates
}

// Check says how a candidate's outputs are judged.
type Check struct {
	// Terms summed per output element: K of the error model
	Reduction string `toml:"reduction" json:"reduction"`
	// Extra units in the last place for transcendental functions
	ULPs float64 `toml:"ulps,omitempty" json:"ulps,omitempty"`
	// RoundedTerms: the terms are computed numbers, rounded to the problem's dtype before they are added, as the
	// weights of attention are.
	RoundedTerms bool `toml:"rounded_terms,omitempty" json:"rounded_terms,omitempty"`
	// Operands: what the operands of products may be rounded to, where it is less than the problem's dtype: tf32.
	Operands DType `toml:"operands,omitempty" json:"operands,omitempty"`
	Whole
	// Types that sums may be kept in; default fp32 alone
	Accumulate []DType `toml:"accumulate,omitempty" json:"accumulate,omitempty"`
	// Where the terms of the sums lie; default: by the dims that Reduction reads
	Terms []Terms `toml:"terms,omitempty" json:"terms,omitempty"`
	// Small sizes that straddle tile edges
	Shapes []Dims `toml:"shapes" json:"shapes"`
	// What sizes each session draws beside them: see Range
	Draw map[string]any `toml:"draw,omitempty" json:"draw,omitempty"`
	// Input classes; empty: DefaultInputs
	Inputs []string `toml:"inputs,omitempty" json:"inputs,omitempty"`
	// Hard classes that do not apply: see Hard
	Without []string `toml:"without,omitempty" json:"without,omitempty"`
	// False: inf and NaN need not come through (default true)
	Special *bool `toml:"special,omitempty" json:"special,omitempty"`
	// False: no bit-exact test on small integers (default true)
	Exact *bool `toml:"exact,omitempty" json:"exact,omitempty"`
	// Two runs may differ within the tolerance
	Atomics bool `toml:"atomics,omitempty" json:"atomics,omitempty"`

	ranges map[string]Range
}

// Whole is what the bound on a whole output knows of its errors, and what scales hold.
type Whole struct {
	// Coherent: an error of one sum is in many outputs alike, as that of layernorm's mean is in its whole row.
	Coherent bool `toml:"coherent,omitempty" json:"coherent,omitempty"`
	// Scattered: what goes into those sums are sums itself, and those of normal inputs have errors that scatter: products
	// of matrices before a norm.
	Scattered bool `toml:"scattered,omitempty" json:"scattered,omitempty"`
	// Finished: outputs are worked out of the sums, and scales hold roundings of this as shares of the error of a sum of
	// all terms: that is allowed, too, where few of them count
	Finished bool `toml:"finished,omitempty" json:"finished,omitempty"`
}

// Reference is what tells the truth: a plain kernel, or a module of PyTorch. The kernel's parameters are: the inputs in
// order as const pointers, then for each output a double* value and a float* scale (the sum of the magnitudes of the
// terms), then the dims in order as int.
type Reference struct {
	Kind  string   `toml:"kind,omitempty" json:"kind,omitempty"` // KernelReference (also empty) or ModuleReference
	File  string   `toml:"file" json:"file"`
	Entry string   `toml:"entry,omitempty" json:"entry,omitempty"`
	Grid  []string `toml:"grid,omitempty" json:"grid,omitempty"`
	Block []string `toml:"block,omitempty" json:"block,omitempty"`
	Maker *Maker   `toml:"maker,omitempty" json:"maker,omitempty"` // nil: no input follows from others
	// Of a module, as `import torch` was told: its class, whether it is in evaluation, and in which precision
	Class     string `toml:"class,omitempty" json:"class,omitempty"`
	Eval      bool   `toml:"eval,omitempty" json:"eval,omitempty"`
	Precision string `toml:"precision,omitempty" json:"precision,omitempty"`
	// Of a problem that was made of a module, with either kind: nil where it takes and gives what kernels do
	Module *Signature `toml:"module,omitempty" json:"module,omitempty"`
}

// The kinds of a reference: a kernel in CUDA, and a file with a module of PyTorch, which is run in fp64.
const (
	KernelReference = "cuda"
	ModuleReference = "torch"
)

// IsModule reports whether a module of PyTorch tells the truth.
func (r *Reference) IsModule() bool { return r.Kind == ModuleReference }
