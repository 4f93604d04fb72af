package health

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// TestMain makes the test binary its own helper.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		os.Exit(fakeNVML())
	}
	os.Exit(m.Run())
}

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
	h := Watch(slog.New(slog.DiscardHandler), func(ctx context.Context) (*Watcher, error) {
		return Start(ctx, proc.Spec{Args: []string{"worker", "nvml"}})
	})
	defer h.Close()
	await(t, "a sample", func() bool {
		g := h.Now()
		return len(g) == 1 && g[0].Power == 700 && g[0].Name == "fake GPU"
	})
	tagged := func(since time.Time, want ...string) func() bool {
		return func() bool { return slices.Equal(h.Tags(since), want) }
	}
	await(t, "tags of a time taken meanwhile", tagged(before, "power-cap", "software-thermal"))
	await(t, "no tags of a time that no sample is near", tagged(time.Now().Add(time.Hour)))
	await(t, "a time when nobody watches", tagged(before, "unmonitored"))
	await(t, "another helper", tagged(time.Now(), "power-cap", "software-thermal"))
}

// await asks until it is so: a helper is there for some seconds, and then for a moment it is not.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s does not come", what)
		}
	}
}

func TestHealthWithoutNVML(t *testing.T) {
	h := Watch(slog.New(slog.DiscardHandler), func(context.Context) (*Watcher, error) {
		return nil, errors.New("no NVML")
	})
	<-h.gone
	if tags := h.Tags(time.Now()); !slices.Equal(tags, []string{"unmonitored"}) || h.Now() != nil {
		t.Errorf("tags %q, GPUs %v", tags, h.Now())
	}
	h.Close()
}
