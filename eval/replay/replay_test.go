package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// small is a record of one family with a gene that exists only sometimes, and two workloads.
func small() *Record {
	return &Record{
		Format: Format, Problem: "toy", DType: kernels.FP32, Cache: "cold",
		Workloads: []kernels.Workload{{Name: "s", Dims: kernels.Dims{"n": 1}, Weight: 1},
			{Name: "l", Dims: kernels.Dims{"n": 2}, Weight: 3}},
		Device: kernels.Device{Kind: "cuda", Name: "Test GPU", CC: 90}, Provenance: kernels.Provenance{Protocol: "1"},
		Families: []Family{{
			Name: "f",
			Genes: []Gene{{Name: "tile", Values: []kernels.Value{kernels.Int(8), kernels.Int(16)}},
				{Name: "loader", Values: []kernels.Value{kernels.String("plain"), kernels.String("async")}},
				{Name: "stages", Values: []kernels.Value{kernels.Int(2), kernels.Int(3)}}},
			Outcomes: []kernels.Outcome{kernels.OK, kernels.CompileFailed},
			Configs:  [][]int{{0, 0, -1}, {1, 0, -1}, {1, 1, 0}, {1, 1, 1}},
			Status:   []int{0, 0, 1, 0},
			Times:    [][]float64{{100, 99, 101, 200, 199, 201}, {50, 49, 51, 250, 249, 251}, {}, {40, 39, 41, 120, 119, 121}},
			Cost:     []float64{1, 2, 0.5, 3},
		}},
	}
}

func packed(t testing.TB, r *Record) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func job(genes kernels.Genome) *kernels.Job {
	return &kernels.Job{ID: kernels.ID{1}, Variant: kernels.Variant{Family: "f", Genes: genes}}
}

func TestRoundTrip(t *testing.T) {
	want := small()
	got, err := Open(packed(t, want))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if !bytes.Equal(a, b) {
		t.Errorf("got %s\nwant %s", b, a)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(r *Record)
		want   string
	}{
		{"format", func(r *Record) { r.Format = "darwarp-space/9" }, "format"},
		{"problem", func(r *Record) { r.Problem = "" }, "problem"},
		{"dtype", func(r *Record) { r.DType = "fp9" }, "dtype"},
		{"no workloads", func(r *Record) { r.Workloads = nil }, "workloads"},
		{"workload twice", func(r *Record) { r.Workloads[1].Name = "s" }, "there twice"},
		{"weight", func(r *Record) { r.Workloads[0].Weight = 0 }, "positive number"},
		{"no families", func(r *Record) { r.Families = nil }, "families"},
		{"no configurations", func(r *Record) { r.Families[0] = Family{Name: "f"} }, "configurations"},
		{"short config", func(r *Record) { r.Families[0].Configs[0] = []int{0} }, "expected 3"},
		{"value index", func(r *Record) { r.Families[0].Configs[0][0] = 2 }, "value index"},
		{"value index below", func(r *Record) { r.Families[0].Configs[0][0] = -2 }, "value index"},
		{"config twice", func(r *Record) { r.Families[0].Configs[1] = []int{0, 0, -1} }, "twice"},
		{"status", func(r *Record) { r.Families[0].Status[0] = 2 }, "status"},
		{"short status", func(r *Record) { r.Families[0].Status = nil }, "as many"},
		{"short code", func(r *Record) { r.Families[0].Code = []string{"x"} }, "code"},
		{"times of a failure", func(r *Record) { r.Families[0].Times[2] = []float64{1, 1, 1, 1, 1, 1} }, "with times"},
		{"missing times", func(r *Record) { r.Families[0].Times[0] = []float64{1, 1, 1} }, "times"},
		{"negative time", func(r *Record) { r.Families[0].Times[0][1] = -1 }, "0 < lo"},
		{"interval", func(r *Record) { r.Families[0].Times[0][2] = 1 }, "0 < lo"},
		{"cost", func(r *Record) { r.Families[0].Cost[0] = -1 }, "cost"},
		{"lost", func(r *Record) { r.Families[0].Outcomes[1] = kernels.Lost }, "not a verdict that can be recorded"},
		{"value twice", func(r *Record) { r.Families[0].Genes[0].Values[1] = kernels.Int(8) }, "twice"},
		{"a problem elsewhere", func(r *Record) { r.Problem = "../x" }, "problem"},
		{"a problem for a terminal", func(r *Record) { r.Problem = "\x1b[2J" }, "problem"},
		{"a family with a blank", func(r *Record) { r.Families[0].Name = "a b" }, "new name"},
		{"a gene with a blank", func(r *Record) { r.Families[0].Genes[0].Name = "a b" }, "new name"},
		{"a value for C", func(r *Record) { r.Families[0].Genes[0].Values[0] = kernels.String("1);") }, "a word"},
		{"a workload for CMake", func(r *Record) { r.Workloads[0].Name = "a)" }, "workload"},
		{"an architecture for CMake", func(r *Record) { r.Device.Arch = "sm_90 message(1)" }, "arch"},
		{"a proof's architecture", func(r *Record) { r.Provenance.Device.Arch = "x" }, "provenance: device.arch"},
		{"code of two lines", func(r *Record) { r.Families[0].Code = slices.Repeat([]string{"a\nb"}, 4) }, "code"},
		{"a name before", func(r *Record) { r.Families[0].Genes[0].Origin = &Origin{"\x1b", []any{1., 2.}} }, "new name"},
		{"a value before", func(r *Record) { r.Families[0].Genes[0].Origin = &Origin{"t", []any{"\n", 2.}} }, "printable"},
		{"a long value before", func(r *Record) {
			r.Families[0].Genes[0].Origin = &Origin{"t", []any{slices.Repeat([]any{1.}, maxValue), 2.}}
		}, "a value of"},
		{"size", func(r *Record) { r.Size = []byte("[" + strings.Repeat("1,", maxValue) + "1]") }, "size"},
		{"gene twice", func(r *Record) { r.Families[0].Genes[1].Name = "tile" }, "new name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := small()
			tt.damage(r)
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Open(text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v: expected an error about %q", err, tt.want)
			}
		})
	}
}

