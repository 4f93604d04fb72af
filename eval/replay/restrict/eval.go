package restrict

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

var errDivideByZero = errors.New("division by zero")

func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return false
}

func numberOf(n node, env map[string]any) (float64, error) {
	v, err := n(env)
	if err != nil {
		return 0, err
	}
	return number(v)
}

func number(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	}
	return 0, fmt.Errorf("%v is not a number", v)
}

// arithmetic is exact for integers below 2^53, which is where parameters are.
func arithmetic(op string, a, b float64) (any, error) {
	switch {
	case b == 0 && (op == "/" || op == "//" || op == "%"):
		return nil, errDivideByZero
	case op == "&" || op == "|" || op == "^":
		return bits(op, a, b)
	}
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		return a / b, nil
	case "//":
		return math.Round((a - modulo(a, b)) / b), nil // exact, where a/b may have been rounded up
	case "%":
		return modulo(a, b), nil
	}
	if v := math.Pow(a, b); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return v, nil
	}
	return nil, fmt.Errorf("%v ** %v is no number", a, b)
}

// modulo has the sign of b.
func modulo(a, b float64) float64 {
	r := math.Mod(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

func bits(op string, a, b float64) (any, error) {
	if a != math.Trunc(a) || b != math.Trunc(b) || math.Abs(a) > 1<<53 || math.Abs(b) > 1<<53 {
		return nil, fmt.Errorf("%s of what is not an integer", op)
	}
	x, y := int64(a), int64(b)
	switch op {
	case "&":
		return float64(x & y), nil
	case "|":
		return float64(x | y), nil
	}
	return float64(x ^ y), nil
}

func equal(a, b any) bool {
	x, errA := number(a)
	y, errB := number(b)
	if errA == nil && errB == nil {
		return x == y
	}
	p, okA := a.([]any)
	q, okB := b.([]any)
	if okA || okB {
		return okA && okB && slices.EqualFunc(p, q, equal)
	}
	return a == b
}

func compare(op string, a, b any) (bool, error) {
	switch op {
	case "==":
		return equal(a, b), nil
	case "!=":
		return !equal(a, b), nil
	case "in", "not in":
		list, ok := b.([]any)
		if !ok {
			return false, fmt.Errorf("in needs a list on its right, as in x in [1, 2, 4]")
		}
		return slices.ContainsFunc(list, func(v any) bool { return equal(a, v) }) == (op == "in"), nil
	}
	c := 0
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		if !ok {
			return false, fmt.Errorf("%q cannot be compared with %v", s, b)
		}
		c = strings.Compare(s, t)
	} else {
		x, err := number(a)
		if err != nil {
			return false, err
		}
		y, err := number(b)
		if err != nil {
			return false, err
		}
		if c = -1; x > y {
			c = 1
		} else if x == y {
			c = 0
		}
	}
	return map[string]bool{"<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op], nil
}

var functions = map[string]func([]any) (any, error){
	"min":   extreme(func(a, b float64) bool { return a < b }),
	"max":   extreme(func(a, b float64) bool { return a > b }),
	"abs":   unary(math.Abs),
	"int":   unary(math.Trunc),
	"round": unary(math.RoundToEven),
	"ceil":  unary(math.Ceil),
	"floor": unary(math.Floor),
	"len":   func(v []any) (any, error) { return ofList(v, func(l []any) any { return float64(len(l)) }) },
	"any": func(v []any) (any, error) {
		return ofList(v, func(l []any) any { return slices.ContainsFunc(l, truth) })
	},
	"all": func(v []any) (any, error) {
		return ofList(v, func(l []any) any { return !slices.ContainsFunc(l, func(x any) bool { return !truth(x) }) })
	},
	"sum": func(v []any) (any, error) {
		sum := 0.0
		list, err := arguments(v)
		for _, x := range list {
			sum += x
		}
		return sum, err
	},
}

func ofList(args []any, fn func([]any) any) (any, error) {
	if len(args) == 1 {
		if list, ok := args[0].([]any); ok {
			return fn(list), nil
		}
	}
	return nil, fmt.Errorf("expected one list")
}

func unary(fn func(float64) float64) func([]any) (any, error) {
	return func(v []any) (any, error) {
		if len(v) != 1 {
			return nil, fmt.Errorf("%d arguments: expected one", len(v))
		}
		x, err := number(v[0])
		return fn(x), err
	}
}

// arguments are numbers given one by one, or as one list.
func arguments(v []any) ([]float64, error) {
	if len(v) == 1 {
		if list, ok := v[0].([]any); ok {
			v = list
		}
	}
	out := make([]float64, len(v))
	for i := range v {
		x, err := number(v[i])
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func extreme(before func(a, b float64) bool) func([]any) (any, error) {
	return func(v []any) (any, error) {
		list, err := arguments(v)
		if err != nil || len(list) == 0 {
			return nil, fmt.Errorf("expected numbers")
		}
		best := list[0]
		for _, x := range list {
			if before(x, best) {
				best = x
			}
		}
		return best, nil
	}
}
