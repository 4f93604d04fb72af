package kernels

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func FuzzParseProblem(f *testing.F) {
	f.Add([]byte(problemTOML))
	f.Add([]byte("name = 1"))
	f.Add([]byte(strings.Repeat("[", 1000)))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseProblem("problem.toml", b)
		var ms Mistakes
		if err != nil && (!errors.As(err, &ms) || len(ms) == 0 || p != nil) {
			t.Fatalf("%T %v", err, err)
		}
		if err != nil {
			return
		}
		for _, w := range p.Workloads { // what was accepted can be evaluated at its own sizes
			if _, err := p.Buffers(w.Dims, p.DTypes[0]); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzParseFamily(f *testing.F) {
	f.Add([]byte(familyTOML))
	f.Add([]byte(genesTOML([]string{"values = [1, 2]\ndefault = 1"})))
	f.Add([]byte(tiled(f, `"tile", "64"`, "128")))
	f.Add([]byte("arch = \"sm_80\"\ngene = [{name=\"a\"},{}]"))
	p := mustProblem(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		fam, err := ParseFamily("tile.toml", "tile", b, p)
		var ms Mistakes
		if err != nil && (!errors.As(err, &ms) || len(ms) == 0 || fam != nil) {
			t.Fatalf("%T %v", err, err)
		}
		if err != nil {
			return
		}
		env, err := fam.Env(fam.Defaults(), hopper(t), FP16)
		if err != nil {
			return // a let may divide by zero there
		}
		j := Job{Plan: fam.Plan, Env: env}
		_, _ = j.Resolve(p.Workloads[0].Dims)
	})
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{"a / b % zero", "mma == 'x' ? a : b", "a in [1, 2]", "1..100000000", "map(1..9, # * 2)", "device.sms",
		"repeat('x', 1000000000)", "'a' matches '(a*)*b'", "((((((((((a))))))))))", "a ?? $env['b']", "min(a, b, 1)", "-----a", "let x = 1; x", "{a: 1}.a", "`x`", "a[0:1]", "if on { 1 } else { 2 }"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := CompileAny(s, testScope)
		if err != nil {
			var ee *ExprError
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

func FuzzValueJSON(f *testing.F) {
	for _, s := range []string{"1", "true", `"x"`, "null", "1e5", "-0", `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v, back Value
		if json.Unmarshal(b, &v) != nil {
			return
		}
		out, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &back); err != nil || back != v {
			t.Fatalf("%s became %v, %s, %v (%v)", b, v, out, back, err)
		}
	})
}
