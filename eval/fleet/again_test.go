package fleet

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"darwarp/kernels"
)

// TestEarly: a worker that comes before a search has made its queues again, on a server that has lost them, waits for
// them.
func TestEarly(t *testing.T) {
	f, g := open(t, newFake("a"))
	for _, lose := range []func(){
		func() { f.post.remove(t.Context()) },
		func() { _ = f.post.js.DeleteStream(t.Context(), f.names.Own()) },
	} {
		before := len(f.roster.ready())
		lose()
		name := fmt.Sprint("b", before)
		ended, _ := g.join(newFake(name))
		until(t, "the worker", func() bool {
			all := f.roster.status(time.Now()).Workers
			return slices.ContainsFunc(all, func(w WorkerStatus) bool { return w.Worker == name })
		})
		if err := f.restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		until(t, "it is ready", func() bool {
			select {
			case err := <-ended:
				t.Fatalf("it has left: %v", err)
			default:
			}
			return len(f.roster.ready()) > before
		})
		for i, r := range asked(t, f, 20*before, 20*before+10) {
			if r.Outcome != kernels.OK {
				t.Errorf("candidate %d: %+v", i, r)
			}
		}
	}
}

// TestRefusal: only what the server says no to sends a worker away.
func TestRefusal(t *testing.T) {
	full := &jetstream.APIError{Code: 400, ErrorCode: 10026, Description: "maximum consumers limit reached"}
	for err, want := range map[error]bool{full: true, fmt.Errorf("open: %w", full): true,
		jetstream.ErrStreamNotFound: false, context.DeadlineExceeded: false, nats.ErrConnectionClosed: false} {
		if got := isRefusal(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
