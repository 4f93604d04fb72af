package evolve

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// TestLeftOut: of each GPU that an evaluator goes on without people hear once.
func TestLeftOut(t *testing.T) {
	var o outage
	gpus := []kernels.GPU{{Index: 0}, {Index: 1, LeftOut: "it is gone after 4 tries\nand more"}, {Index: 2}}
	want := []string{"GPU 1 is left out, the search goes on without it: it is gone after 4 tries"}
	if got := o.leave(gpus); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := o.leave(gpus); len(got) > 0 {
		t.Errorf("again: %q", got)
	}
	gpus[0].LeftOut = "x"
	if got := o.leave(gpus); len(got) != 1 || got[0][:5] != "GPU 0" {
		t.Errorf("another: %q", got)
	}
}

// severalGPUs is an evaluator of two GPUs, one of which is left out.
type severalGPUs struct{ *fake }

func (severalGPUs) proof(gpu int) kernels.Provenance {
	return kernels.Provenance{Protocol: "toy", GPU: gpu}
}

func (s severalGPUs) Provenance() kernels.Provenance { return s.proof(0) }

func (s severalGPUs) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{
		Provenances: func() []kernels.Provenance { return []kernels.Provenance{s.proof(0), s.proof(1)} },
		Machine: func(context.Context) kernels.Machine {
			return kernels.Machine{GPUs: []kernels.GPU{{Index: 0}, {Index: 1, LeftOut: "gone"}}}
		},
	}
}

// TestSeveralGPUs: what figures stand on is stored of each GPU, and those without one are of the first.
func TestSeveralGPUs(t *testing.T) {
	run, err := store.Create(filepath.Join(t.TempDir(), "r.db"), store.Meta{Problem: "p", DType: kernels.FP32,
		Workloads: []kernels.Workload{{Name: "w", Weight: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	ev := severalGPUs{newFake(2, false)}
	s, err := New(toyConfig(t, "hills"), ev, run)
	if err != nil {
		t.Fatal(err)
	}
	s.inbox.every = time.Millisecond
	told := make(chan struct{})
	var once sync.Once
	ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		<-told
		return works(job), nil
	}
	if _, err := s.Run(t.Context(), func(e Event) {
		if e.Kind == KindOutage && strings.HasPrefix(e.Note, "GPU 1 is left out") {
			once.Do(func() { close(told) })
		}
	}); err != nil {
		t.Fatal(err)
	}
	for gpu := range 2 {
		if p, err := run.Provenance(ev.proof(gpu).Key()); err != nil || p.GPU != gpu {
			t.Errorf("GPU %d: %+v, %v", gpu, p, err)
		}
	}
	if err := run.Each(func(c kernels.Candidate) error {
		if c.Result.Provenance != ev.proof(0).Key() {
			t.Errorf("%s stands on %q", c.ID.Short(), c.Result.Provenance)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
