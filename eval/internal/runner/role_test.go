package runner

import (
	"os"
	"regexp"
	"testing"
)

// TestCPUMemory: what a cpu worker may take grows with the processors, each of which has stacks of its own. With 32 of
// them the stacks alone took what there was for everything, and every kernel trapped.
func TestCPUMemory(t *testing.T) {
	for _, processors := range []int{1, 32, 256} {
		if got := cpuMemory(processors, 1<<30); got < uint64(processors)*stackMemory+hostMemory+4<<30 {
			t.Errorf("%d processors: %d bytes", processors, got)
		}
	}
	header, err := os.ReadFile("../cpu/emu/cxx/dw/fiber.h")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`REGION = 128u << 20\b`).Match(header) {
		t.Error("stackMemory is not the emulation's REGION any more")
	}
}
