package device

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/stats"
)

// Rules as on a GPU and as on the emulated one, but for the clock on the wall, which tests do not wait for.
var (
	patient = Rules{Singles: 3,
		Fitness: stats.Limits{Min: 15, Max: 40, Noise: 0.005, GPU: time.Second / 2, Wall: time.Hour, Behind: 5},
		Final:   stats.Limits{Min: 30, Max: 60, Noise: 0.002, GPU: time.Second / 2, Wall: time.Hour}}
	hurried = Rules{Hurried: true,
		Fitness: stats.Limits{Min: 4, Max: 20, Noise: 0.02, GPU: 15 * time.Millisecond, Wall: time.Hour},
		Final:   stats.Limits{Min: 15, Max: 60, Noise: 0.01, GPU: time.Second, Wall: time.Hour}}
)

// soon has a rule for long samples, too.
var soon = func() Rules {
	r := patient
	r.Fitness.Soon, r.Fitness.SoonIn = 3, 5*time.Millisecond
	return r
}()

// answered measures one run by a sampler.
func answered(t *testing.T, rules Rules, req *Time, s *scripted) (TimeReply, string, error) {
	t.Helper()
	if req.Runs == nil {
		req.Runs = []Run{{Workload: "w", Cases: []int{0, 1}}}
	}
	m := &Measuring{Prepare: prepared(), Rules: rules, Phase: func(string) {}}
	m.Sampler = func(run Run, which int, tape *Tape) (Sampler, error) { s.tape = tape; return s, nil }
	var reply TimeReply
	where, err := m.Answer(req, &reply)
	return reply, where, err
}

// TestSamples: how many samples a run takes, which of them count, and what they say, by the request and by what the
// samples are like. The warm-up never counts: a single call where these are timed, else a sample.
func TestSamples(t *testing.T) {
	steady := slices.Repeat([]float64{1000}, 100)
	drift := func(percent float64) []float64 { // a GPU that gets slower with each sample
		out := make([]float64, 100)
		for i := range out {
			out[i] = 1000 * (1 + percent/100*float64(i))
		}
		return out
	}
	outliers := slices.Repeat([]float64{1000, 1000, 1000, 1000, 9000}, 20)
	for _, c := range []struct {
		name     string
		rules    Rules
		bar      float64
		req      Time
		times    []float64
		want     int // samples that count
		screened bool
		singles  int
	}{
		{"steady", patient, 0, Time{}, steady, 15, false, 1},
		{"steady, for publication", patient, 0, Time{Final: true}, steady, 30, false, 1},
		{"outliers are nothing to a median", patient, 0, Time{}, outliers, 15, false, 1},
		{"a drift of 0.1 % a sample is within the noise that is asked for", patient, 0, Time{}, drift(0.1), 15, false, 1},
		{"a drift of 1 % a sample is not", patient, 0, Time{}, drift(1), 40, false, 1},
		{"noise: as many as there may be", patient, 0, Time{}, spread(100, 1000), 40, false, 1},
		{"long calls use up the time", patient, 0, Time{}, slices.Repeat([]float64{10e6}, 20), 5, false, 1},
		{"far behind at the first sample", patient, 200, Time{}, steady, 1, true, 1},
		{"behind after three", patient, 600, Time{}, steady, 3, true, 1},
		{"one sample is behind", patient, 600, Time{}, append([]float64{1000, 700}, steady...), 5, false, 1},
		{"behind by a fifth", patient, 833, Time{}, steady, 5, false, 1},
		{"behind by a fifth, for publication", patient, 833, Time{Final: true}, steady, 30, false, 1},
		{"behind by a fifth, and noisy", patient, 833, Time{}, spread(100, 1000), 40, false, 1},
		{"behind by a fifth, long samples", soon, 167e3, Time{}, slices.Repeat([]float64{200e3}, 20), 3, false, 1},
		{"hardly behind, long samples", soon, 199e3, Time{}, slices.Repeat([]float64{200e3}, 20), 3, false, 1},
		{"the third of long samples is ahead", soon, 199e3, Time{}, slices.Repeat([]float64{200e3, 200e3, 198.9e3}, 7), 15,
			false, 1},
		{"ahead, long samples", soon, 201e3, Time{}, slices.Repeat([]float64{200e3}, 20), 15, false, 1},
		{"long samples without a bar", soon, 0, Time{}, slices.Repeat([]float64{200e3}, 20), 15, false, 1},
		{"long samples, for publication", soon, 167e3, Time{Final: true}, slices.Repeat([]float64{200e3}, 40), 30, false, 1},
		{"as many as were asked for", patient, 100, Time{Count: 7}, spread(100, 1000), 7, false, 1},
		{"as many as were asked for, and single ones", patient, 100, Time{Count: 7, Alone: true}, steady, 7, false, 1},
		{"emulated", hurried, 0, Time{}, steady, 4, false, 0},
		{"emulated, for publication", hurried, 0, Time{Final: true}, steady, 15, false, 0},
		{"emulated: one call uses up the time", hurried, 0, Time{}, slices.Repeat([]float64{20e6}, 5), 1, false, 0},
		{"emulated: two calls use it up", hurried, 500e3, Time{}, slices.Repeat([]float64{1e6}, 5), 2, false, 0},
		{"emulated, and behind", hurried, 200, Time{}, steady, 1, true, 0},
		{"emulated: one uses it up, and is behind", hurried, 1e6, Time{}, slices.Repeat([]float64{20e6}, 5), 1, true, 0},
		{"emulated singles are not taken", hurried, 0, Time{Count: 2, Alone: true}, steady, 2, false, 0},
	} {
		s := &scripted{list: times(c.times...), single: times(1300, 1200, 1250)}
		c.req.Runs = []Run{{Workload: "w", Cases: []int{0, 1}, Bar: c.bar}}
		reply, _, err := answered(t, c.rules, &c.req, s)
		if err != nil {
			t.Fatal(err)
		}
		got := reply.Runs[0]
		want := c.times[:len(got.Samples)]
		if c.rules.Singles == 0 {
			want = c.times[1:][:len(got.Samples)]
		}
		if len(got.Samples) != c.want || !slices.Equal(got.Samples, want) || got.Screened != c.screened ||
			s.ones != c.singles {
			t.Errorf("%s: %d samples (screened %v, %d single calls), expected %d (%v, %d)", c.name, len(got.Samples),
				got.Screened, s.ones, c.want, c.screened, c.singles)
		}
		checked := 2 * (c.want + c.singles)
		if c.rules.Singles == 0 {
			checked += 2 // the warm-up
		}
		if got.Checked != checked || got.Calls != 10 || got.Clock != 1980 {
			t.Errorf("%s: %d outputs checked, expected %d; %d calls at %g MHz", c.name, got.Checked, checked, got.Calls,
				got.Clock)
		}
		if c.singles > 1 && got.Single != 1200 {
			t.Errorf("%s: a single call took %g, expected the least", c.name, got.Single)
		}
	}
}

