package graph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestChains: the check allows the errors of sums as long as those of the fewest threads that a point of the family may
// have along a row, of all numbers or of equal ones. Of columns it allowed those of eight threads, and refused one
// thread's sum of 339 equal numbers; of rows those of 32, and refused sums by four and fewer.
func TestChains(t *testing.T) {
	for _, c := range []struct{ graph, family, gene string }{
		{"sum_dim1", "columns", "along"}, {"rms_written", "columns", "along"}, {"softmax", "rows", "threads_per_row"},
		{"layernorm", "rows", "threads_per_row"}, {"l2norm", "rows", "threads_per_row"},
		{"groupnorm", "rows", "threads_per_row"},
	} {
		files, err := read(t, "testdata/"+c.graph+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		least := regexp.MustCompile(`name = "` + c.gene + `"\nabout = .*\nvalues = \[(\d+),`)
		threads := least.FindSubmatch(files[c.family+".toml"])
		if threads == nil {
			t.Errorf("%s: %s has no gene %s", c.graph, c.family, c.gene)
			continue
		}
		fewest, _ := strconv.Atoi(string(threads[1]))
		if divided := shared(files["problem.toml"]); divided > fewest && !chainsAlike(files["reference.cu"], divided) {
			t.Errorf("%s: a point may have %d thread(s) along a row, and the check is for %d or more", c.graph, fewest, divided)
		}
	}
}

// shared is how many threads are taken to share a row.
func shared(problem []byte) int {
	found := regexp.MustCompile(`\nreduction = ".*ceil_div\(.*, (\d+)\)`).FindSubmatch(problem)
	if found == nil {
		return 1
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}

// chainsAlike reports whether the reference counts equal numbers in each of its sums, and uses the count.
func chainsAlike(reference []byte, divided int) bool {
	text := string(reference)
	counted := regexp.MustCompile(`const double (\w+)_more = Alike::more\(plus\(\w+\.equal, share\), `+regexp.QuoteMeta(
		fmt.Sprintf("double((n.terms() + %d) / %d + 8))", divided-1, divided))).FindAllStringSubmatch(text, -1)
	for _, c := range counted {
		if !strings.Contains(text, c[1]+".see(float(") ||
			!strings.Contains(text, c[1]+"_more * plus(") && !strings.Contains(text, ", "+c[1]+"_more)") {
			return false
		}
	}
	return len(counted) > 0
}

// TestAlikeOfProducts: a product of matrices counts equal terms, whether it is the last step or a stage. A thread adds
// up all of them, so that 8,192 terms after a large one err by 6,200 units of their sum where 2,048 were allowed.
func TestAlikeOfProducts(t *testing.T) {
	for _, name := range []string{"matmul", "linear_gn"} {
		files, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		text := string(files["reference.cu"])
		if !strings.Contains(text, "if (u * v != 0) alike") || !strings.Contains(text, "].equal, double(n.lengths[3]))") &&
			!strings.Contains(text, "size * Alike::more(alike.equal, double(terms))") {
			t.Errorf("%s does not count equal terms", name)
		}
	}
}

// TestScatteredAreProductsBeforeSums: errors of products of normal numbers scatter whatever norm or sum follows, and an
// import says so where its bound on the whole output would else allow for an error of a whole row.
func TestScatteredAreProductsBeforeSums(t *testing.T) {
	for name, want := range map[string]bool{
		"linear_gn": true, "linear_instance_norm": true, "linear_gn_tf32": false, "matmul": false, "layernorm": false,
		"sum_dim1": false,
	} {
		files, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(files["problem.toml"]), "\nscattered = true"); got != want {
			t.Errorf("%s: scattered is %v", name, got)
		}
	}
}

// TestAlikeOnlyWhereItMust: neither running products nor sums of everything, nor maxima, count equal numbers.
func TestAlikeOnlyWhereItMust(t *testing.T) {
	for _, name := range []string{"cumprod", "frobenius", "argmin", "avgpool3d"} {
		files, err := read(t, "testdata/"+name+".json").Folder()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(files["reference.cu"]), "Alike") {
			t.Errorf("%s counts equal numbers", name)
		}
	}
}

// TestNothingHasALogarithm: the logarithm of a sum of exponentials of nothing but -inf is -inf, as in torch, not NaN.
func TestNothingHasALogarithm(t *testing.T) {
	for kind, want := range map[string]bool{"LogSum": true, "ExpSum": false} {
		if got := strings.Contains(truths[kind].first, "fmax(-1.7976931348623157e308, "); got != want {
			t.Errorf("%s: %s", kind, truths[kind].first)
		}
	}
}
