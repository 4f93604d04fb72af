package eval

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/runner"
	"darwarp/kernels"
)

// near reports whether two figures are the same but for what the fake's samples differ by.
func near(a, b float64) bool { return math.Abs(a/b-1) < 0.003 }

// TestHost: candidates go to all GPUs, and times of the slower one are what they are on the first.
func TestHost(t *testing.T) {
	h := mustHost(t, 2)
	if got := h.Slots(); got != 2+2*2*rig.OutputSlots {
		t.Errorf("%d slots", got)
	}
	all := asked(t, h, "right", 8)
	for range 8 { // somebody has all seats of the second
		if _, err := h.places.take(t.Context(), h.places.all[1]); err != nil {
			t.Fatal(err)
		}
	}
	all = append(all, asked(t, h, "also_right", 8)...)
	if n := on(h, all); n[0]+n[1] != len(all) || n[0] < 8 || n[1] == 0 {
		t.Errorf("%v verdicts by GPU", n)
	}
	for _, r := range all {
		w, second := r.Times[0], r.Provenance == h.proofOf(1)
		if r.Outcome != kernels.OK || !near(w.Median, 10e3) || second != near(w.Scale, 1/1.04) || !second && w.Scale != 0 {
			t.Fatalf("second GPU %v: %+v", second, r)
		}
		if second && !(w.Lo < w.Median && w.Median < w.Hi) {
			t.Errorf("no interval allows for the ratio: %+v", w)
		}
	}
	if r, err := h.Evaluate(t.Context(), fakeJob(t, h.front, "wrong")); err != nil || r.Outcome != kernels.Wrong {
		t.Errorf("%+v, %v", r, err)
	}
	m := h.Machine(t.Context())
	if len(m.GPUs) != 2 || m.GPUs[1].Index != 1 || m.Device.Total != 2 || m.GPUs[1].Util != -1 {
		t.Errorf("%+v", m)
	}
	if _, workers := h.Load(); workers != 2 {
		t.Errorf("%d workers", workers)
	}
	var uuids []string
	for i, p := range h.Provenances() {
		if uuids = append(uuids, p.Device.UUID); p.GPU != i {
			t.Errorf("%+v", p)
		}
	}
	if strings.Join(uuids, " ") != "GPU-fake-0 GPU-fake-1" {
		t.Error(uuids)
	}
}

// TestHostDuplicates: machine code that one GPU has seen is known to the other.
func TestHostDuplicates(t *testing.T) {
	h := mustHost(t, 2)
	job := fakeJob(t, h.front, "twice")
	if r, err := h.Evaluate(t.Context(), job); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	for range 4 {
		again := *job
		again.ID = kernels.ID{1}
		if r, err := h.Evaluate(t.Context(), &again); err != nil || r.Outcome != kernels.Duplicate {
			t.Fatalf("%+v, %v", r, err)
		}
	}
}

// TestHostBar: a candidate is held against the champion's time on the GPU that it got. The fake calls hopeless what
// takes more than twice as long.
func TestHostBar(t *testing.T) {
	h := mustHost(t, 2)
	for _, p := range h.places.all {
		job := h.places.jobOn(p, fakeJob(t, h.front, "x"))
		want := map[*place]float64{h.places.all[0]: 10e3, h.places.all[1]: 10.4e3}[p]
		if got := job.Bar.Times()["4096"]; !near(got, want) {
			t.Errorf("%s: a bar of %v ns, want %v", p.name(), got, want)
		}
	}
	for _, r := range asked(t, h, "half_as_fast", 16) {
		if r.Outcome != kernels.OK || r.Times[0].Tier != "fitness" {
			t.Errorf("%+v", r.Times)
		}
	}
}

// TestHostDuel: duels are fought on the first GPU, and whoever wins one is timed on the other.
func TestHostDuel(t *testing.T) {
	h := mustHost(t, 2)
	for range 2 {
		d, err := h.Duel(t.Context(), fakeJob(t, h.front, "good"), fakeJob(t, h.front, "fast"))
		if err != nil || d.Verdict != kernels.Faster || d.Provenance != h.proofOf(0) {
			t.Fatalf("%+v, %v", d, err)
		}
	}
	until(t, "the ratio of the winner", func() bool { return near(h.places.table(h.places.all[1]).At("4096").Of, 1/1.06) })
	if r := h.places.table(h.places.all[0]).At("4096"); r.Of != 1 || r.Spread != 0 {
		t.Errorf("the first GPU: %+v", r)
	}
}