// TestSingleCalls: as many as may show that calls in a row do less, and no more once one shows that they do not.
func TestSingleCalls(t *testing.T) {
	for _, c := range []struct {
		single []Reading
		want   int
		least  float64
	}{
		{times(1900), 1, 1900},
		{times(2100, 1900, 1800), 2, 1900},
		{times(9000, 5000, 4000), 3, 4000},
	} {
		s := &scripted{list: times(1000), single: c.single}
		reply, _, err := answered(t, patient, &Time{}, s)
		if err != nil || s.ones != c.want || reply.Runs[0].Single != c.least {
			t.Errorf("%v: %d single calls, the least of %g; %v", c.single, s.ones, reply.Runs[0].Single, err)
		}
	}
}

// TestSlowCalls: they have no warm-up, and where a sample is one of them there are no single calls beside it.
func TestSlowCalls(t *testing.T) {
	for _, c := range []struct {
		estimate float64
		calls    int
		singles  int
	}{{20e6, 1, 0}, {20e6, 2, 3}, {5e6, 1, 1}, {5e6, 2, 3}} {
		s := &scripted{list: times(1000), single: times(3000), calls: c.calls}
		req := &Time{Runs: []Run{{Workload: "w", Cases: []int{0, 1}, Estimate: c.estimate}}}
		reply, _, err := answered(t, patient, req, s)
		if err != nil || s.ones != c.singles || (reply.Runs[0].Single > 0) != (c.calls > 1) {
			t.Errorf("%g ns, %d calls: %d single calls, the least of %g; %v", c.estimate, c.calls, s.ones,
				reply.Runs[0].Single, err)
		}
	}
}

// TestClockThatFalls: samples at a clock far below the usual one are taken again, but not for ever: a kernel that draws
// much power lowers it for good.
func TestClockThatFalls(t *testing.T) {
	at := func(mhz float64, n int) []Reading {
		return slices.Repeat([]Reading{{Nanos: 1000 * 1980 / mhz, MHz: mhz}}, n)
	}
	for _, c := range []struct {
		name              string
		list              []Reading
		rejected, samples int
	}{
		{"a dip", slices.Concat(at(1980, 10), at(1500, 4), at(1980, 50)), 4, 15},
		{"for good", slices.Concat(at(1980, 11), at(1500, 100)), maxRejected, 40},
		{"before the usual one is known", slices.Concat(at(1980, 6), at(1500, 2), at(1980, 50)), 0, 15},
		{"no clock", slices.Repeat([]Reading{{Nanos: 1000}}, 50), 0, 15},
	} {
		reply, _, err := answered(t, patient, &Time{}, &scripted{list: c.list, single: times(1)})
		if err != nil {
			t.Fatal(err)
		}
		if got := reply.Runs[0]; got.Rejected != c.rejected || len(got.Samples) != c.samples {
			t.Errorf("%s: %d rejected of %d samples, expected %d and %d", c.name, got.Rejected, len(got.Samples), c.rejected,
				c.samples)
		}
	}
}

