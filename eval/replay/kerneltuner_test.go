package replay

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"darwarp/kernels"
)

const ktText = `{"device_name":"GPU X","kernel_name":"a kernel","problem_size":[1,2],
"tune_params_keys":["block size","x","vector","mode"],
"tune_params":{"block size":[32,64],"x":[0.5,1.5],"vector":[true,false],"mode":["a b","c"]},
"cache":{
"64,0.5,True,c":{"block size":64,"x":0.5,"vector":true,"mode":"c","time":2.5,"compile_time":1000,"benchmark_time":500},
"32,0.5,True,c":{"block size":32,"x":0.5,"vector":true,"mode":"c","time":"CompilationFailedConfig","compile_time":1000},
"32,1.5,True,c":{"block size":32,"x":1.5,"vector":true,"mode":"c","time":"RuntimeFailedConfig"},
"32,1.5,False,c":{"block size":32,"x":1.5,"vector":false,"mode":"c","time":1e20},
"32,1.5,False,a b":{"block size":32,"x":1.5,"vector":false,"mode":"a b","time":4,"__error__":"InvalidConfig"}`

func TestKernelTunerCache(t *testing.T) {
	for name, text := range map[string]string{"closed": ktText + "}}", "still being written": ktText + ",\n"} {
		t.Run(name, func(t *testing.T) {
			r, err := Open([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			f := r.Families[0]
			got := map[kernels.Outcome]int{}
			for i, s := range f.Status {
				got[f.Outcomes[s]]++
				if f.Outcomes[s] == kernels.OK && (f.Times[i][0] != 2.5e6 || f.Cost[i] != 1.5) {
					t.Errorf("time %g ns, cost %g s", f.Times[i][0], f.Cost[i])
				}
			}
			want := map[kernels.Outcome]int{kernels.OK: 1, kernels.CompileFailed: 1, kernels.Crashed: 1, kernels.Invalid: 2}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("outcomes %v, want %v", got, want)
			}
			p, err := kernels.ParseProblem("problem.toml", r.Bundle()["problem.toml"])
			if err != nil {
				t.Fatal(err)
			}
			family, err := kernels.ParseFamily("recorded.toml", "recorded", r.Bundle()["recorded.toml"], p)
			if err != nil {
				t.Fatal(err)
			}
			if d := family.Defaults()["p_block_size"]; d != kernels.Int(64) {
				t.Errorf("the default has block size %v: expected the first that worked", d)
			}
			if s, err := r.Spaces([]*kernels.Family{family}); err != nil || s[0].Len() != 5 {
				t.Errorf("%v %v", s, err)
			}
		})
	}
}

func TestKernelTunerRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          `{"tune_params_keys":["a"],"tune_params":{"a":[1]},"cache":{}}`,
		"strange value":  `{"tune_params_keys":["a"],"tune_params":{"a":[1]},"cache":{"2":{"a":2,"time":1}}}`,
		"nothing worked": `{"tune_params_keys":["a"],"tune_params":{"a":[1]},"cache":{"1":{"a":1,"time":"InvalidConfig"}}}`,
		"no parameters":  `{"tune_params_keys":[],"tune_params":{},"cache":{"":{"time":1}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open([]byte(text)); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// TestRecordedCaches reads real files when a developer has put them beside the project.
func TestRecordedCaches(t *testing.T) {
	for name, points := range map[string]int{"convolution_A100": 4362, "pnpoly_RTX3090": 4092} {
		data, err := os.ReadFile("../../../shared/data/spaces/" + name + ".json.gz")
		if os.IsNotExist(err) {
			t.Skipf("NOT RUN: no %s in shared/data/spaces: get it from AutoTuningAssociation/benchmark_hub", name)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(data)
		if err != nil {
			t.Fatal(err)
		}
		if r.Len() != points {
			t.Errorf("%s: %d points, want %d", name, r.Len(), points)
		}
		again, err := Open(packed(t, r))
		if err != nil || again.Len() != points {
			t.Errorf("%s: written and read: %v", name, err)
		}
		if n := len(packed(t, r)); n > 300<<10 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}

func FuzzOpen(f *testing.F) {
	text, err := json.Marshal(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(ktText + "}}"))
	f.Add([]byte(ktText))
	f.Add(packed(f, small()))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Open(data)
		if err != nil {
			return
		}
		ev, err := New(r, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Families {
			fam := &r.Families[i]
			for k := range fam.Configs {
				res, err := ev.Evaluate(context.Background(), &kernels.Job{Variant: kernels.Variant{Family: fam.Name, Genes: fam.genome(k)}})
				if err != nil || res.Outcome != fam.Outcomes[fam.Status[k]] {
					t.Fatalf("config %d: %v %v", k, res.Outcome, err)
				}
			}
		}
		if _, err := Open(packed(t, r)); err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
	})
}
