package evolve

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// loud is an evaluator whose noise grows from one control to the next.
type loud struct {
	*fake
	controls atomic.Int32
	asked    func(champion *kernels.Job)
}

func (l *loud) Provenance() kernels.Provenance {
	return kernels.Provenance{Protocol: "toy", Noise: 0.001 * float64(l.controls.Load())}
}

func (l *loud) Capabilities() kernels.Capabilities { return kernels.Capabilities{Control: l.Control} }

func (l *loud) Control(_ context.Context, champion *kernels.Job) error {
	l.asked(champion)
	if l.controls.Add(1) == 2 {
		return fmt.Errorf("%w: worker killed", kernels.ErrLost)
	}
	return nil
}

// proofs is a store that keeps what figures stand on.
type proofs struct {
	*memory
	noise []float64
	keys  []string
}

func (p *proofs) PutProvenance(x kernels.Provenance) (string, error) {
	p.noise, p.keys = append(p.noise, x.Noise), append(p.keys, x.Key())
	return x.Key(), nil
}

// A long search has its champion fight itself now and then, tells of noise that has grown, and stores it.
func TestControlled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ev, m := &loud{fake: newFake(2, false)}, &proofs{memory: &memory{}}
		wrong := atomic.Int32{}
		ev.asked = func(champion *kernels.Job) {
			if champion == nil || champion.Source == "" {
				wrong.Add(1)
			}
		}
		ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
			time.Sleep(2 * time.Millisecond)
			return works(job), nil
		}
		s := mustSearch(t, toyConfig(t, "hills"), ev, m)
		s.upkeep.control.every = 10 * time.Millisecond
		var c collector
		sum, err := s.Run(context.Background(), c.emit)
		n := int(ev.controls.Load())
		if err != nil || sum.Evals != 100 || len(m.candidates) != 100 || wrong.Load() > 0 {
			t.Fatalf("%v, %+v, %d stored, %d controls without a champion", err, sum, len(m.candidates), wrong.Load())
		}
		if told := c.of(KindNoise); n < 3 || len(told) == 0 || len(told) >= n {
			t.Fatalf("%d controls, told %+v", n, told)
		}
		for i := 1; i < len(m.noise); i++ {
			if m.noise[i] <= m.noise[i-1] {
				t.Errorf("stored noise %v: expected one that grows", m.noise)
			}
		}
		if len(m.noise) < 3 {
			t.Errorf("stored noise %v", m.noise)
		}
		resumed, err := newSearch(toyConfig(t, "hills"), newFake(2, false), m)
		if err != nil || len(resumed.queue.pending) != 0 {
			t.Errorf("a control was left for the next session: %v, %+v", err, resumed.queue.pending)
		}
	})
}
