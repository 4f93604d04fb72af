package session

import (
	"testing"

	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/templates"
)

// TestForeign: only what darwarp brings with it is not foreign.
func TestForeign(t *testing.T) {
	b, err := templates.Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		target Target
		want   bool
	}{
		{"a built-in problem", Target{Problem: "gemm"}, false},
		{"a folder", Target{Problem: "./gemm"}, true},
		{"a model writes", Target{Problem: "gemm", Foreign: true}, true},
		{"a run's own problem", Target{Bundle: b, Foreign: true}, true},
		{"the kernels of the gate's test", Target{Bundle: b}, false},
	} {
		s := &Session{Bundle: b}
		if got := s.config(tt.target, &progress.Phases{}).Foreign; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
