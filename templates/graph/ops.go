package graph

import (
	_ "embed" // the table of operators
	"math"

	"github.com/pelletier/go-toml/v2"
)

// operator is a function of numbers, element by element: a row of operators.toml.
type operator struct {
	Name  string   `toml:"name"`
	Torch []string `toml:"torch"`
	Args  int      `toml:"args"`
	Ints  bool     `toml:"ints"`  // integers from small integers
	Same  bool     `toml:"same"`  // nothing is rounded
	Far   bool     `toml:"far"`   // the truth takes e(terms) first
	Exact string   `toml:"exact"` // body over floats a, b, c
	Fast  string   `toml:"fast"`  // the same, faster; empty: there is none
	Truth string   `toml:"truth"` // body over Num
}

//go:embed operators.toml
var operatorTable []byte

// operators are all of them by name, byTorch by the names of ATen.
var operators, byTorch = readOperators()

func readOperators() (byName, byTorch map[string]*operator) {
	var table struct {
		Operator []operator `toml:"operator"`
	}
	if err := toml.Unmarshal(operatorTable, &table); err != nil { // embedded
		panic(err)
	}
	byName, byTorch = map[string]*operator{}, map[string]*operator{}
	for i := range table.Operator {
		op := &table.Operator[i]
		byName[op.Name] = op
		if op.Torch == nil {
			op.Torch = []string{op.Name}
		}
		for _, name := range op.Torch {
			byTorch[name] = op
		}
	}
	return byName, byTorch
}

func one(f func(float64) float64) func([]float64) float64 {
	return func(x []float64) float64 { return f(x[0]) }
}

// values are the operators in Go: what finds the number that adds nothing to a sum, and what tests compare with.
var values = map[string]func(x []float64) float64{
	"relu": one(func(x float64) float64 { return max(x, 0) }), "abs": one(math.Abs),
	"neg":     one(func(x float64) float64 { return -x }),
	"maximum": func(x []float64) float64 { return math.Max(x[0], x[1]) },
	"minimum": func(x []float64) float64 { return math.Min(x[0], x[1]) },
	"clamp":   func(x []float64) float64 { return math.Min(math.Max(x[0], x[1]), x[2]) },
	"add":     func(x []float64) float64 { return x[0] + x[1] },
	"sub":     func(x []float64) float64 { return x[0] - x[1] },
	"mul":     func(x []float64) float64 { return x[0] * x[1] },
	"div":     func(x []float64) float64 { return x[0] / x[1] },
	"pow":     func(x []float64) float64 { return math.Pow(x[0], x[1]) },
	"exp":     one(math.Exp), "expm1": one(math.Expm1), "log": one(math.Log), "log1p": one(math.Log1p),
	"log2": one(math.Log2), "sqrt": one(math.Sqrt), "rsqrt": one(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	"exp2": one(math.Exp2), "log10": one(math.Log10), "erfc": one(math.Erfc),
	"tan": one(math.Tan), "asin": one(math.Asin), "acos": one(math.Acos), "atan": one(math.Atan),
	"sinh": one(math.Sinh), "cosh": one(math.Cosh), "asinh": one(math.Asinh),
	"floor": one(math.Floor), "ceil": one(math.Ceil), "trunc": one(math.Trunc), "round": one(math.RoundToEven),
	"sign": one(sign),
	"sin":  one(math.Sin), "cos": one(math.Cos), "erf": one(math.Erf), "tanh": one(math.Tanh), "sigmoid": one(sigmoid),
	"leaky_relu": leaky, "silu": one(func(x float64) float64 { return x * sigmoid(x) }),
	"gelu":        one(func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x*math.Sqrt2/2)) }),
	"gelu_tanh":   one(geluTanh),
	"elu":         func(x []float64) float64 { return expm1Below(x[0], x[1]) },
	"selu":        one(func(x float64) float64 { return 1.0507009873554805 * expm1Below(x, 1.6732632423543772) }),
	"hardsigmoid": one(hardSigmoid),
	"hardswish":   one(func(x float64) float64 { return x * hardSigmoid(x) }),
	"softplus":    func(x []float64) float64 { return softplus(x[0], x[1], x[2]) },
	"softsign":    one(func(x float64) float64 { return x / (1 + math.Abs(x)) }),
	"mish":        one(func(x float64) float64 { return x * math.Tanh(softplus(x, 1, 40)) }),
	"eq":          truthOf(func(a, b float64) bool { return a == b }),
	"ne":          truthOf(func(a, b float64) bool { return a != b }),
	"lt":          truthOf(func(a, b float64) bool { return a < b }),
	"le":          truthOf(func(a, b float64) bool { return a <= b }),
	"gt":          truthOf(func(a, b float64) bool { return a > b }),
	"ge":          truthOf(func(a, b float64) bool { return a >= b }),
	"logical_and": truthOf(func(a, b float64) bool { return a != 0 && b != 0 }),
	"logical_or":  truthOf(func(a, b float64) bool { return a != 0 || b != 0 }),
	"logical_not": truthOf(func(a, _ float64) bool { return a == 0 }),
	"where":       where,
	"smooth_l1":   smoothL1, "xlogy": xlogy, "center": func(x []float64) float64 { return x[0] - x[1] },
}

func truthOf(f func(a, b float64) bool) func([]float64) float64 {
	return func(x []float64) float64 {
		if f(x[0], x[len(x)-1]) {
			return 1
		}
		return 0
	}
}

func where(x []float64) float64 {
	if x[0] != 0 {
		return x[1]
	}
	return x[2]
}

func sign(x float64) float64 {
	if x == 0 || math.IsNaN(x) {
		return x
	}
	return math.Copysign(1, x)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func hardSigmoid(x float64) float64 { return math.Min(math.Max((x+3)/6, 0), 1) }

func geluTanh(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

func leaky(x []float64) float64 {
	if x[0] > 0 {
		return x[0]
	}
	return x[0] * x[1]
}

func softplus(x, beta, threshold float64) float64 {
	if x*beta > threshold {
		return x
	}
	return math.Log1p(math.Exp(x*beta)) / beta
}

func expm1Below(x, scale float64) float64 {
	if x > 0 {
		return x
	}
	return scale * math.Expm1(x)
}

func smoothL1(x []float64) float64 {
	if d := math.Abs(x[0]); d >= x[1] {
		return d - x[1]/2
	}
	return x[0] * x[0] / 2 / x[1]
}

func xlogy(x []float64) float64 {
	if x[0] == 0 {
		return 0
	}
	return x[0] * math.Log(x[1])
}
