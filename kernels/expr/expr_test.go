package expr

import (
	"errors"
	"strings"
	"testing"
)

// device stands for kernels.Device.
type device struct {
	CC   int    `expr:"cc"`
	SMs  int    `expr:"sms"`
	Kind string `expr:"kind"`
	Name string `expr:"-"`
}

func (device) Label() string { return "" }

var testScope = Scope{"device": device{}, "elem": 0, "dtype": "", "a": 0, "b": 0, "zero": 0, "mma": "", "on": false}

var testEnv = Env{"a": 7, "b": -2, "zero": 0, "mma": "wmma", "on": true,
	"device": device{CC: 90, SMs: 132}, "elem": 2, "dtype": "fp16"}

func TestExprValues(t *testing.T) {
	for _, c := range []struct {
		text string
		want any
	}{
		{"a / 2", 3}, {"-a / 2", -3}, {"a % 4", 3}, {"-a % 4", -3}, {"2 * a / 4 * 4", 12},
		{"ceil_div(a, 2)", 4}, {"ceil_div(8, 2)", 4}, {"ceil_div(-7, 2)", -3}, {"ceil_div(7, -2)", -3},
		{"round_up(a, 4)", 8}, {"round_up(8, 4)", 8}, {"round_up(0, 4)", 0},
		{"min(a, b)", -2}, {"max(a, b, 9)", 9}, {"min(a)", 7}, {"abs(b)", 2}, {"min(max(1, a / b), 9)", 1},
		{"ceil_div(abs(a / b), 2)", 2}, {"max(min(a % 4, 9), 0)", 3}, {"div(a, 2)", 3}, {"mod(a, 2)", 1},
		{"on ? a : b", 7}, {"a > 3 ? (b > 0 ? 1 : 2) : 3", 2}, {"if on { 1 } else { 2 }", 1},
		{"mma == 'wmma'", true}, {"mma in ['fma', \"wmma\"]", true}, {"a not in [1, 2]", true},
		{"not on || a < 8 && b < 0", true}, {"!on", false}, {"mma == 'wmma' ? 'x' : 'y'", "x"},
		{"device.sms * elem", 264}, {"dtype == 'fp16'", true}, {"0x10 + 1_000", 1016},
		{"a\n\t + b", 5}, {"on == (a == 7)", true},
	} {
		t.Run(c.text, func(t *testing.T) {
			e, err := CompileAny(c.text, testScope)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := e.Value(testEnv); err != nil || got != c.want {
				t.Errorf("got %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

// caret is a message, an expression and where its caret stands.
func caret(message, text, mark string) string {
	return message + "\n    " + text + "\n    " + strings.Repeat(" ", strings.Index(text, mark)) + "^"
}

const grammarMessage = "not usable here: an expression has integers, names, words, comparisons, arithmetic " +
	"and a ? b : c"

func TestExprMistakes(t *testing.T) {
	long := strings.Repeat("a + ", maxLength/4) + "a"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "  ", "empty: expected an expression, as 2 * m * n"},
		{"too long", long, "expression longer than 2000 characters\n    " + long[:40] + "..."},
		{"unknown name", "2 * (a + blok_m)", caret("unknown name blok_m", "2 * (a + blok_m)", "blok_m")},
		{"unknown argument", "a % (2 * wraps)", caret("unknown name wraps", "a % (2 * wraps)", "wraps")},
		{"function as argument", "ceil_div(min, 2)",
			caret("cannot use func(int, ...int) int as argument (type int) to call ceil_div", "ceil_div(min, 2)", "min")},
		{"device in", "on && 'sms' in device", caret("in needs a list on its right, as in x in [1, 2, 4]",
			"on && 'sms' in device", "in d")},
		{"after a wide character", "mma == 'é' ? c : 1", "unknown name c\n    mma == 'é' ? c : 1\n    " +
			strings.Repeat(" ", 13) + "^"},
		{"second line", "a\n+ blok", caret("unknown name blok", "a + blok", "blok")},
		{"unfinished", "a +", "ends too early: expected a number, a name or a closing bracket\n    a +\n      ^"},
		{"open bracket", "(a", "ends too early: expected a number, a name or a closing bracket\n    (a\n     ^"},
		{"power", "a ** 2", caret("operator ** is not available", "a ** 2", "**")},
		{"decimal", "a + 1.5", caret("1.5 is not an integer: all arithmetic is on integers", "a + 1.5", "1.5")},
		{"range", "a in 1..100000000", caret("operator .. is not available", "a in 1..100000000", "..")},
		{"no list", "mma in mma", caret("invalid operation: in (mismatched types string and string)", "mma in mma", "in")},
		{"kinds", "mma == 5", caret("invalid operation: == (mismatched types string and int)", "mma == 5", "==")},
		{"field", "device.smem", caret("the device has no field smem: expected cc, sms, kind", "device.smem", "smem")},
		{"hidden field", "device.Name == 'x'", caret("the device has no field Name: expected cc, sms, kind",
			"device.Name == 'x'", "Name")},
		{"method", "device.Label() == 'x'", caret("not a function: expected one of ceil_div, round_up, min, max, abs",
			"device.Label() == 'x'", "Label")},
		{"struct", "device", "gives neither an integer, nor true or false, nor a string: expected an integer\n    device"},
		{"two kinds", "on ? a : mma", "gives neither an integer, nor true or false, nor a string: expected an integer\n   " +
			" on ? a : mma"},
		{"builtin", "len(mma)", caret("unknown name len", "len(mma)", "len")},
		{"predicate", "map([1], #)", caret(`unexpected "#"`, "map([1], #)", "#")},
		{"variable", "let x = a; x", caret(`unexpected ";"`, "let x = a; x", ";")},
		{"comment", "a > 1 // why && b", caret(`unexpected "//"`, "a > 1 // why && b", "//")},
		{"everything", "$env == $env", caret(`unexpected "$"`, "$env == $env", "$")},
		{"nil", "a == nil", caret(grammarMessage, "a == nil", "nil")},
		{"map", "{'a': 1} == {'a': 1}", caret(grammarMessage, "{'a': 1} == {'a': 1}", "{'a': 1} ==")},
		{"index", "[1, 2][0]", "only the device has fields, as in device.sms\n    [1, 2][0]\n          ^"},
		{"joined", "mma + mma", caret("strings cannot be joined", "mma + mma", "+")},
		{"pattern", "mma matches '(a*)*'", caret("operator matches is not available", "mma matches '(a*)*'", "matches")},
		{"list", "[a] == [b]", caret("a list is only usable on the right of in", "[a] == [b]", "==")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := CompileAny(c.text, testScope)
			if err == nil {
				t.Fatal("compiled")
			}
			if got := err.Error(); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			var ee *Error
			if !errors.As(err, &ee) {
				t.Errorf("%T is not an *Error", err)
			}
		})
	}
}

func TestExprWantsItsKind(t *testing.T) {
	if _, err := CompileInt("a > 1", testScope); err == nil ||
		err.Error() != "gives true or false: expected an integer\n    a > 1" {
		t.Errorf("CompileInt: %v", err)
	}
	if _, err := CompileBool("a + 1", testScope); err == nil ||
		err.Error() != "gives an integer: expected true or false\n    a + 1" {
		t.Errorf("CompileBool: %v", err)
	}
}

func TestExprDivisionByZero(t *testing.T) {
	for _, text := range []string{"a / zero", "a % zero", "ceil_div(a, zero)", "round_up(a, 0)", "1 + a / (zero * 2)"} {
		e, err := CompileInt(text, testScope)
		if err != nil {
			t.Fatal(err)
		}
		mark := strings.IndexAny(text, "/%r")
		if strings.HasPrefix(text, "ceil_div") {
			mark = 0
		}
		want := "division by zero\n    " + text + "\n    " + strings.Repeat(" ", mark) + "^"
		if _, err := e.Int(testEnv); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want\n%s", text, err, want)
		}
	}
}

func TestExprNames(t *testing.T) {
	e, err := CompileBool("b > a && device.sms * a > min(elem, 3)", testScope)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Names(), " "); got != "b a device elem" {
		t.Errorf("names: %s", got)
	}
}

func TestExprMissingName(t *testing.T) {
	e, err := CompileInt("a + 1", testScope)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Int(Env{}); err == nil {
		t.Error("evaluated without its variable")
	}
}
