package search

import (
	"path/filepath"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
	"darwarp/store"
)

// TestStartFrom: a run goes on from the family that it began with, wherever that would stand today.
func TestStartFrom(t *testing.T) {
	run, err := store.Create(filepath.Join(t.TempDir(), "r.db"),
		store.Meta{Problem: "p", DType: kernels.FP32, Workloads: []kernels.Workload{{Name: "w", Weight: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	naive := kernels.Candidate{ID: kernels.ID{1}, Variant: kernels.Variant{Family: "strided"}, Score: 1,
		Origin: kernels.Origin{Operator: "default"}, Result: kernels.Result{Outcome: kernels.OK}}
	if err := run.Put(&naive, nil); err != nil {
		t.Fatal(err)
	}
	s := &session.Session{}
	for _, name := range []string{"first", "second", "strided", "last"} {
		s.Spaces = append(s.Spaces, &kernels.Space{Family: &kernels.Family{Name: name}})
	}
	for range 2 { // the second time it is there
		if err := startFrom(s, run); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range s.Spaces {
			got = append(got, x.Family.Name)
		}
		if want := "strided first second last"; strings.Join(got, " ") != want {
			t.Errorf("the families are %v, want %s", got, want)
		}
	}
}
