package eval

import (
	"testing"
	"time"

	"darwarp/kernels"
)

// TestMachine looks at the slots while one candidate is in flight.
func TestMachine(t *testing.T) {
	t.Setenv(compileAll, "1")
	pool := fakePool(t)
	idle := pool.Machine(t.Context())
	if idle.Compile.Total != pool.Compiler.Slots() || idle.Device != (kernels.Slots{Total: 1}) || idle.Queue != 0 ||
		idle.GPUs != nil {
		t.Errorf("idle: %+v", idle)
	}
	release := occupied(t, pool)
	done := make(chan error, 1)
	go func() {
		_, err := pool.Evaluate(t.Context(), fakeJob(t, pool, "good"))
		done <- err
	}()
	for m := pool.Machine(t.Context()); m.Compile.Busy > 0 || m.Queue != 1; m = pool.Machine(t.Context()) {
		time.Sleep(time.Millisecond)
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if m := pool.Machine(t.Context()); m.Queue != 0 || m.Device.Busy != 0 {
		t.Errorf("afterwards: %+v", m)
	}
}

// occupied has somebody take the device until release is called.
func occupied(t *testing.T, pool *Pool) (release func()) {
	t.Helper()
	taken, until, left := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		pool.Runner.Alone("test", func() {
			close(taken)
			<-until
		})
		close(left)
	}()
	<-taken
	return func() {
		close(until)
		<-left
	}
}
