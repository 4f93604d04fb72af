package source

// classKey finds the struct, class, union or enum of a declaration that begins with one, behind specifiers.
func (d *declarations) classKey(at, to int) (int, bool) {
	for ; at < to && d.tokens[at].kind == word; at++ {
		if d.is(at, "struct", "class", "union", "enum") {
			return at, true
		}
		if d.is(at, "operator") {
			break
		}
	}
	return 0, false
}

// classBody reads the definition of a class or enum; ok says that it is one, or declares one.
func (d *declarations) classBody(key, to int, h *head) (next int, ok bool, err error) {
	name, at, err := d.className(key, to)
	if err != nil || at < 0 {
		return 0, false, err
	}
	if d.is(at, ";") && !h.explicit {
		return at + 1, true, nil
	}
	for d.is(at, ":") || at < to && at > key+1 && d.bases(at) {
		at++
	}
	if !d.is(at, "{") || h.explicit {
		return 0, false, nil
	}
	if !d.is(key, "enum") {
		if err := d.list(at+1, d.match[at], name); err != nil {
			return 0, true, err
		}
	} else if err := d.constant(at); err != nil {
		return 0, true, err
	}
	return d.behind(key, d.match[at]+1, to, h)
}

// className reads what is between the keyword of a class and its bases: alignment, the name, arguments of a template.
// end is where it ends; -1: it is no class, but a variable or a function of one, as in struct A b.
func (d *declarations) className(key, to int) (name string, end int, err error) {
	at := key + 1
	for d.is(at, "alignas", "__align__", "class", "struct") {
		if at++; d.is(at, "(") {
			if err := d.quiet(at); err != nil {
				return "", 0, err
			}
			at = d.match[at] + 1
		}
	}
	name = "a type without a name"
	if at < to && d.tokens[at].kind == word {
		name = d.tokens[at].text
	}
	for ; at < to && d.bases(at); at++ {
		if d.tokens[at].kind == word && at > key+1 && d.tokens[at-1].kind == word && !d.is(at, "final") &&
			!d.is(at-1, "class", "struct") {
			return name, -1, nil
		}
	}
	return name, at, nil
}

// bases reports whether a token may stand in a class's name or among its bases.
func (d *declarations) bases(at int) bool {
	t := d.tokens[at]
	return t.kind == word || t.kind == number || d.is(at, "::", "<", ">", ">>", ",")
}

// behind reads what a class's definition declares besides the class.
func (d *declarations) behind(key, at, to int, h *head) (int, bool, error) {
	if d.is(at, ";") {
		return at + 1, true, nil
	}
	for i := h.from; i < key; i++ {
		h.words = append(h.words, d.tokens[i].text)
	}
	end, err := d.statement(at, to)
	if err == nil && !h.has("typedef") && (!h.device() || h.has("__global__")) {
		err = refuse(d.tokens[at].line, "a variable of a class that is defined with it: expected ;")
	}
	return end, true, err
}
