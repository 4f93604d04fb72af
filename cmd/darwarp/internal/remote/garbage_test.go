//go:build !nofleet

package remote

import (
	"runtime/debug"
	"testing"
	"time"
)

// TestGarbage: a small search may have four times as much garbage as it keeps, and a large one as much, as any process.
func TestGarbage(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 128 << 20: 400, 256 << 20: 200, 512 << 20: 100,
		8 << 30: 100} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d MiB kept: %d %%, want %d", live>>20, got, want)
		}
	}
	t.Setenv("GOGC", "50")
	was := debug.SetGCPercent(77)
	defer debug.SetGCPercent(was)
	tolerateGarbage(t.Context())
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("GOGC is in the environment, and %d %% in force", got)
	}
	t.Setenv("GOGC", "")
	tolerateGarbage(t.Context())
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if got := debug.SetGCPercent(mostPercent); got == mostPercent {
			return
		} else if time.Now().After(end) {
			t.Fatalf("%d %% in force", got)
		}
	}
}
