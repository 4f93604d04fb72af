package eval

import (
	"testing"
	"time"

	"darwarp/kernels"
)

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
