package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
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
"64,1.5,False,a b":{"block size":64,"x":1.5,"vector":false,"mode":"a b","time":NaN,"__error__":"TimeoutFailedConfig"},
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
			want := map[kernels.Outcome]int{kernels.OK: 1, kernels.CompileFailed: 1, kernels.Crashed: 1, kernels.Invalid: 2,
				kernels.TimedOut: 1}
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
			if s, err := r.Spaces([]*kernels.Family{family}); err != nil || s[0].Len() != 6 {
				t.Errorf("%v %v", s, err)
			}
		})
	}
}

// TestKernelTunersOwn reads the cache and the T4 results that Kernel Tuner wrote of one run (testdata/kerneltuner.py),
// and writes them in its shape: the same configurations under the same names, the same keys beside them.
func TestKernelTunersOwn(t *testing.T) {
	records := map[string]*Record{}
	for _, name := range []string{"cache", "t4"} {
		text, err := os.ReadFile("testdata/kerneltuner." + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		r := opened(t, string(text))
		f := &r.Families[0]
		got := map[kernels.Outcome]int{}
		for i := range f.Configs {
			got[f.Outcomes[f.Status[i]]]++
		}
		if want := map[kernels.Outcome]int{kernels.OK: 20, kernels.CompileFailed: 8}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: outcomes %v, want %v", name, got, want)
		}
		records[name] = r
	}
	for format, file := range map[string]string{"kerneltuner": "cache", "t4": "t4"} {
		theirs, err := os.ReadFile("testdata/kerneltuner." + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var ours bytes.Buffer
		if err := records[file].Convert(&ours, format, "", false); err != nil {
			t.Fatal(err)
		}
		got, want := shape(t, ours.Bytes()), shape(t, theirs)
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if !got[key] && !strings.HasPrefix(key, "/objective") { // the schema of caches asks for one, and it is written so
				t.Errorf("%s: no %s", format, key)
			}
		}
		for key := range got {
			if strings.HasPrefix(key, "/cache/") && strings.Count(key, "/") == 2 && !want[key] {
				t.Errorf("%s: a configuration that theirs does not have: %s", format, key)
			}
		}
	}
}

// shape is the set of a JSON text's keys with the kinds of what they hold. The keys that Kernel Tuner writes
// for its own failures are taken for time, where the schema of its caches has them.
func shape(t *testing.T, text []byte) map[string]bool {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		out[fmt.Sprintf("%s %T", path, v)] = true
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				if key == "__error__" {
					key = "time"
				}
				walk(path+"/"+key, inner)
			}
		case []any:
			for _, inner := range v {
				walk(path+"[]", inner)
			}
		}
	}
	walk("", v)
	return out
}

