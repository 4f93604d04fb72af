package kernels

import (
	"encoding/json"
	"errors"
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