func TestOpenRefusesForms(t *testing.T) {
	good, err := json.Marshal(small())
	if err != nil {
		t.Fatal(err)
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range maxText>>20 + 1 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	for name, data := range map[string][]byte{
		"empty":         nil,
		"not JSON":      []byte("hello"),
		"no format":     []byte("{}"),
		"unknown key":   bytes.Replace(good, []byte(`"problem":`), []byte(`"problam":`), 1),
		"more after it": append(bytes.Clone(good), good...),
		"cut gzip":      packed(t, small())[:40],
		"gzip bomb":     bomb.Bytes(),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(data); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestEvaluate(t *testing.T) {
	ev, err := New(small(), nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		genes kernels.Genome
		want  kernels.Outcome
		first float64
	}{
		{"works", kernels.Genome{"tile": kernels.Int(16), "loader": kernels.String("plain")}, kernels.OK, 50},
		{"conditional gene", kernels.Genome{"tile": kernels.Int(16), "loader": kernels.String("async"),
			"stages": kernels.Int(3)}, kernels.OK, 40},
		{"failed", kernels.Genome{"tile": kernels.Int(16), "loader": kernels.String("async"), "stages": kernels.Int(2)},
			kernels.CompileFailed, 0},
		{"not recorded", kernels.Genome{"tile": kernels.Int(8), "loader": kernels.String("async"), "stages": kernels.Int(2)},
			kernels.Unsupported, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ev.Evaluate(context.Background(), job(tt.genes))
			if err != nil || r.Outcome != tt.want {
				t.Fatalf("%v %v, want %v", r.Outcome, err, tt.want)
			}
			if tt.first == 0 {
				if len(r.Times) != 0 || r.Detail == "" {
					t.Errorf("%+v", r)
				}
				return
			}
			if len(r.Times) != 2 || r.Times[0].Median != tt.first || r.Times[0].Tier != Tier || r.Times[0].Cache != "cold" ||
				r.Provenance != ev.Provenance().Key() {
				t.Errorf("%+v", r)
			}
		})
	}
	if d := ev.Device(); d.Kind != "replay" || d.Name != "Test GPU" {
		t.Errorf("device %+v", d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ev.Evaluate(ctx, job(nil)); err == nil {
		t.Error("a cancelled evaluation gave a verdict")
	}
}

func TestDuel(t *testing.T) {
	a := job(kernels.Genome{"tile": kernels.Int(8), "loader": kernels.String("plain")})
	b := job(kernels.Genome{"tile": kernels.Int(16), "loader": kernels.String("plain")})
	r := small()
	for _, tt := range []struct {
		name  string
		only  []kernels.Workload
		ratio float64
		want  kernels.Verdict
	}{
		{"all workloads", nil, math.Exp((math.Log(0.5) + 3*math.Log(1.25)) / 4), kernels.Faster},
		{"small", r.Workloads[:1], 0.5, kernels.Faster},
		{"large", r.Workloads[1:], 1.25, kernels.Slower},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, err := New(r, tt.only, 1)
			if err != nil {
				t.Fatal(err)
			}
			d, err := ev.Duel(context.Background(), a, b)
			if err != nil || math.Abs(d.Ratio-tt.ratio) > 1e-12 || d.Verdict != tt.want {
				t.Errorf("%+v %v, want %g %s", d, err, tt.ratio, tt.want)
			}
			if back, err := ev.Duel(context.Background(), a, a); err != nil || back.Verdict != kernels.Same {
				t.Errorf("with itself: %+v %v", back, err)
			}
		})
	}
	if _, err := New(r, []kernels.Workload{{Name: "other"}}, 1); err == nil {
		t.Error("accepted a workload that was not recorded")
	}
	ev, err := New(r, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ev.Duel(context.Background(), a, job(kernels.Genome{"tile": kernels.Int(99)})); err == nil {
		t.Error("a duel with what was not recorded")
	}
}