// TestKernelTunerGoesOn: Kernel Tuner takes tune_params in the order of tune_params_keys only, names a
// configuration by Python's text of its values, and goes on writing where it has cut off three bytes.
func TestKernelTunerGoesOn(t *testing.T) {
	const text = `{"device_name":"X","kernel_name":"k","problem_size":1,"tune_params_keys":["z","a"],"tune_params":{"a":[1e-5,0.25,1e16,12345678.5],"z":[1048576,3]},
"cache":{"1048576,0.25":{"z":1048576,"a":0.25,"time":1},"3,1e-05":{"z":3,"a":1e-5,"time":1},"3,1e16":{"z":3,"a":1e16,"time":1},"3,12345678.5":{"z":3,"a":12345678.5,"time":1}}}`
	var b bytes.Buffer
	if err := opened(t, text).Convert(&b, "kerneltuner", "", false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tune_params":{"z":[1048576,3],"a":[`, `"1048576,0.25":{`, `"3,1e-05":{`,
		`"3,10000000000000000":{`, `"3,12345678.5":{`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	text2 := strings.TrimSpace(b.String())
	if !json.Valid([]byte(text2)) || !json.Valid([]byte(text2[:len(text2)-3]+`,"x":{"time":1}}}`)) {
		t.Errorf("cannot be gone on with: ...%s", text2[len(text2)-40:])
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"not JSON": {"{\n\"a\": ]", "line 2: "},
		"something else": {`{"a":1}`, "expected \"darwarp-space/1\" under the key format (darwarp), or the key " +
			"tune_params_keys"},
		"empty": {`{"tune_params_keys":["a"],"tune_params":{"a":[1]},"cache":{}}`, "no configuration"},
		"strange value": {`{"tune_params_keys":["a"],"tune_params":{"a":[1]},"cache":{"2":{"a":2,"time":1}}}`,
			`cache: "2": a is 2: expected one of its values in tune_params`},
		"nothing worked": {`{"tune_params_keys":["a"],"tune_params":{"a":[1]},"cache":{"1":{"a":1,"time":"InvalidConfig"}}}`,
			"no configuration worked"},
		"no parameters": {`{"tune_params_keys":[],"tune_params":{},"cache":{"":{"time":1}}}`, "0 genes"},
		"no values": {`{"tune_params_keys":["a"],"tune_params":{},"cache":{"1":{"a":1,"time":1}}}`,
			`tune_params: "a" has no values`},
		"wrong kind": {`{"tune_params_keys":"a","tune_params":{},"cache":{}}`,
			"key tune_params_keys: found a string, expected a list"},
		"T4 word": {`{"results":[{"configuration":{"a":1},"times":{},"invalidity":"slow","correctness":1}]}`,
			`results[0].invalidity "slow": expected correct, timeout`},
		"T4 without time": {`{"results":[{"configuration":{"a":1},"times":{},"invalidity":"correct","correctness":1}]}`,
			"results[0].measurements: a correct configuration without a time"},
		"T4 strange unit": {`{"results":[{"configuration":{"a":1},"times":{},"invalidity":"correct","correctness":1,` +
			`"measurements":[{"name":"time","value":1,"unit":"h"}]}]}`, `results[0].measurements: time in "h"`},
		"T4 other keys": {`{"results":[{"configuration":{"a":1},"times":{},"invalidity":"compile","correctness":1},` +
			`{"configuration":{"b":1},"times":{},"invalidity":"compile","correctness":1}]}`, "results[1].configuration: 1 " +
			"parameters: expected the same ones"},
		"T4 no config": {`{"results":[{"configuration":7,"times":{},"invalidity":"compile","correctness":1}]}`,
			"results[0].configuration: expected an object"},
		"T4 future": {`{"schema_version":"2.0.0","results":[]}`, `schema_version "2.0.0": expected 1.0.0`},
		"T4 empty":  {`{"results":[]}`, "no configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open([]byte(c.text))
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: expected one line with %q", err, c.want)
			}
		})
	}
}

const t4Text = `{"schema_version":"1.0.0","metadata":{"timeunit":"seconds"},"results":[
{"configuration":{"z":16,"a":"x"},"times":{"compilation":1,"framework":0.5,"runtimes":[0.002,0.004]},"invalidity":"correct","correctness":1,"objectives":["time"]},
{"configuration":{"z":8,"a":"x"},"times":{"compilation_time":2,"benchmark":1},"invalidity":"correct","correctness":1,"measurements":[{"name":"time","value":2.5,"unit":"miliseconds"}]},
{"configuration":{"z":8,"a":"y"},"times":{"compilation":1},"invalidity":"timeout","correctness":0},
{"configuration":{"z":16,"a":"y"},"times":{},"invalidity":"correctness","correctness":0},
{"configuration":{"z":32,"a":"y"},"times":{},"invalidity":"compile","correctness":0},
{"configuration":{"z":32,"a":"x"},"times":{},"invalidity":"runtime","correctness":0},
{"configuration":{"z":64,"a":"x"},"times":{},"invalidity":"constraints","correctness":0},
{"configuration":{"z":64,"a":"x"},"times":{},"invalidity":"constraints","correctness":0}]}`

