package store

import "testing"

// TestGrow: the files of a run and the checkpoint that needs them are stored together, and nothing else changes.
func TestGrow(t *testing.T) {
	r := newRun(t)
	fill(t, r, 0, 3)
	files := map[string][]byte{"problem.toml": []byte("p"), "llm-1.toml": []byte("t")}
	if err := r.Grow(files, []byte("after")); err != nil {
		t.Fatal(err)
	}
	path := r.Path()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	want := testMeta()
	want.Files = files
	same(t, "meta", again.Meta(), want)
	same(t, "checkpoint", string(must(again.Checkpoint())(t)), "after")
	same(t, "candidates", again.Len(), 3)
}
