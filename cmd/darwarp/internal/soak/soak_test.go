package soak

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
)

func id(n byte) (x kernels.ID) {
	x[0] = n
	return x
}

func verdict(n byte, o kernels.Outcome) evolve.Event {
	return evolve.Event{Kind: evolve.KindResult, ID: id(n),
		Candidate: &kernels.Candidate{ID: id(n), Result: kernels.Result{Outcome: o}}}
}

func TestLedger(t *testing.T) {
	l := NewLedger()
	for _, e := range []evolve.Event{
		{Kind: evolve.KindChampion, ID: id(1), Score: 1}, verdict(1, kernels.OK), verdict(2, kernels.OK),
		verdict(2, kernels.OK), verdict(3, kernels.Wrong),
		{Kind: evolve.KindLost}, {Kind: evolve.KindChampion, ID: id(2), Score: 0.5},
		{Kind: evolve.KindChampion, ID: id(1), Score: 0.75},
	} {
		l.Hear(e)
	}
	stored := []byte{1, 2, 4}
	twice, missing, untold, err := l.Audit(func(f func(kernels.Candidate) error) error {
		for _, n := range stored {
			if err := f(kernels.Candidate{ID: id(n)}); err != nil {
				return err
			}
		}
		return nil
	})
	if twice != 1 || missing != 1 || untold != 1 || err != nil {
		t.Errorf("twice %d, missing %d, untold %d, %v: expected one each", twice, missing, untold, err)
	}
	fallen := kernels.Trial{ID: id(1)}
	fallen.Enter(kernels.Doubt{Part: kernels.TrialFresh, Verdict: kernels.Failed, Outcome: kernels.Suspect})
	// slower, and right
	for _, e := range []evolve.Event{{Kind: evolve.KindTrial, ID: id(1), Trial: &fallen},
		{Kind: evolve.KindChampion, ID: id(3), Score: 0.9}} {
		l.Hear(e)
	}
	if w := l.Worse(); len(w) != 1 || !strings.Contains(w[0], "0.7500 after 0.5000") {
		t.Errorf("worse: %q", w)
	}
	if l.Lost != 1 || l.Champions != 4 || l.Outcomes[kernels.Wrong] != 1 {
		t.Errorf("%+v", l)
	}
}

// TestGPUMemory: a device worker that is away half of the time is not a leak, however its absences fall; contexts that
// are left behind are.
func TestGPUMemory(t *testing.T) {
	for _, tt := range []struct {
		name string
		away [4]int // of ten samples in each quarter: without a device worker
		more int64  // bytes, in the last quarter
		bad  bool
	}{
		{"mostly away early on", [4]int{5, 7, 5, 2}, 0, false},
		{"mostly away at the end", [4]int{5, 2, 5, 7}, 0, false},
		{"one more at times", [4]int{5, 5, 5, 5}, 600 << 20, false},
		{"contexts are left behind", [4]int{5, 5, 5, 5}, 1200 << 20, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			samples := line(100, 0)
			for i := range samples {
				samples[i].GPUMemory = 1200 << 20
				if i%10 < tt.away[i/10] {
					samples[i].GPUMemory = 600 << 20
				}
				if i >= 30 {
					samples[i].GPUMemory += tt.more
				}
			}
			for _, x := range Trends(samples) {
				if x.Name == "GPU memory" && x.Bad != tt.bad || x.Name != "GPU memory" && x.Bad {
					t.Errorf("%+v", x)
				}
			}
		})
	}
}

// line makes samples whose figures begin at base and grow by step.
func line(base, step float64) []Sample {
	var out []Sample
	for i := range 40 {
		v := base + step*float64(i)
		out = append(out, Sample{At: time.Duration(i) * time.Second, Evals: 10 * i, RSS: int(v * (1 << 20)), FDs: int(v),
			Goroutines: int(v), Workers: 4, GPUMemory: int64(v * (1 << 20))})
	}
	return out
}

