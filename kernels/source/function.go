package source

import (
	"slices"
	"strings"
)

// head is what decides whose code a declaration is.
type head struct {
	class    string // that it is a member of, or empty
	line     int
	from     int      // its first token
	explicit bool     // template without parameters: makes code of a template
	words    []string // outside of brackets
	params   bool     // it has parameters, or what looks like them
	list     [2]int   // their parentheses
	name     string   // before these
	operator bool
	init     []token // behind =
	value    bool    // it has an initial value
	body     [2]int  // of a function: its braces
	absent   bool    // = default or = delete
}

func (h *head) has(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(h.words, w) })
}

func (h *head) device() bool {
	return h.has("__device__", "__global__", "__constant__", "__shared__", "__managed__")
}

// notParams take parentheses that are not a function's.
var notParams = []string{"alignas", "__align__", "__launch_bounds__", "__cluster_dims__", "__maxnreg__",
	"__block_size__", "noexcept", "decltype", "explicit"}

// scan reads a declaration that is neither a class nor a namespace, and returns where it ends.
func (d *declarations) scan(at, to int, h *head) (int, error) {
	members := false // of a constructor, behind :
	for ; at < to; at++ {
		t := d.tokens[at]
		var err error
		switch {
		case t.is(";"):
			return at + 1, nil
		case t.is("operator"):
			h.operator = true
			at, err = d.operatorName(at)
		case d.is(at, assembly...):
			return 0, refuse(t.line, "%s is not expected outside of functions", t.text)
		case t.kind == word:
			h.words = append(h.words, t.text)
		case t.is("("):
			at, err = d.parentheses(at, h, members)
		case t.is("["):
			at, err = d.brackets(at)
		case t.is(":"):
			members = h.params
		case t.is("="):
			return d.initial(at, to, h)
		case t.is("{") && members && at > h.from && d.tokens[at-1].kind == word:
			at, err = d.match[at], d.constant(at)
		case t.is("{") && h.params:
			h.body = [2]int{at, d.match[at]}
			return d.match[at] + 1, nil
		case t.is("{"):
			h.value = true
			at, err = d.match[at], d.constant(at)
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, refuse(h.line, "a declaration without its end")
}

// parentheses skips those of parameters, of specifiers, or of a member's initial value.
func (d *declarations) parentheses(at int, h *head, members bool) (int, error) {
	if err := d.quiet(at); err != nil {
		return 0, err
	}
	if at == h.from {
		return 0, refuse(h.line, "( at the beginning of a declaration")
	}
	if before := d.tokens[at-1]; !slices.ContainsFunc(notParams, before.is) && !members {
		if !h.params && before.kind == word {
			h.name = before.text
		}
		if !h.params {
			h.list = [2]int{at, d.match[at]}
		}
		h.params = true
	}
	return d.match[at], nil
}

// operatorName skips what follows the word operator.
func (d *declarations) operatorName(at int) (int, error) {
	switch at++; {
	case d.is(at, "new", "delete") || at < len(d.tokens) && d.tokens[at].kind == text:
		return 0, refuse(d.tokens[at].line, "operator %s is not allowed", d.tokens[at].text)
	case d.is(at, "("), d.is(at, "["):
		return d.match[at], nil
	case at < len(d.tokens) && d.tokens[at].kind == mark && !d.is(at, ";", "{", "}", ")", "]"):
		return at, nil
	}
	return at - 1, nil // to a type
}

// initial reads what follows = and returns where the declaration ends.
func (d *declarations) initial(at, to int, h *head) (int, error) {
	h.value = true
	for i := at + 1; i < to; i++ {
		t := d.tokens[i]
		switch {
		case t.is(";"):
			h.init = d.tokens[at+1 : i]
			h.absent = len(h.init) == 1 && d.is(at+1, "default", "delete") && h.params
			return i + 1, nil
		case t.is("("), t.is("["), t.is("{"):
			if err := d.constant(i); err != nil {
				return 0, err
			}
			i = d.match[i]
		}
	}
	return 0, refuse(h.line, "a declaration without its end")
}

// constant refuses functions without a name, statements and assembly within an initial value.
func (d *declarations) constant(at int) error {
	for i := at; i <= d.match[at]+1 && i < len(d.tokens); i++ {
		if d.is(i, assembly...) || i < d.match[at] && d.is(i, ";") ||
			d.is(i, "]") && d.is(i+1, "(", "{", "->", "mutable", "constexpr") {
			return refuse(d.tokens[i].line, "%s is not expected in a value outside of functions", d.tokens[i].text)
		}
	}
	return nil
}

// decide refuses a declaration that a compiler could make code of the host of.
func (d *declarations) decide(h *head, next int) error {
	switch {
	case h.device():
		if h.has("__global__") && h.name != "" && !slices.Contains(d.out.Kernels, h.name) {
			d.out.Kernels = append(d.out.Kernels, h.name)
			d.out.Signatures[h.name] = d.signature(h.line, h.list)
		}
		if h.body[1] > 0 && !h.has("__global__") && (d.c > 0 || h.has("extern")) {
			return refuse(h.line, "%s: extern \"C\" is for kernels: nvcc gives the host a function of the name", h.name)
		}
		return nil
	case h.explicit, h.has("extern"):
	case h.has("constexpr", "consteval"), h.has("typedef") && h.body[1] == 0 && !h.value:
		for i := h.body[0]; i < h.body[1]; i++ {
			if d.is(i, assembly...) {
				return refuse(d.tokens[i].line, "assembly in a function that is not __device__")
			}
		}
		return nil
	case h.literal():
		return nil
	case h.class != "" && (h.absent || !h.params && !h.operator && !h.has("static", "inline")):
		return nil
	}
	return refuse(h.line, "%s is code of the host, or a variable of it: expected __device__, __global__ or constexpr",
		spell(d.tokens[h.from:min(next, h.from+12)]))
}

// integers are the words of a constant of a built-in type.
var integers = strings.Fields("const static int unsigned signed long short char bool float double size_t")

// literal reports whether a declaration is a constant whose value has no words: nothing is left to compute.
func (h *head) literal() bool {
	name := 0
	for _, w := range h.words {
		if !slices.Contains(integers, w) {
			name++
		}
	}
	return h.has("const") && name == 1 && h.value && !h.params && len(h.init) > 0 &&
		!slices.ContainsFunc(h.init, func(t token) bool {
			operator := t.kind == mark && strings.Contains("+-*/()<<>>|&~", t.text)
			return t.kind != number && !t.is("true") && !t.is("false") && !operator
		})
}
