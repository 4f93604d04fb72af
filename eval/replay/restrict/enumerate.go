package restrict

import (
	"errors"
	"fmt"
	"slices"
)

// Param is a parameter with its values: float64, string, bool or nil.
type Param struct {
	Name   string
	Values []any
}

// maxSteps bounds the choices that an enumeration tries.
const maxSteps = 1 << 27

// Each calls yield with every configuration that meets all restrictions, as value indices by
// parameter, in ascending order, until it says false. A restriction is tried as soon as the last of its
// parameters is chosen. The indices are only valid during the call.
func Each(params []Param, restrictions []*Expr, yield func([]int) bool) error {
	e := &enumeration{params: params, due: make([][]*Expr, len(params)+1), config: make([]int, len(params)),
		env: map[string]any{}, yield: yield}
	for _, r := range restrictions {
		last := 0 // those that read none are due before the first choice
		for _, name := range r.Names() {
			i := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
			if i < 0 {
				return fmt.Errorf("restriction %s: no parameter %s", r.Text, name)
			}
			last = max(last, i+1)
		}
		e.due[last] = append(e.due[last], r)
	}
	if err := e.walk(0); !errors.Is(err, errStop) {
		return err
	}
	return nil
}

// Cartesian is the number of configurations without any restriction.
func Cartesian(params []Param) float64 {
	n := 1.0
	for _, p := range params {
		n *= float64(len(p.Values))
	}
	return n
}

var errStop = errors.New("stop")

type enumeration struct {
	params []Param
	due    [][]*Expr // by number of parameters chosen
	config []int
	env    map[string]any
	steps  int
	yield  func([]int) bool
}

func (e *enumeration) walk(i int) error {
	for _, r := range e.due[i] {
		if ok, err := r.Holds(e.env); err != nil || !ok {
			return err
		}
	}
	if i == len(e.params) {
		if !e.yield(e.config) {
			return errStop
		}
		return nil
	}
	for k, v := range e.params[i].Values {
		if e.steps++; e.steps > maxSteps {
			return fmt.Errorf("more than %d combinations tried: put the parameters of the strictest restrictions first",
				maxSteps)
		}
		e.config[i], e.env[e.params[i].Name] = k, v
		if err := e.walk(i + 1); err != nil {
			return err
		}
	}
	return nil
}