func TestT4(t *testing.T) {
	r, err := Open([]byte(t4Text))
	if err != nil {
		t.Fatal(err)
	}
	f := &r.Families[0]
	if f.Genes[0].Name != "p_z" || f.Genes[0].Values[0] != kernels.Int(8) {
		t.Errorf("genes %v: expected z first, its numbers ascending", f.Genes)
	}
	got := map[string]kernels.Outcome{}
	for i := range f.Configs {
		got[f.genome(i).Key()] = f.Outcomes[f.Status[i]]
	}
	want := map[string]kernels.Outcome{
		"p_a=vx p_z=16": kernels.OK, "p_a=vx p_z=8": kernels.OK, "p_a=vy p_z=8": kernels.TimedOut,
		"p_a=vy p_z=16": kernels.Wrong,
		"p_a=vy p_z=32": kernels.CompileFailed, "p_a=vx p_z=32": kernels.Crashed, "p_a=vx p_z=64": kernels.Invalid,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
	if f.Times[0][0] != 2.5e6 || f.Cost[0] != 3 || f.Times[2][0] != 3e6 || f.Cost[2] != 1.506 {
		t.Errorf("times %v, costs %v", f.Times, f.Cost)
	}
}

// converted writes a record in a format and reads it again.
func converted(t testing.TB, r *Record, format, workload string) *Record {
	t.Helper()
	var b bytes.Buffer
	if err := r.Convert(&b, format, workload, format == "t4"); err != nil {
		t.Fatal(err)
	}
	again, err := Open(b.Bytes())
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", format, err, b.String())
	}
	return again
}

// TestConvert takes every kind of recording through every format: configurations, outcomes, times and
// costs are those that were.
func TestConvert(t *testing.T) {
	for name, read := range map[string]func() *Record{
		"kerneltuner": func() *Record { return opened(t, ktText) },
		"t4":          func() *Record { return opened(t, t4Text) },
		"darwarp":     small,
	} {
		for _, format := range Formats {
			t.Run(name+" to "+format, func(t *testing.T) {
				was := read()
				workload := was.Workloads[0].Name
				if got, want := rowsOf(t, converted(t, was, format, workload), workload),
					rowsOf(t, was, workload); !slices.Equal(got, want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

func opened(t testing.TB, text string) *Record {
	t.Helper()
	r, err := Open([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rowsOf are the configurations in the words of their source, sorted, with what was recorded of them.
func rowsOf(t testing.TB, r *Record, workload string) []string {
	t.Helper()
	if len(r.Workloads) == 1 {
		workload = ""
	}
	x, err := r.table(workload)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range x.rows {
		line := ""
		for i, p := range x.params {
			line += fmt.Sprintf("%s=%v ", p.name, p.values[row.values[i]])
		}
		out = append(out, line+fmt.Sprintf("%s %.4g %.4g %.4g %.3g", row.outcome, row.median, row.lo, row.hi, row.cost))
	}
	slices.Sort(out)
	return out
}

func TestConvertRefuses(t *testing.T) {
	for name, c := range map[string]struct{ format, workload, want string }{
		"two workloads": {"t4", "", `workload "": expected one of s, l`},
		"no workload":   {"kerneltuner", "x", `workload "x": expected one of s, l`},
		"no format":     {"csv", "s", `format "csv": expected one of darwarp, kerneltuner, t4`},
	} {
		t.Run(name, func(t *testing.T) {
			err := small().Convert(io.Discard, c.format, c.workload, false)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: expected %s", err, c.want)
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
	f.Add([]byte(t4Text))
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
				res, err := ev.Evaluate(context.Background(), &kernels.Job{Variant: kernels.Variant{Family: fam.Name,
					Genes: fam.genome(k)}})
				if err != nil || res.Outcome != fam.Outcomes[fam.Status[k]] {
					t.Fatalf("config %d: %v %v", k, res.Outcome, err)
				}
			}
		}
		if _, err := Open(packed(t, r)); err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		for _, format := range Formats[1:] {
			reopen(t, r, format)
		}
	})
}

// reopen reads what a record is converted to.
func reopen(t *testing.T, r *Record, format string) {
	t.Helper()
	var b bytes.Buffer
	if r.Convert(&b, format, r.Workloads[0].Name, false) != nil {
		return // refused with a reason
	}
	again, err := Open(b.Bytes())
	if err != nil && !strings.Contains(err.Error(), "no configuration worked") &&
		!strings.Contains(err.Error(), "at most") {
		t.Fatalf("%s: %v", format, err)
	}
	if err == nil && again.Len() != r.Len() {
		t.Fatalf("%s: %d configurations, %d before", format, again.Len(), r.Len())
	}
}
