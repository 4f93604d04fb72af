package session

import (
	"errors"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestBearable: every built-in problem's sizes for the cpu device can be searched there, the sizes of GPUs are refused
// where a call would take minutes, and a GPU takes all that a tensor can have.
func TestBearable(t *testing.T) {
	for _, name := range templates.Builtins() {
		s := opened(t, name)
		s.Workloads = s.Bundle.Problem.SmallWorkloads()
		if err := s.bearable("cpu"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.Workloads = s.Bundle.Problem.Workloads
		if err := s.bearable("cuda"); err != nil {
			t.Errorf("%s on a GPU: %v", name, err)
		}
	}
	s := opened(t, "gemm")
	for size, want := range map[string]string{
		"m=2048,n=2048,k=2048":                   "",
		"m=4096,n=4096,k=4096":                   "2m18s: choose a smaller size, as in --workload 128",
		"m=2147483647,n=2147483647,k=2147483647": "choose a smaller size",
	} {
		s.Workloads = found(t, s.Bundle.Problem, size)
		err := s.bearable("cpu")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", size, err, want)
		}
		if known := new(exit.Error); err != nil && (!errors.As(err, &known) || known.Code != exit.Usage) {
			t.Errorf("%s: not a mistake of usage: %v", size, err)
		}
	}
	p := *s.Bundle.Problem // one whose own sizes are all too large
	p.Workloads = found(t, &p, "m=8192,n=8192,k=8192")
	s.Bundle.Problem, s.Workloads = &p, p.Workloads
	if err := s.bearable("cpu"); err == nil || !strings.Contains(err.Error(), "--workload "+p.Check.Shapes[0].String()) {
		t.Errorf("no size of its own: %v", err)
	}
}

func opened(t *testing.T, name string) *Session {
	t.Helper()
	b, err := templates.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return &Session{Bundle: b, DType: b.Problem.DTypes[0]}
}

func found(t *testing.T, p *kernels.Problem, size string) []kernels.Workload {
	t.Helper()
	loads, err := p.FindWorkload(size)
	if err != nil {
		t.Fatal(err)
	}
	return loads
}
