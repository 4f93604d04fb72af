package graph

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"darwarp/kernels"
	"darwarp/kernels/expr"
)

// cut shortens a text that others wrote for a message of one line.
func cut(s string) string {
	if len(s) > 60 {
		s = s[:60] + "..."
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}

func fresh(taken map[string]bool, name, what string) error {
	if kernels.CheckIdentifier(name) != nil || len(name) > kernels.MaxName || taken[name] {
		return fmt.Errorf("%s %q: expected a new identifier", what, cut(name))
	}
	taken[name] = true
	return nil
}

// refs lists the nodes and tensors that arguments read.
func refs(args []Arg) (out []string) {
	for _, a := range args {
		if a.kind == 'r' {
			out = append(out, a.Ref)
		}
		out = append(out, refs(a.List)...)
	}
	return out
}

// size is the value of an expression of dims at the scored sizes.
func (g *Graph) size(text string) (int, error) {
	if n := plainLength(text); n >= 0 {
		return n, nil
	}
	if n, ok := g.sizes[text]; ok {
		return n, nil
	}
	scope, env := expr.Scope{}, expr.Env{}
	for name, v := range g.sizes {
		scope[name], env[name] = 0, v
	}
	e, err := expr.CompileInt(text, scope)
	if err != nil {
		return 0, err
	}
	return e.Int(env)
}

// product is an expression for the product of lengths.
func product(lengths []string) string {
	var out []string
	for _, l := range lengths {
		if l != "1" {
			out = append(out, bracket(l))
		}
	}
	if len(out) == 0 {
		return "1"
	}
	return strings.Join(out, " * ")
}

// bracket keeps an expression whole where it is a factor.
func bracket(text string) string {
	if kernels.CheckIdentifier(text) == nil || strings.Trim(text, "0123456789") == "" {
		return text
	}
	return "(" + text + ")"
}

func texts(shape []Extent) []string {
	out := make([]string, len(shape))
	for i, e := range shape {
		out[i] = strings.TrimSpace(string(e))
	}
	return out
}

func numeral(n int) string { return fmt.Sprint(n) }

func sortedKeys(m map[string]Arg) []string { return slices.Sorted(maps.Keys(m)) }

// pythonNumber writes integers as such.
func pythonNumber(v float64) string {
	if math.IsInf(v, 0) {
		return "float('" + fmt.Sprint(v) + "')"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	if v == 1<<63 { // the end of a slice that has none: 2^63 - 1, which floats do not hold
		return strconv.Itoa(math.MaxInt64)
	}
	return fmt.Sprint(v)
}
