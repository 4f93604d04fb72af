package eval

import (
	"testing"

	"darwarp/eval/internal/dl/dltest"
	"darwarp/templates"
)

// TestCompileStation: what a machine without a GPU compiles for another architecture is what a machine with the same
// toolchain takes, and a source that does not compile gives nothing.
func TestCompileStation(t *testing.T) {
	dltest.NVRTC(t)
	s, err := OpenCompileStation(t.Context(), templates.Include(), "sm_80", "", 1, SandboxBest)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	made, err := s.Compile(t.Context(), `extern "C" __global__ void k(float *p) { p[threadIdx.x] = 1; }`)
	if err != nil || len(made) == 0 || s.Toolchain() == "" || s.Slots() != 1 {
		t.Errorf("%d bytes, %q, %v", len(made), s.Toolchain(), err)
	}
	if made, err := s.Compile(t.Context(), `this is no program`); err != nil || len(made) > 0 {
		t.Errorf("%s, %v", made, err)
	}
}
