package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

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