// TestHostLeavesOut: whatever becomes of one GPU, every candidate gets its verdict from another, the search hears of
// it, and no time is one of that GPU.
func TestHostLeavesOut(t *testing.T) {
	for _, test := range []struct {
		name string
		gpu  int
		does []string
		why  string
	}{
		{"it cannot be opened any more", 1, []string{"killed", "broken"}, "gone after 3 tries in a row"},
		{"its workers are killed", 1, []string{"killed"}, "verdicts in a row were lost there"},
		{"its workers are stopped", 1, []string{"stopped"}, "verdicts in a row were lost there"},
		{"home cannot be opened any more", 0, []string{"killed", "broken"}, "gone after 3 tries in a row"},
	} {
		t.Run(test.name, func(t *testing.T) {
			shortRespite(t)
			h := mustHost(t, 2)
			for _, what := range test.does {
				fail(t, test.gpu, what)
			}
			got := 0
			until(t, "the GPU's end", func() bool {
				for _, r := range asked(t, h, fmt.Sprintf("right_%d", got), 4) {
					if got++; r.Outcome != kernels.OK && r.Outcome != kernels.Duplicate {
						t.Fatalf("verdict %d: %+v", got, r)
					}
					if r.Outcome == kernels.OK && r.Provenance != h.proofOf(1-test.gpu) {
						t.Fatalf("verdict %d is of the GPU that fails: %+v", got, r)
					}
				}
				return len(h.outs()) > 0
			})
			if outs := h.outs(); len(outs) != 1 || outs[0][0] != byte('0'+test.gpu) || !strings.Contains(outs[0], test.why) {
				t.Errorf("left out: %q", outs)
			}
			d, err := h.Duel(t.Context(), fakeJob(t, h.front, "good"), fakeJob(t, h.front, "fast"))
			if err != nil || d.Verdict != kernels.Faster || d.Provenance != h.proofOf(1-test.gpu) {
				t.Errorf("a duel: %+v, %v", d, err)
			}
			if m := h.Machine(t.Context()); m.Device.Total != 1 || len(m.GPUs) != 2 {
				t.Errorf("%+v", m)
			}
		})
	}
}

// TestHostDuelMoves: a duel that a GPU loses for good is asked for again, and fought on the next.
func TestHostDuelMoves(t *testing.T) {
	shortRespite(t)
	h := mustHost(t, 2)
	fail(t, 0, "broken")
	if err := h.places.all[0].pool.Runner.Restart(); err != nil {
		t.Fatal(err)
	}
	champion, challenger := fakeJob(t, h.front, "good"), fakeJob(t, h.front, "fast")
	for range 2 * len(runner.Respite) {
		d, err := h.Duel(t.Context(), champion, challenger)
		if err == nil {
			if d.Provenance != h.proofOf(1) || len(h.outs()) != 1 {
				t.Errorf("%+v, left out %q", d, h.outs())
			}
			return
		}
		if !errors.Is(err, kernels.ErrLost) {
			t.Fatal(err)
		}
	}
	t.Error("it is never fought")
}

