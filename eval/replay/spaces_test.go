package replay

import (
	"context"
	_ "embed"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

//go:embed testdata/toy.toml
var toyTOML string

func TestSpacesAreTheRecordedPoints(t *testing.T) {
	r := small()
	f := kernelstest.Family(t, "f", toyTOML)
	spaces, err := r.Spaces([]*kernels.Family{f})
	if err != nil {
		t.Fatal(err)
	}
	ev, err := New(r, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := spaces[0]
	if s.Len() != r.Len() {
		t.Fatalf("%d points, %d recorded", s.Len(), r.Len())
	}
	for i := range s.Len() {
		res, err := ev.Evaluate(context.Background(), job(s.Genome(s.At(i))))
		if err != nil || res.Outcome == kernels.Unsupported {
			t.Errorf("%s: %v %v", s.Genome(s.At(i)).Key(), res.Outcome, err)
		}
		for _, n := range s.Neighbors(i) {
			if n < 0 || n >= s.Len() || n == i {
				t.Errorf("neighbour %d of %d", n, i)
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	missing := kernels.Point{0, 1, 1} // tile 8 with async was not recorded
	if i, ok := s.Repair(missing, rng); !ok || i < 0 || i >= s.Len() {
		t.Errorf("repaired to %d %v", i, ok)
	}
	if _, err := r.Spaces(nil); err == nil {
		t.Error("accepted a problem without the family")
	}
	if _, err := r.Spaces([]*kernels.Family{kernelstest.Family(t, "f",
		strings.Replace(toyTOML, "[8, 16]", "[8, 32]", 1))}); err == nil {
		t.Error("accepted a family of another version")
	}
}

func TestAddRecordsCandidates(t *testing.T) {
	f := kernelstest.Family(t, "f", toyTOML)
	times := func(v float64) []kernels.Timing {
		return []kernels.Timing{{Workload: "l", Median: 2 * v, Lo: v, Hi: 3 * v}, {Workload: "s", Median: v, Lo: v, Hi: v}}
	}
	candidate := func(tile int, r kernels.Result) *kernels.Candidate {
		return &kernels.Candidate{Variant: kernels.Variant{Family: "f",
			Genes: kernels.Genome{"tile": kernels.Int(tile), "loader": kernels.String("plain")}}, Result: r,
			At: time.Date(2026, 11, 21, 17, 54, 8, 984533000, time.UTC)}
	}
	r := small()
	r.Families = nil
	for _, c := range []*kernels.Candidate{
		candidate(8, kernels.Result{Outcome: kernels.OK, Times: times(7.1234567), Code: "c1",
			Cost: kernels.Cost{Compile: 1, Time: 2}}),
		candidate(16, kernels.Result{Outcome: kernels.Duplicate, Code: "c1"}),
		candidate(16, kernels.Result{Outcome: kernels.Lost}),
		{Variant: kernels.Variant{Source: "own"}, Result: kernels.Result{Outcome: kernels.OK}},
	} {
		if err := r.Add(f, c); err != nil {
			t.Fatal(err)
		}
	}
	for format, want := range map[string]string{"t4": `"times":{"benchmark":2000,"compilation":1000,`,
		"kerneltuner": `"compile_time":1000`} {
		var b strings.Builder
		if err := r.Convert(&b, format, "s", false); err != nil || !strings.Contains(b.String(), want) ||
			!strings.Contains(b.String(), `"timestamp":"2026-11-21T17:54:08.984533+00:00"`) {
			t.Errorf("%s: %v: no %s, or no time, in %s", format, err, want, b.String())
		}
	}
	got, err := Open(packed(t, r))
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{7.1235, 7.1235, 7.1235, 14.247, 7.1235, 21.37}
	if got.Len() != 2 || !reflect.DeepEqual(got.Families[0].Times[0], want) ||
		!reflect.DeepEqual(got.Families[0].Times[1], want) {
		t.Errorf("%+v", got.Families)
	}
	if err := r.Add(f, candidate(16, kernels.Result{Outcome: kernels.Duplicate, Code: "never"})); err == nil {
		t.Error("recorded a duplicate of nothing")
	}
	if err := r.Add(f, candidate(16, kernels.Result{Outcome: kernels.OK, Times: times(1)[:1]})); err == nil {
		t.Error("recorded a candidate without all times")
	}
}

// TestAFewThousandPointsAreSmall keeps the shipped file small: random times cannot be squeezed, real
// ones can.
func TestAFewThousandPointsAreSmall(t *testing.T) {
	r := small()
	rng := rand.New(rand.NewPCG(1, 2))
	f := Family{Name: "f", Outcomes: []kernels.Outcome{kernels.OK}}
	for i := range 4 {
		g := Gene{Name: string(rune('a' + i))}
		for v := range 8 {
			g.Values = append(g.Values, kernels.Int(v))
		}
		f.Genes = append(f.Genes, g)
	}
	for i := range 4000 {
		v := 1e5 * rng.Float64()
		f.Configs = append(f.Configs, []int{i & 7, i >> 3 & 7, i >> 6 & 7, i >> 9})
		f.Status, f.Cost = append(f.Status, 0), append(f.Cost, rng.Float64())
		f.Times = append(f.Times, []float64{v, v * 0.999, v * 1.001, 2 * v, v * 1.998, v * 2.002})
	}
	r.Families = []Family{f}
	if n := len(packed(t, r)); n > 300<<10 {
		t.Errorf("%d bytes for 4000 points", n)
	}
}

func TestShipped(t *testing.T) {
	if _, err := Shipped("no such problem"); err == nil {
		t.Error("found a recording of nothing")
	}
	for _, name := range ShippedNames() {
		if r, err := Shipped(name); err != nil || r.Problem != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}
