package templates

import (
	"maps"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestForScored: a source has the kernels for rows that are scored, and others are read again. The plan has a launch at
// every size all the same.
func TestForScored(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	g := kernels.Genome{"keep": kernels.String("registers"), "vector": kernels.Int(8), "exp": kernels.String("exp2"),
		"threads_per_row": kernels.Int(1024)} // 8192 columns fill its threads
	const again, four, one = "softmax_again<VECTOR, 1>(x", "softmax_again<1, 4>(x", "softmax_again<1, 1>(x"
	for _, tt := range []struct {
		loads []string
		has   []string
		lacks []string
		entry map[int]string
	}{
		{nil, []string{"softmax_exact(", "softmax_rows(", four}, []string{again, one},
			map[int]string{8192: "softmax_exact", 4096: "softmax", 4097: "softmax_plain"}},
		{[]string{"16384x8192"}, []string{"softmax_exact(", again, one}, []string{four},
			map[int]string{8192: "softmax_exact", 4096: "softmax", 4097: "softmax_plain"}},
		{[]string{"4096x4096"}, []string{"softmax_rows(x, y, rows, cols, kept)", one},
			[]string{"softmax_exact(", again, four},
			map[int]string{8192: "softmax", 4096: "softmax", 4097: "softmax_plain"}},
		{[]string{"512x50257"}, []string{again, four}, []string{"softmax_exact(", "softmax_rows(", one},
			map[int]string{8192: "softmax", 4096: "softmax", 50257: "softmax_plain"}},
		{[]string{"16384x8192", "4096x4096", "512x50257"},
			[]string{"softmax_exact(", "softmax_rows(", four}, []string{again, one},
			map[int]string{8192: "softmax_exact", 4096: "softmax", 4097: "softmax_plain"}},
	} {
		b, err := Builtin("softmax")
		if err != nil {
			t.Fatal(err)
		}
		if tt.loads != nil {
			b = builtinFor(t, "softmax", tt.loads...)
		}
		f := b.Families[0]
		full := f.Defaults()
		maps.Copy(full, g)
		job, err := b.Job(f, full, dev, kernels.FP16)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range tt.has {
			if !strings.Contains(job.Source, text) {
				t.Errorf("%v: no %s\n%s", tt.loads, text, job.Source)
			}
		}
		for _, text := range tt.lacks {
			if strings.Contains(job.Source, text) {
				t.Errorf("%v: has %s\n%s", tt.loads, text, job.Source)
			}
		}
		for cols, entry := range tt.entry {
			call, err := job.Resolve(kernels.Dims{"rows": 64, "cols": cols})
			if err != nil || len(call.Launches) != 1 || call.Launches[0].Entry != entry {
				t.Errorf("%v: %d columns: %v, %v", tt.loads, cols, call, err)
			}
		}
	}
}

// TestSizesAreCarried: a run's files have the sizes of its workloads, and those of another run others.
func TestSizesAreCarried(t *testing.T) {
	one := builtinFor(t, "softmax", "16384x8192")
	again, err := FromFiles(one.Files)
	if err != nil || again.Hash() != one.Hash() || one.Files[sizesFile] == nil || !OfRun(sizesFile) {
		t.Errorf("the sizes are lost: %v", err)
	}
	other, err := one.For(loads(t, one, "4096x4096"))
	if err != nil || other.Hash() != builtinFor(t, "softmax", "4096x4096").Hash() || other.Hash() == one.Hash() {
		t.Errorf("other workloads: %v", err)
	}
	none, err := one.For(nil)
	if err != nil || none.Files[sizesFile] != nil {
		t.Errorf("no workloads: %v, %s", err, none.Files[sizesFile])
	}
}

// TestSizesAreChecked: a run may have been made by anybody.
func TestSizesAreChecked(t *testing.T) {
	for name, text := range map[string]string{"no JSON": "cols = 64", "none": "[]", "one dim": `[{"cols": 64}]`,
		"words": `[{"rows": 1, "cols": "64"}]`, "negative": `[{"rows": 1, "cols": -64}]`} {
		b, err := Builtin("softmax")
		if err != nil {
			t.Fatal(err)
		}
		files := maps.Clone(b.Files)
		files[sizesFile] = []byte(text)
		if _, err := FromFiles(files); err == nil || !strings.Contains(err.Error(), sizesFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
