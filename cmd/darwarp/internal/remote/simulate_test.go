//go:build !nofleet

package remote

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darwarp/eval/fleet"
)

// TestInterruptedSimulation: whatever a simulation is at when it is interrupted, it ends, and leaves no folder behind.
// Its workers take an hour for a verdict, so one that is waited for is not missed.
func TestInterruptedSimulation(t *testing.T) {
	for _, tt := range []struct {
		name    string
		workers int
		churn   int
		until   func(dir string) bool
	}{
		{"at once", 2, 0, func(string) bool { return true }},
		{"while the server starts", 2, 0, func(dir string) bool { return dir != "" }},
		{"while workers join", 16, 0, func(dir string) bool { return readyIn(dir) > 0 }},
		{"while all workers are busy", 2, 0, func(dir string) bool { return busyIn(dir) == 2 }},
		{"while others come and go", 2, 2, func(dir string) bool { return busyIn(dir) > 2 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("TMPDIR", folder)
			ctx, interrupt := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := Simulation{Problem: "gemm", Workers: tt.workers, Rate: 1. / 3600, Span: 24 * time.Hour,
					Churn: tt.churn}.Simulate(ctx, func(string, ...any) {})
				ended <- err
			}()
			for !tt.until(onlyIn(folder)) {
				select {
				case err := <-ended:
					t.Fatal("it has ended by itself:", err)
				case <-time.After(5 * time.Millisecond):
				}
			}
			interrupt()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if dir := onlyIn(folder); dir != "" {
				t.Error("left behind:", dir)
			}
		})
	}
}

// TestWorkersThatNeverCome are waited for until the simulation is interrupted, or one says why.
func TestWorkersThatNeverCome(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	m := &simulated{Simulation: Simulation{Workers: 2}, failed: make(chan error, 1)}
	one := func() int { interrupt(); return slotsOfOne + 1 }
	if err := m.awaitAll(ctx, one); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	m.failed <- errors.New("no room")
	if err := m.awaitAll(t.Context(), one); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
}

// onlyIn is the one folder in another, or nothing.
func onlyIn(folder string) string {
	all, _ := filepath.Glob(filepath.Join(folder, "darwarp-fleet*"))
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// workersIn is who is in the fleet that has a folder; nobody while that is about to be there.
func workersIn(dir string) []fleet.WorkerStatus {
	if _, err := os.Stat(filepath.Join(dir, "address")); dir == "" || err != nil {
		return nil
	}
	s, _ := fleet.AskStatus(context.Background(), dir)
	return s.Workers
}

func readyIn(dir string) (n int) {
	for _, w := range workersIn(dir) {
		if w.State == "ready" {
			n++
		}
	}
	return n
}

func busyIn(dir string) (n int) {
	for _, w := range workersIn(dir) {
		if w.Doing != "" {
			n++
		}
	}
	return n
}
