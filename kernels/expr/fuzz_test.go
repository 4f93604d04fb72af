package expr

import (
	"errors"
	"fmt"
	"testing"
)

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"a / b % zero", "mma == 'x' ? a : b", "a in [1, 2]", "1..100000000", "map(1..9, # * 2)",
		"device.sms",
		"repeat('x', 1000000000)", "'a' matches '(a*)*b'", "((((((((((a))))))))))", "a ?? $env['b']", "min(a, b, 1)",
		"-----a", "let x = 1; x", "{a: 1}.a", "`x`", "a[0:1]", "if on { 1 } else { 2 }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := CompileAny(s, testScope)
		if err != nil {
			var ee *Error
			if !errors.As(err, &ee) || ee.Error() == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		v, err := e.Value(testEnv)
		if err == nil && fmt.Sprintf("%T", v) != e.kind {
			t.Fatalf("%s gives %T, not %s", s, v, e.kind)
		}
		for _, n := range e.Names() {
			if _, ok := testScope[n]; !ok {
				t.Fatalf("%s reads %s", s, n)
			}
		}
	})
}
