package session

import (
	"testing"

	"darwarp/templates"
)

// TestPickWorkloads: a length of 0 is a mistake; a flag of 0, as attention's causal, is a size like another.
func TestPickWorkloads(t *testing.T) {
	b, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	for flag, right := range map[string]bool{
		"4x16x512x128": true, "2x8x512x64-causal": true, "b=1,h=2,s=64,d=64,causal=0": true,
		"b=1,h=2,s=64,d=64,causal=1": true, "b=1,h=2,s=0,d=64,causal=0": false, "b=0,h=2,s=64,d=64,causal=0": false,
		"b=1,h=2,s=64,d=64,causal=-1": false,
	} {
		got, err := pickWorkloads(b.Problem, "--workload", []string{flag})
		if (err == nil) != right || right != (len(got) == 1) {
			t.Errorf("--workload %s: %v, %v", flag, got, err)
		}
	}
}

// TestFix: a new run has the problem of its workloads' sizes; one that there is has that which it carries.
func TestFix(t *testing.T) {
	b, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	loads, err := pickWorkloads(b.Problem, "--workload", []string{"4x16x512x128"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		target Target
		want   string
	}{{Target{Problem: "attention"}, "d == 128"}, {Target{Bundle: b}, ""}} {
		s := &Session{Bundle: b, Workloads: loads}
		if err := s.fix(tt.target); err != nil || s.Bundle.Problem.Only() != tt.want {
			t.Errorf("sizes %q, %v; want %q", s.Bundle.Problem.Only(), err, tt.want)
		}
	}
}
