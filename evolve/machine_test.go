package evolve

import (
	"context"
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
