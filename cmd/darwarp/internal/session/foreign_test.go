package session

import (
	"slices"
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

// TestArchs: compilers are told what is to come where many candidates are, and of families for Hopper only where there
// are some.
func TestArchs(t *testing.T) {
	for _, tt := range []struct {
		problem      string
		few          bool
		many, hopper bool
	}{{"gemm", false, true, true}, {"softmax", false, true, false}, {"gemm", true, false, false}} {
		b, err := templates.Builtin(tt.problem)
		if err != nil {
			t.Fatal(err)
		}
		s := &Session{Bundle: b}
		got := s.config(Target{Problem: tt.problem, Few: tt.few}, &progress.Phases{}).Archs
		if len(got) > 0 != tt.many || slices.Contains(got, "sm_90a") != tt.hopper {
			t.Errorf("%s, few %v: %v", tt.problem, tt.few, got)
		}
	}
}
