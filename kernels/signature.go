package kernels

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Signature is what the module that a problem was made of takes and gives otherwise than its kernels do.
type Signature struct {
	Numbers []Constant `toml:"numbers,omitempty" json:"numbers,omitempty"`
	Scalars []string   `toml:"scalars,omitempty" json:"scalars,omitempty"` // tensors without axes: kernels have ["1"]
	Long    []string   `toml:"long,omitempty" json:"long,omitempty"`       // outputs of int64: kernels have int32
}

// Constant is an argument of the module that is no tensor: its value is part of the kernels.
type Constant struct {
	At    int    `toml:"at" json:"at"` // among the module's arguments, from 0
	Name  string `toml:"name" json:"name"`
	Value string `toml:"value" json:"value"` // as JSON: a number, a bool, a string or null
}

// maxArguments is how many arguments a module has at most, and maxConstant how long a value is.
const (
	maxArguments = 256
	maxConstant  = 256
)

// checkSignature refuses what cannot be handed to who calls kernels in the module's place.
func (p *Problem) checkSignature(n *notes) {
	s := p.Reference.Module
	if s == nil {
		return
	}
	for i, c := range s.Numbers {
		key, before := fmt.Sprintf("reference.module.numbers[%d]", i), -1
		if i > 0 {
			before = s.Numbers[i-1].At
		}
		if c.At <= before || c.At >= maxArguments {
			n.addf(key+".at", "%d: expected places in their order, from 0 to %d", c.At, maxArguments-1)
		}
		if CheckIdentifier(c.Name) != nil {
			n.addf(key+".name", "%s: expected an identifier", quoted(c.Name))
		}
		if !isConstant(c.Value) {
			n.addf(key+".value", "%s: expected a number, a bool, a string or null as JSON", quoted(c.Value))
		}
	}
	p.checkOfModule(n, "scalars", s.Scalars, func(t *Tensor) bool { return slices.Equal(t.Shape, []string{"1"}) },
		"tensors of shape [\"1\"]")
	p.checkOfModule(n, "long", s.Long, func(t *Tensor) bool { return t.Role == "out" && t.DType == I32 },
		"outputs of int32")
}

// isConstant reports whether a text is one plain value in JSON.
func isConstant(text string) bool {
	var v any
	if CheckLine(text, maxConstant) != nil || json.Unmarshal([]byte(text), &v) != nil {
		return false
	}
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// checkOfModule refuses names of tensors other than those that fit.
func (p *Problem) checkOfModule(n *notes, key string, names []string, fits func(*Tensor) bool, expected string) {
	for i, name := range names {
		at := slices.IndexFunc(p.Tensors, func(t Tensor) bool { return t.Name == name })
		if at < 0 || !fits(&p.Tensors[at]) || slices.Contains(names[:i], name) {
			n.addf(fmt.Sprintf("reference.module.%s[%d]", key, i), "%s: expected %s, each at most once", quoted(name), expected)
		}
	}
}