func TestTrends(t *testing.T) {
	for _, tt := range []struct {
		name       string
		base, step float64
		bad        []string
	}{
		{"flat", 100, 0, nil},
		{"a little", 100, 0.1, nil},
		{"shrinks", 100, -1, nil},
		{"leaks", 100, 3, []string{"supervisor memory", "open files", "goroutines"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var bad []string
			for _, x := range Trends(line(tt.base, tt.step)) {
				if x.Bad {
					bad = append(bad, x.Name)
				}
			}
			if strings.Join(bad, ",") != strings.Join(tt.bad, ",") {
				t.Errorf("%q, expected %q", bad, tt.bad)
			}
		})
	}
	if got := Trends(line(1, 1)[:7]); got != nil {
		t.Errorf("trends of 7 samples: %v", got)
	}
}

// TestRates: verdicts that come in bursts, as they do where endless loops hold the device, make a rate less certain.
func TestRates(t *testing.T) {
	stream := func(counts ...int) (out []Sample) {
		n := 0
		for i := range 120 {
			out = append(out, Sample{At: time.Duration(i) * time.Second, Evals: n})
			n += counts[i%len(counts)]
		}
		return out
	}
	for _, tt := range []struct {
		name         string
		samples      []Sample
		rate, chance float64
	}{
		{"steady", stream(10), 10, 0},
		{"in turn", stream(9, 11), 10, 0.31},
		{"bursts", stream(30, 30, 30, 0, 0, 0, 0, 0, 0), 10, 10.7},
	} {
		early, late, chance := Rates(tt.samples)
		if math.Abs(early-tt.rate) > 1.5 || math.Abs(late-tt.rate) > 1.5 || math.Abs(chance-tt.chance) > 0.2*tt.chance+1e-9 {
			t.Errorf("%s: %.2f, then %.2f, chance %.3f, expected %.2f and %.3f", tt.name, early, late, chance,
				tt.rate, tt.chance)
		}
	}
	slower := stream(10)
	for i := 60; i < 120; i++ {
		slower[i].Evals = slower[59].Evals + 8*(i-59)
	}
	if early, late, chance := Rates(slower); late >= 0.95*early-chance {
		t.Errorf("a fifth slower: %.2f, then %.2f, chance %.3f", early, late, chance)
	}
	if _, _, chance := Rates(stream(10)[:12]); chance < 10 {
		t.Errorf("12 samples say something: chance %.3f", chance)
	}
}

// told is an evaluator that keeps the sources it was given.
type told struct {
	Pool
	sources map[kernels.ID][]string
}

func (d *told) Evaluate(_ context.Context, job *kernels.Job) (kernels.Result, error) {
	d.sources[job.ID] = append(d.sources[job.ID], job.Source)
	return kernels.Result{}, nil
}

func TestSaboteur(t *testing.T) {
	const source = "__device__ int f() { return 1; }\nextern \"C\" __global__ void __launch_bounds__(256) k(float* x, " +
		"int n) {\n  x[0] = n;\n}\n"
	d := &told{sources: map[kernels.ID][]string{}}
	s := NewSaboteur(d, 0.25, 7)
	ask := func(i int) {
		job := &kernels.Job{ID: kernels.ID{byte(i), byte(i >> 8)}, Source: source}
		if _, err := s.Evaluate(context.Background(), job); err != nil || job.Source != source {
			t.Fatalf("%v; the job became %q", err, job.Source)
		}
	}
	const n = 2000
	for i := range n {
		ask(i)
	}
	for i := range n {
		ask(i) // those that had none may get one now; those that had one have the same
	}
	planted, counts := s.Planted(), map[string]int{}
	for id, sources := range d.sources {
		what := planted[id]
		counts[what]++
		if last := sources[1]; (last != source) != (what != "") || what != "" && !strings.Contains(last, "int n) {") {
			t.Fatalf("%s: %q", what, last)
		}
		if sources[0] != source && sources[0] != sources[1] {
			t.Fatalf("asked again with another fault: %q", sources)
		}
	}
	if got := n - counts[""]; got < 780 || got > 970 { // 1 - 0.75^2 of them
		t.Errorf("%d of %d planted", got, n)
	}
	for _, f := range faults {
		if counts[f.name] < 30 {
			t.Errorf("%s: planted %d times", f.name, counts[f.name])
		}
	}
}
