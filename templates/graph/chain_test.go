package graph

import (
	"regexp"
	"strconv"
	"testing"
)

// TestChainOfColumns: the check allows the errors of sums as long as those of the fewest threads that a point of the
// family may have along a row. It allowed those of eight, and refused one thread's sum of 339 equal numbers.
func TestChainOfColumns(t *testing.T) {
	least := regexp.MustCompile(`name = "along"\nabout = .*\nvalues = \[(\d+),`)
	parts := regexp.MustCompile(`\nreduction = ".*ceil_div\(.*, (\d+)\)`)
	for _, name := range []string{"sum_dim1", "rms_written"} {
		files, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		threads := least.FindSubmatch(files["columns.toml"])
		if threads == nil {
			t.Errorf("%s: columns has no gene along", name)
			continue
		}
		fewest, _ := strconv.Atoi(string(threads[1]))
		divided := 1
		if found := parts.FindSubmatch(files["problem.toml"]); found != nil {
			divided, _ = strconv.Atoi(string(found[1]))
		}
		if divided > fewest {
			t.Errorf("%s: a point may have %d thread(s) along a row, and the check is for %d or more", name, fewest, divided)
		}
	}
}