// TestHostLast: the last GPU is not left out; what is wrong with it is an error, as of a single one.
func TestHostLast(t *testing.T) {
	shortRespite(t)
	h := mustHost(t, 2)
	for gpu := range 2 {
		fail(t, gpu, "broken")
		fail(t, gpu, "killed")
	}
	for i := range 20 {
		r, err := h.Evaluate(t.Context(), fakeJob(t, h.front, "right"+strings.Repeat("x", i)))
		if errors.Is(err, ErrGone) {
			if len(h.outs()) != 1 {
				t.Errorf("left out: %q", h.outs())
			}
			return
		}
		if err != nil || r.Outcome != kernels.Lost {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	t.Error("never given up")
}

// TestHostOneKill: a worker that somebody kills costs no verdict and no GPU.
func TestHostOneKill(t *testing.T) {
	h := mustHost(t, 2)
	for range 3 {
		killWorkers(t, "gpu")
		for _, r := range asked(t, h, "right"+time.Now().Format("x150405000000000"), 4) {
			if r.Outcome != kernels.OK && r.Outcome != kernels.Duplicate {
				t.Errorf("%+v", r)
			}
		}
	}
	if outs := h.outs(); len(outs) > 0 {
		t.Errorf("left out: %q", outs)
	}
}

// TestHostOpens: GPUs that cannot be opened are left out, unless none is left; one that is wrong about the first kernel
// is, too.
func TestHostOpens(t *testing.T) {
	for _, test := range []struct {
		name   string
		broken []int
		does   string
		left   []int
		said   string
	}{
		{"the second", []int{1}, "broken", []int{0, 2}, "GPU 1 is left out"},
		{"the first", []int{0}, "broken", []int{1, 2}, "GPU 0 is left out"},
		{"the first, while the others are opened", []int{0}, "untrue", []int{1, 2}, "GPU 0 is left out"},
		{"all", []int{0, 1, 2}, "broken", nil, "GPU 1 is left out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var said []string
			h, err := fakeHost(t, 3, func(cfg *Config) {
				cfg.Progress = func(s string) { said = append(said, s) }
				for _, gpu := range test.broken {
					fail(t, gpu, test.does)
				}
			})
			if (err != nil) != (len(test.left) == 0) || !strings.Contains(strings.Join(said, "\n"), test.said) {
				t.Fatalf("%v; said %q", err, said)
			}
			if err != nil {
				return
			}
			for i, p := range h.places.all {
				if p.pool.Cfg.GPU != test.left[i] {
					t.Errorf("%d GPUs, the %dth is %d", len(h.places.all), i, p.pool.Cfg.GPU)
				}
			}
		})
	}
}

// TestHostWrong: the naive start is right; where it is not, the GPU is wrong.
func TestHostWrong(t *testing.T) {
	h, err := fakeHost(t, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	fail(t, 1, "wrong")
	start := fakeJob(t, h.front, "good")
	start.Bar = nil
	if r, err := h.Evaluate(t.Context(), start); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	if outs := h.outs(); len(outs) != 1 || !strings.Contains(outs[0], "1: a kernel that is right on GPU 0: it is wrong") {
		t.Errorf("left out: %q", outs)
	}
}

// TestHostTurnsWrong: a GPU that finds every candidate out is asked for the naive start again; one that is right about
// it may go on.
func TestHostTurnsWrong(t *testing.T) {
	h := mustHost(t, 2)
	wrong := func(prefix string) (n int) {
		for _, r := range asked(t, h, prefix, 2*mostBad+4) {
			if r.Outcome == kernels.Wrong {
				n++
			}
		}
		return n
	}
	if n := wrong("wrong"); n != 2*mostBad+4 || len(h.outs()) > 0 {
		t.Errorf("%d wrong candidates, left out %q", n, h.outs())
	}
	if r, err := h.Evaluate(t.Context(), fakeJob(t, h.front, "right")); err != nil || r.Outcome != kernels.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	why := turnsBad(t, h, "wrong", kernels.Wrong)
	if !strings.Contains(why, "which was right on GPU 0: it is wrong there") {
		t.Errorf("left out: %q", why)
	}
}

// turnsBad has the second GPU fail every candidate, and asks until it is left out.
func turnsBad(t *testing.T, h *Host, does string, as kernels.Outcome) string {
	t.Helper()
	fail(t, 1, does)
	n := 0
	until(t, "the GPU's end", func() bool {
		r, err := h.Evaluate(t.Context(), fakeJob(t, h.front, does+"y"+strings.Repeat("x", n)))
		if n++; err != nil || r.Outcome != kernels.OK && (r.Outcome != as || r.Provenance == h.proofOf(0)) {
			t.Fatalf("%+v, %v", r, err)
		}
		return len(h.outs()) > 0
	})
	if n > mostBad {
		t.Errorf("%d candidates failed before anybody looked", n)
	}
	return h.outs()[0]
}

// TestHostHangs: a GPU on which nothing comes to an end, though its workers can be killed.
func TestHostHangs(t *testing.T) {
	h := mustHost(t, 2)
	defer soon(300*time.Millisecond, time.Second)() // the GPU that hangs gets all candidates: the first one is home
	if outs := turnsBad(t, h, "hangs", kernels.TimedOut); !strings.Contains(outs, "it is timeout there") {
		t.Errorf("left out: %q", outs)
	}
}

// TestHostGone: a GPU that hangs for good is left out at once, and what it lost may be asked of another; the last one
// is what it is without a host.
func TestHostGone(t *testing.T) {
	h := &Host{log: slog.New(slog.DiscardHandler), places: seats(1, 1)}
	hangs := fmt.Errorf("the device hangs, and so is %w", ErrGone)
	if err := h.blame(t.Context(), h.places.all[0], hangs); !errors.Is(err, kernels.ErrLost) ||
		h.places.all[0].out != hangs.Error() || h.places.home() != h.places.all[1] {
		t.Errorf("%v, left out: %q", err, h.places.all[0].out)
	}
	if err := h.blame(t.Context(), h.places.all[1], hangs); errors.Is(err, kernels.ErrLost) || h.places.all[1].out != "" {
		t.Errorf("%v, left out: %q", err, h.places.all[1].out)
	}
}

// TestHostTrial: what comes before a reign is tried on the first GPU, the rest on the last.
func TestHostTrial(t *testing.T) {
	h := mustHost(t, 2)
	for _, test := range []struct {
		part kernels.TrialPart
		gpu  int
	}{{kernels.TrialClasses, 0}, {kernels.TrialLaunches, 1}} {
		got, err := h.Trial(t.Context(), fakeJob(t, h.front, "good"), test.part)
		if err != nil || got.Provenance != h.proofOf(test.gpu) {
			t.Errorf("%s: %+v, %v", test.part, got, err)
		}
	}
	if err := h.Control(t.Context(), fakeJob(t, h.front, "good")); err != nil {
		t.Error(err)
	}
	if h.Provenance().Noise == 0 {
		t.Error("no noise is known of the first GPU")
	}
}
