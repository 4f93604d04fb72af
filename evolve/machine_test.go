package evolve

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"darwarp/kernels"
)

func TestMachineEvents(t *testing.T) {
	cfg := toyConfig(t, "hills")
	ev := newFake(2, false)
	s := mustSearch(t, cfg, ev, &memory{})
	s.inbox.every = time.Millisecond
	seen := make(chan struct{})
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		<-seen
		return works(job), nil
	}
	var first *kernels.Machine
	_, err := s.Run(context.Background(), func(e Event) {
		if e.Kind == KindMachine && first == nil {
			first = e.Machine
			close(seen)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (kernels.Machine{Device: kernels.Slots{Busy: 1, Total: 2}}); first.Device != want.Device ||
		first.Queue != 0 || len(first.GPUs) != 0 {
		t.Errorf("%+v while the naive start is judged, want %+v", first, want)
	}
}

// TestNobody: that nobody is there to evaluate is told once, and once that somebody is again.
func TestNobody(t *testing.T) {
	var o outage
	var told []string
	for _, why := range []string{"", "no workers are left", "no workers are left", "", "", "no workers are left"} {
		told = append(told, o.wait(why)...)
	}
	want := []string{"no workers are left", "a worker is there again: going on", "no workers are left"}
	if !slices.Equal(told, want) {
		t.Errorf("%q, want %q", told, want)
	}
}

// growing is an evaluator to which another device is added after the start.
type growing struct {
	*fake
	devices atomic.Int32
}

func (g *growing) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{Provenances: func() (all []kernels.Provenance) {
		for i := range int(g.devices.Load()) {
			all = append(all, kernels.Provenance{Protocol: "toy", GPU: i})
		}
		return all
	}}
}

// TestLateDevice: what the figures of a device stand on that is added during the search is in the run, before them.
func TestLateDevice(t *testing.T) {
	g := &growing{fake: newFake(1, false)}
	g.devices.Store(1)
	late := kernels.Provenance{Protocol: "toy", GPU: 1}.Key()
	g.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		r := works(job)
		if len(g.jobs) > 5 {
			g.devices.Store(2)
			r.Provenance = late
		}
		return r, nil
	}
	m := &proofs{memory: &memory{}}
	cfg := toyConfig(t, "hills")
	cfg.Budget.Evals = 10
	if _, err := mustSearch(t, cfg, g, m).Run(t.Context(), func(e Event) {
		if e.Kind == KindResult && e.Candidate.Result.Provenance == late && !slices.Contains(m.keys, late) {
			t.Errorf("%s has figures that stand on nothing", e.ID.Short())
		}
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(m.keys, late) {
		t.Errorf("stored: %q, not %q", m.keys, late)
	}
}
