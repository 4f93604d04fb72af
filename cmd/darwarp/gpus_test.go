package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/store"
)

// hostRun is a run on two GPUs, whose champion was timed on the second.
func hostRun(t *testing.T) string {
	t.Helper()
	t.Setenv("TESTDATA", "testdata")
	path := filepath.Join(t.TempDir(), "run.db")
	if err := makeRun(path, false); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var keys [2]string
	for gpu, uuid := range []string{"GPU-a", "GPU-b"} {
		dev := r.Meta().Device
		dev.UUID = uuid
		if keys[gpu], err = r.PutProvenance(kernels.Provenance{Device: dev, GPU: gpu, DType: kernels.FP32,
			CacheMode: "hot"}); err != nil {
			t.Fatal(err)
		}
	}
	best, err := r.Find("best")
	if err != nil {
		t.Fatal(err)
	}
	for gpu := range keys {
		c := best
		c.ID, c.Score, c.Result.Provenance = kernels.ID{byte(gpu + 1)}, best.Score/2-float64(gpu)/100, keys[gpu]
		c.Result.Times = append([]kernels.Timing{}, best.Result.Times...)
		if gpu > 0 {
			c.Result.Times[0].Scale = 0.98765
		}
		if err := r.Put(&c, nil); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestHostRun: the tables of a run on several GPUs say which of them timed a candidate, those of another have no column
// for it.
func TestHostRun(t *testing.T) {
	one := filepath.Join(t.TempDir(), "one.db")
	path := hostRun(t)
	if err := makeRun(one, false); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	for _, test := range []struct {
		path string
		args []string
		has  []string
		not  string
	}{
		{path, []string{"top"}, []string{"GPU  origin"}, ""},
		{one, []string{"top"}, []string{"origin"}, "GPU"},
		{path, []string{"show", "lowest-score"}, []string{"GPU        1, GPU-b", "times of GPU 1 by 0.9877 at small"}, ""},
		{one, []string{"show", "best"}, []string{"measured on"}, "scaled"},
		{path, []string{"report", "-o", page}, nil, ""},
	} {
		code, out, talk := readRun(t, test.path, test.args)
		if code != 0 {
			t.Fatalf("%v: %d: %s", test.args, code, talk)
		}
		for _, want := range test.has {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", test.args, want, out)
			}
		}
		if test.not != "" && strings.Contains(out, test.not) {
			t.Errorf("%v: %q in\n%s", test.args, test.not, out)
		}
	}
	if b, err := os.ReadFile(page); err != nil || !bytes.Contains(b, []byte("0, GPU-a; 1, GPU-b")) {
		t.Errorf("the report does not name the GPUs: %v", err)
	}
}
