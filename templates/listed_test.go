package templates

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// listedRow is a line of a list for docs/results/shapes.sh.
type listedRow struct {
	key    string // PROBLEM:DTYPE:WORKLOAD
	over   string // the row that its time is divided by, if any
	bundle *Bundle
	dims   kernels.Dims
}

// listedIn reads a list of docs/results, and fails where a line names no workload of a built-in problem.
func listedIn(t *testing.T, path string) (rows []listedRow) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]*Bundle{}
	for line := range strings.Lines(string(text)) {
		words := slices.DeleteFunc(strings.Fields(line), func(word string) bool { return strings.HasPrefix(word, "--") })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		row := listedRow{key: words[0]}
		if at := slices.Index(words, "over"); at > 0 {
			row.over = strings.Join(words[at+1:], " ")
		}
		parts := strings.Split(row.key, ":")
		if len(parts) != 3 {
			t.Fatalf("%s: %q: expected PROBLEM:DTYPE:WORKLOAD", path, row.key)
		}
		if known[parts[0]] == nil {
			if known[parts[0]], err = Builtin(parts[0]); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		}
		row.bundle = known[parts[0]]
		if !slices.Contains(row.bundle.Problem.DTypes, kernels.DType(parts[1])) {
			t.Errorf("%s: %s: %s has no element type %s", path, row.key, parts[0], parts[1])
		}
		loads, err := row.bundle.Problem.FindWorkload(parts[2])
		if err != nil || len(loads) != 1 {
			t.Fatalf("%s: %s: %d workloads, %v; expected one", path, row.key, len(loads), err)
		}
		row.dims = loads[0].Dims
		rows = append(rows, row)
	}
	return rows
}

// TestListed: each line of the lists in docs/results can be searched, once, and is compared with a line of its list.
func TestListed(t *testing.T) {
	for name, least := range map[string]int{"shapes": 30, "products": 30, "decode": 20, "attention": 15} {
		path := filepath.Join("../docs/results", name+".txt")
		seen := map[string]bool{}
		rows := listedIn(t, path)
		for _, row := range rows {
			if seen[row.key] {
				t.Errorf("%s: %s twice", path, row.key)
			}
			seen[row.key] = true
		}
		for _, row := range rows {
			if row.over != "" && !seen[row.over] {
				t.Errorf("%s: %s over %q, which it does not have", path, row.key, row.over)
			}
		}
		if len(rows) < least {
			t.Errorf("%s: %d lines, expected %d at least", path, len(rows), least)
		}
	}
}

// TestStartsOfShapes: at each shape that docs/results compares with cuBLASLt some points that are likely to be fast are
// legal as they stand.
func TestStartsOfShapes(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range listedIn(t, "../docs/results/shapes.txt") {
		f, err := row.bundle.Family("hopper")
		if err != nil {
			t.Fatal(err)
		}
		legal := 0
		for _, start := range f.Starts() {
			if f.Check(start, dev, kernels.FP16, row.dims) == nil {
				legal++
			}
		}
		if legal < 3 {
			t.Errorf("%s: %d starts are legal, expected 3 at least", row.key, legal)
		}
	}
}