func TestDipped(t *testing.T) {
	usual := []float64{1980, 1970, 1980, 1990, 1980}
	for _, c := range []struct {
		mhz   float64
		usual []float64
		want  bool
	}{{1980, usual, false}, {1790, usual, false}, {1700, usual, true}, {0, usual, false}, {100, usual[:4], false}} {
		if got := dipped(c.mhz, c.usual); got != c.want {
			t.Errorf("%g MHz after %v: %v", c.mhz, c.usual, got)
		}
	}
}

// TestPlants: what a sample shows of a kernel is told whenever it was taken: in the warm-up, beside a clock that fell,
// in a single call.
func TestPlants(t *testing.T) {
	bad := Reading{Nanos: 1000, MHz: 1980, Checked: 2, Wrong: 1, Strays: &Strays{Where: "w", Bytes: 3}}
	low := bad
	low.MHz = 1000
	good, long := times(1000)[0], times(3000)[0]
	for name, c := range map[string]struct {
		list, single []Reading
	}{
		"in the warm-up":        {[]Reading{good}, []Reading{bad, good}},
		"in the screen":         {[]Reading{good, good, bad, good}, []Reading{good}},
		"in a rejected sample":  {slices.Concat(slices.Repeat([]Reading{good}, 12), []Reading{low, good}), []Reading{good}},
		"in the last single":    {[]Reading{good}, []Reading{long, long, bad}},
		"in the first that fit": {slices.Concat(slices.Repeat([]Reading{good}, 5), []Reading{bad, good}), []Reading{good}},
	} {
		reply, _, err := answered(t, patient, &Time{}, &scripted{list: c.list, single: c.single})
		if err != nil || reply.Runs[0].Wrong != 1 || !reflect.DeepEqual(reply.Strays, bad.Strays) {
			t.Errorf("%s: %d wrong outputs, strays %+v, %v", name, reply.Runs[0].Wrong, reply.Strays, err)
		}
	}
}

// TestFailingLaunch: a launch that fails ends the request, wherever it comes, and the sampler is given back. Runs
// before it are in the reply.
func TestFailingLaunch(t *testing.T) {
	for fails := range 30 {
		var done []string
		good := &scripted{list: times(1000), single: times(3000)}
		bad := &scripted{list: times(1000), single: times(3000), fails: fails + 1,
			say: func(line string) { done = append(done, line) }}
		var reply TimeReply
		var phases []string
		m := &Measuring{Prepare: prepared(), Rules: patient, Phase: func(p string) { phases = append(phases, p) }}
		m.Sampler = func(_ Run, which int, _ *Tape) (Sampler, error) { return []Sampler{good, bad, good}[which], nil }
		where, err := m.Answer(&Time{Runs: []Run{{Workload: "a"}, {Workload: "b"}, {Workload: "c"}}}, &reply)
		if fails >= 18 { // 15 samples and three single calls were enough
			if err != nil || len(reply.Runs) != 3 {
				t.Errorf("launch %d: %v", fails+1, err)
			}
			continue
		}
		if !errors.Is(err, errLaunch) || where != "time b" || len(reply.Runs) != 1 || done[len(done)-1] != "close " ||
			!slices.Equal(phases, []string{"time a", "time b"}) {
			t.Errorf("launch %d: %v at %s after %d runs, phases %v, then %q", fails+1, err, where, len(reply.Runs), phases, done)
		}
	}
}

// TestHopelessEndsTheRequest: a run far behind its bar is the last one, unless each is wanted.
func TestHopelessEndsTheRequest(t *testing.T) {
	for _, each := range []bool{false, true} {
		req := &Time{Runs: []Run{{Workload: "a", Bar: 100}, {Workload: "b"}}, Each: each}
		reply, where, err := answered(t, patient, req, &scripted{list: times(1000), single: times(1)})
		want, at := 1, "time a"
		if each {
			want, at = 2, "time b"
		}
		if err != nil || len(reply.Runs) != want || where != at || !reply.Runs[0].Screened {
			t.Errorf("each %v: %d runs, at %s, %v", each, len(reply.Runs), where, err)
		}
	}
}

// TestRecorded: outputs of the samples that count go to the tape, of the warm-up and of single calls none.
func TestRecorded(t *testing.T) {
	s := &scripted{list: times(1000), single: times(1), cases: []int{1}}
	reply, _, err := answered(t, patient, &Time{Count: 3, Alone: true, Record: &Record{Slots: [2]int{1, 0}}}, s)
	if err != nil || !slices.Equal(reply.Runs[0].Recorded, []int{1, 1, 1}) {
		t.Errorf("%v, %v", reply.Runs, err)
	}
	for name, req := range map[string]*Time{
		"nobody knows how many samples": {Record: &Record{}},
		"two runs":                      {Count: 2, Record: &Record{}, Runs: []Run{{}, {}}},
	} {
		if _, where, err := answered(t, patient, req, s); err == nil || where != "time" {
			t.Errorf("%s: %v at %s", name, err, where)
		}
	}
}
