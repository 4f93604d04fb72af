package eval

import (
	"context"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestOpenFails: a pool that could not be readied is closed, and nobody is given it. A trial had taken such emulators
// for its own, and a search on an H200 ended with an error when it closed them again.
func TestOpenFails(t *testing.T) {
	if f := Locate().CXX; f.Path == "" {
		t.Skip("NOT TESTED: no C++ compiler")
	}
	b, err := templates.Builtin("reduction")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Kind: "cpu", Problem: b.Problem, DType: kernels.FP16, Workloads: b.Problem.SmallWorkloads(),
		CacheDir: testCache, Headers: templates.Include(),
		Reference: "int variable_of_the_host;"}
	if pool, err := Open(context.Background(), cfg); err == nil || pool != nil {
		t.Errorf("%v, %v", pool, err)
	}
	var m emulator
	if pools, why := m.open(context.Background(), cfg); len(pools) > 0 || why == "" {
		t.Errorf("%d emulators, %q", len(pools), why)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}
