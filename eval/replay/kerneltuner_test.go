package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
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

func numbers(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

// TestNested: brackets in strings do not count, whatever is before their quotes.
func TestNested(t *testing.T) {
	for text, want := range map[string]int{"": 0, "[]": 1, `{"a":[[]],"b":{}}`: 3, `["[[[\"[[", "\\", []]`: 2, "[[[": 3,
		"]]][": 0, `"[`: 0} {
		if nested([]byte(text)) != want {
			t.Errorf("%s: %d, want %d", text, nested([]byte(text)), want)
		}
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
		"deep":        {strings.Repeat("[", 200_000), "nested deeper than 64"},
		"deep inside": {`{"tune_params":{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}`, "nested deeper"},
		"many values": {`{"tune_params_keys":["a"],"tune_params":{"a":[` + numbers(300) + `]}}`, "at most 255 values"},
		"a long value": {`{"tune_params_keys":["a"],"tune_params":{"a":[[` + numbers(2000) + `]]}}`,
			"tune_params: a: "},
		"a long value of a row": {`{"tune_params_keys":["a"],"tune_params":{"a":[1]},"cache":{"x":{"a":[` + numbers(2000) +
			`]}}}`, "expected at most 4096"},
		"a name for a terminal": {`{"tune_params_keys":["\u001b"],"tune_params":{"\u001b":[1]},"cache":{}}`,
			`tune_params_keys: "\x1b" is not one printable line`},
		"a value for a terminal": {`{"tune_params_keys":["a"],"tune_params":{"a":["\u001b"]},"cache":{}}`,
			`tune_params: a: "\x1b" is not one printable line`},
		"T4 name for a terminal": {`{"results":[{"configuration":{"\u001b":1},"invalidity":"compile"}]}`,
			`results[0].configuration: "\x1b" is not`},
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
