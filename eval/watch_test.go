package eval

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// fakeNVML is an NVML helper of a GPU that its power limit slows. It hangs at the second question.
func fakeNVML() int {
	asked := 0
	return proc.Main(func(_ context.Context, _ proc.Frame, c *proc.Conn) error {
		if asked++; asked > 1 {
			select {}
		}
		return c.Reply([]kernels.GPU{{Name: "fake GPU", Util: 0.5, SMClock: 1500, Temp: 60, Power: 700, PowerLimit: 700,
			Throttle: []string{"power cap", "software thermal"}}})
	})
}

// TestHealth follows a helper that answers once and then hangs: it must be killed by its deadline,
// times that come later must say that nobody watched, and another helper must take over.
func TestHealth(t *testing.T) {
	was := reviveAfter
	reviveAfter = 50 * time.Millisecond
	t.Cleanup(func() { reviveAfter = was })
	before := time.Now()
	h := watchHealth(slog.New(slog.DiscardHandler), func(ctx context.Context) (*Watcher, error) {
		w, err := proc.Start(ctx, proc.Spec{Args: []string{"worker", "nvml"}, Env: []string{"DARWARP_FAKE=1"}})
		return &Watcher{worker: w}, err
	})
	defer h.close()
	for h.now() == nil {
		time.Sleep(time.Millisecond)
	}
	if g := h.now(); len(g) != 1 || g[0].Power != 700 || g[0].Name != "fake GPU" {
		t.Errorf("%+v", g)
	}
	if tags := h.tags(before); !slices.Equal(tags, []string{"power-cap", "software-thermal"}) {
		t.Errorf("tags of a time taken meanwhile: %q", tags)
	}
	if tags := h.tags(time.Now().Add(time.Hour)); len(tags) != 0 {
		t.Errorf("tags of a time that no sample was near: %q", tags)
	}
	for !slices.Equal(h.tags(before), []string{"unmonitored"}) { // while nobody watches
		time.Sleep(time.Millisecond)
	}
	killed := time.Now()
	for len(h.tags(killed)) != 2 {
		time.Sleep(time.Millisecond)
	}
}

func TestHealthWithoutNVML(t *testing.T) {
	h := watchHealth(slog.New(slog.DiscardHandler), func(context.Context) (*Watcher, error) {
		return nil,
			errors.New("no NVML")
	})
	<-h.gone
	if tags := h.tags(time.Now()); !slices.Equal(tags, []string{"unmonitored"}) || h.now() != nil {
		t.Errorf("tags %q, GPUs %v", tags, h.now())
	}
	h.close()
}

// TestMachine looks at the slots while one candidate is in flight.
func TestMachine(t *testing.T) {
	pool := fakePool(t)
	idle := pool.Machine(t.Context())
	if idle.Compile.Total != pool.compiler.Slots() || idle.Device != (kernels.Slots{Total: 1}) || idle.Queue != 0 ||
		idle.GPUs != nil {
		t.Errorf("idle: %+v", idle)
	}
	pool.runner.mu.Lock() // somebody has the device
	done := make(chan error, 1)
	go func() {
		_, err := pool.Evaluate(t.Context(), fakeJob(t, pool, "good"))
		done <- err
	}()
	for m := pool.Machine(t.Context()); m.Compile.Busy > 0 || m.Queue != 1; m = pool.Machine(t.Context()) {
		time.Sleep(time.Millisecond)
	}
	pool.runner.mu.Unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if m := pool.Machine(t.Context()); m.Queue != 0 || m.Device.Busy != 0 {
		t.Errorf("afterwards: %+v", m)
	}
}
