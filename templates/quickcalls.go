package templates

import "cmp"

// until is the first argument that is taken for truth, or the last. Those after it are not looked at.
func until(truth bool) func(*sheet, []operand) (any, bool) {
	return func(s *sheet, args []operand) (v any, ok bool) {
		for _, arg := range args {
			if v, ok = arg(s); !ok || holds(v) == truth {
				break
			}
		}
		return v, ok
	}
}

// equalsAny reports whether the first argument equals one of the others.
func equalsAny(s *sheet, args []operand) (any, bool) {
	v, ok := args[0](s)
	found := false
	for _, arg := range args[1:] {
		w, known := arg(s)
		c, alike := compare(v, w)
		ok, found = ok && known && alike, found || c == 0
	}
	return found, ok
}

func compared(is func(int) bool) func(*sheet, []operand) (any, bool) {
	return func(s *sheet, args []operand) (any, bool) {
		v, ok := args[0](s)
		w, known := args[1](s)
		c, alike := compare(v, w)
		return is(c), ok && known && alike
	}
}

// ordered is compared, of what has an order.
func ordered(is func(int) bool) func(*sheet, []operand) (any, bool) {
	by := compared(is)
	return func(s *sheet, args []operand) (any, bool) {
		if v, ok := args[0](s); !ok || v == true || v == false {
			return nil, false
		}
		return by(s, args)
	}
}

// compare compares two values of one kind; ok is false for others.
func compare(v, w any) (c int, ok bool) {
	switch v := v.(type) {
	case int:
		w, ok := w.(int)
		return cmp.Compare(v, w), ok
	case string:
		w, ok := w.(string)
		return cmp.Compare(v, w), ok
	case bool:
		w, ok := w.(bool)
		if v != w {
			c = 1
		}
		return c, ok
	}
	return 0, false
}
