package graph

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// resized is the folder of a graph whose dims have other values.
func resized(t *testing.T, name string, dims map[string]int) *templates.Bundle {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var g map[string]any
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(dims)
	for _, d := range g["dims"].([]any) {
		d := d.(map[string]any)
		if n, ok := dims[d["name"].(string)]; ok {
			d["value"] = n
			delete(left, d["name"].(string))
		}
	}
	if len(left) > 0 {
		t.Fatalf("%s has no dims %v", name, left)
	}
	data, _ = json.Marshal(g)
	parsed, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := parsed.Folder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestWantedStarts: the design that moves the fewest bytes, or keeps all multiprocessors at work, is among the first
// points that a search tries at the sizes of KernelBench.
func TestWantedStarts(t *testing.T) {
	type sizes = map[string]int
	for _, tt := range []struct {
		name   string
		dims   sizes
		family string
		first  int    // so many points
		want   string // genes of one of them
	}{
		{"relu", sizes{"batch": 4096, "features": 393216}, "map", 2, "vector=4 store=streaming"},
		{"softmax", sizes{"features": 393216}, "rows", 1, "cluster=8 keep=shared vector=4"},
		{"softmax", sizes{"features": 393216}, "rows", 4, "cluster=8 keep=shared loader=bulk fast_exp=true algorithm=merged"},
		{"softmax", nil, "rows", 1, "keep=registers items=4 threads_per_row=512"},
		{"l2norm", sizes{"features": 262144}, "rows", 4, "cluster=8 keep=registers loader=bulk stages=2 schedule=persistent"},
		{"l2norm", nil, "rows", 4, "cluster=8 keep=registers threads_per_row=512 items=4"},
		{"rms_written", nil, "columns", 1, "keep=registers along=8 items=8 vector=4"},
		{"sum_dim1", nil, "columns", 2, "vector=1 across=128 items=16 min_blocks=1"},
		{"argmin", nil, "columns", 2, "vector=1 across=128 items=16 min_blocks=1"},
		{"linear_bn", nil, "columns", 1, "across=8 along=32 vector=4"},
		{"groupnorm", nil, "spread", 2, "order=backwards store=streaming min_blocks=4"},
		{"batchnorm", nil, "spread", 2, "order=backwards store=streaming min_blocks=4 vector=4"},
		{"mse", nil, "spread", 2, "vector=4 items=4 min_blocks=4"},
		{"cumsum", nil, "scan", 3, "threads_per_row=512 vector=4 items=4"},
		{"cumsum_long", nil, "scan_tiles", 1, "vector=4 items=4"},
		{"maxpool1d", nil, "windows", 3, "store=streaming"},
		{"matmul", nil, "matmul", 1, "tile_m=128 tile_n=256 per_m=8 per_n=16 buffers=2 read_ahead=true wide=4 sweep=columns"},
		{"matmul", nil, "matmul", 2, "tile_m=128 tile_n=128 per_m=8 per_n=16 tile_k=8 tile_blocks=2 sweep=columns"},
		{"matmul", nil, "matmul", 3, "tile_m=256 tile_n=128 per_m=16 per_n=8 tile_loader=async sweep=rows"},
		{"matmul", nil, "matmul", 5, "tile_m=128 tile_n=128 tile_k=16 tile_loader=async tile_blocks=2"},
		{"tril", nil, "matmul", 1, "tile_m=128 tile_n=128 tile_blocks=2"},
		{"matmul", sizes{"m": 256, "n": 256, "k": 524288}, "matmul", 1, "split=66"},
		{"matmul", sizes{"m": 32768, "n": 32768, "k": 32}, "matmul", 3, "tile_k=32 tile_store=streaming tile_blocks=2"},
	} {
		f, err := resized(t, tt.name, tt.dims).Family(tt.family)
		if err != nil {
			t.Fatal(err)
		}
		starts := f.Starts()
		wanted := func(g kernels.Genome) bool { return hasGenes(t, g, tt.want) }
		if !slices.ContainsFunc(starts[:min(tt.first, len(starts))], wanted) {
			t.Errorf("%s %v: no point with %s among the first %d of %s", tt.name, tt.dims, tt.want, tt.first, tt.family)
		}
	}
}

func hasGenes(t *testing.T, g kernels.Genome, want string) bool {
	t.Helper()
	for _, one := range strings.Fields(want) {
		gene, text, _ := strings.Cut(one, "=")
		v, ok := g[gene]
		if !ok {
			t.Fatalf("no gene %s", gene)
		}
		if v.String() != text {
			return false
		}
	}
	return true
}

// TestStartsDiffer: what is tried first is legal at the graph's sizes and no point comes twice, so that a search of few
// verdicts wastes none.
func TestStartsDiffer(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		b := resized(t, name, nil)
		for _, f := range b.Families {
			if slices.Contains([]string{"tile", "vectors", "hopper"}, f.Name) {
				continue // with starts for other sizes
			}
			seen := map[string]int{}
			for i, g := range f.Starts() {
				if err := f.Check(g, dev, b.Problem.DTypes[0], b.Problem.Workloads[0].Dims); err != nil {
					t.Errorf("%s: start %d of %s: %v", name, i, f.Name, err)
				}
				key := g.Key()
				if before, ok := seen[key]; ok {
					t.Errorf("%s: starts %d and %d of %s are one point: %s", name, before, i, f.Name, key)
				}
				seen[key] = i
			}
		}
	}
}

// TestStreamingStarts: results that are far more than L2 holds are written with streaming stores from the first point
// on; those that are not, and places that are read for a few results, are begun with as they were.
func TestStreamingStarts(t *testing.T) {
	type sizes = map[string]int
	for _, tt := range []struct {
		name   string
		dims   sizes
		family string
		all    bool // of the points stream, else some do not
	}{
		{"rms_written", nil, "columns", true},
		{"groupnorm", nil, "spread", true},
		{"l2norm", nil, "rows", true},
		{"softmax", sizes{"features": 393216}, "rows", true},
		{"softmax", nil, "rows", false},
		{"l2norm", sizes{"batch": 64}, "rows", false},
	} {
		b := resized(t, tt.name, tt.dims)
		f, err := b.Family(tt.family)
		if err != nil {
			t.Fatal(err)
		}
		dev, err := kernels.ArchDevice("sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		all := true
		for i, g := range f.Starts() {
			if v := g["store"].String(); v != "streaming" {
				all = false
			}
			if err := f.Check(g, dev, b.Problem.DTypes[0], b.Problem.Workloads[0].Dims); err != nil {
				t.Errorf("%s %v: start %d: %v", tt.name, tt.dims, i, err)
			}
		}
		if all != tt.all || len(f.Starts()) < 4 {
			t.Errorf("%s %v: %d starts of %s, all streaming: %v, expected %v", tt.name, tt.dims, len(f.Starts()), tt.family,
				all, tt.all)
		}
	}
	for _, name := range []string{"sum_dim1", "argmin", "mse"} { // which read much and write little
		for _, f := range resized(t, name, nil).Families {
			for _, g := range f.Starts() {
				if v, ok := g["store"]; ok && v.String() == "streaming" && (f.Name == "columns" || f.Name == "rows") {
					t.Errorf("%s: a start of %s: %v", name, f.Name, g)
				}
			}
		}
	}
}
