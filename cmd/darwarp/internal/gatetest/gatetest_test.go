package gatetest_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/kernels"
	"darwarp/templates"
)

func bundle(t *testing.T, problem string) *templates.Bundle {
	t.Helper()
	b, err := gatetest.Bundle(problem)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestReferences: a folder has a reference of its own or borrows one, and never both; an unknown folder is an error.
func TestReferences(t *testing.T) {
	for _, problem := range gatetest.Problems() {
		b := bundle(t, problem)
		own, err := os.ReadFile("problems/" + problem + "/reference.cu")
		if err == nil && string(own) != string(b.Files["reference.cu"]) {
			t.Errorf("%s has a reference beside the one that it borrows", problem)
		}
		if !strings.Contains(b.Reference, b.Problem.Reference.Entry) {
			t.Errorf("%s: no kernel %s in its reference", problem, b.Problem.Reference.Entry)
		}
	}
	if product, tiles := bundle(t, "product"), bundle(t, "tiles"); product.Reference != tiles.Reference {
		t.Error("two references of one product")
	}
	if _, err := gatetest.Bundle("nosuch"); err == nil {
		t.Error("a folder that is not there was read")
	}
}

// device is one of the two kinds.
func device(t *testing.T, kind string) kernels.Device {
	t.Helper()
	d, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	if d.Kind = kind; kind == "cpu" {
		d.Arch = "cpu"
	}
	return d
}

// cases are those of all problems on a kind of device.
func cases(t *testing.T, kind string, f gatetest.Filter) (all []gatetest.Case) {
	t.Helper()
	for _, problem := range gatetest.Problems() {
		list, err := f.Cases(bundle(t, problem), device(t, kind))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

// TestTablesNameTheKernels compares the tables with the families' genes: a kernel that only one of them has is not
// tried.
func TestTablesNameTheKernels(t *testing.T) {
	for _, problem := range gatetest.Problems() {
		b := bundle(t, problem)
		if b.Problem.Name != problem {
			t.Errorf("the problem in folder %s is named %s", problem, b.Problem.Name)
		}
		list, err := gatetest.Filter{}.Cases(b, device(t, "cuda"))
		if err != nil {
			t.Fatal(err)
		}
		var tabled, genes []string
		for _, c := range list {
			tabled = append(tabled, c.Family+" "+c.Name)
		}
		for _, f := range b.Families {
			for _, v := range f.Genes[0].All() {
				if v.String() != "none" { // the cheats' rival in a duel
					genes = append(genes, f.Name+" "+v.String())
				}
			}
		}
		for _, name := range tabled {
			if !slices.Contains(genes, name) {
				t.Errorf("%s: %s has a row and is no value of the gene", problem, name)
			}
		}
		for _, name := range genes {
			if !slices.Contains(tabled, name) {
				t.Errorf("%s: %s has no row", problem, name)
			}
		}
	}
}

// TestTheClosedListNamesTheKernels holds docs/internals/cheats.md to the tables: every cheat has its row, and no row
// names one that is not there.
func TestTheClosedListNamesTheKernels(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/internals/cheats.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	page := strings.Join(strings.Fields(string(text)), " ") // names stand on several lines
	for _, m := range regexp.MustCompile("\\bK ((?:`\\w+`(?: \\([^)]*\\))?(?:, )?)+)").FindAllStringSubmatch(page, -1) {
		for _, name := range regexp.MustCompile("`(\\w+)`(?: \\(|,|$)").FindAllStringSubmatch(m[1], -1) {
			listed = append(listed, name[1])
		}
	}
	var names []string
	for _, c := range cases(t, "cuda", gatetest.Filter{}) {
		names = append(names, c.Name)
		if c.Family != "honest" && !slices.Contains(listed, c.Name) {
			t.Errorf("%s %s is in no row", c.Problem, c.Name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(names, name) {
			t.Errorf("a row names %s, which is no kernel", name)
		}
	}
}

func TestEveryKindHasCheats(t *testing.T) {
	count := map[gatetest.Kind]int{}
	for _, c := range cases(t, "cuda", gatetest.Filter{}) {
		count[c.Kind]++
		if c.Family == "cheat" && !slices.Contains(gatetest.Kinds, c.Kind) {
			t.Errorf("%s %s is of kind %q", c.Problem, c.Name, c.Kind)
		}
	}
	for _, k := range gatetest.Kinds {
		if count[k] == 0 {
			t.Errorf("no cheat is of kind %s", k)
		}
	}
}

func TestTheShortListNamesKernels(t *testing.T) {
	if short := cases(t, "cpu", gatetest.Filter{Short: true}); len(short) != 10 {
		t.Errorf("%d kernels in the short test, expected 10: is a name in brief misspelt?", len(short))
	}
}

func TestFilters(t *testing.T) {
	for _, tt := range []struct {
		f    gatetest.Filter
		want string // what every kernel is, in words of which it has all
	}{
		{gatetest.Filter{Problems: []string{"product"}, Kinds: []string{"honest"}}, "product honest"},
		{gatetest.Filter{Kinds: []string{"authorship"}}, "cheat authorship"},
		{gatetest.Filter{Kernels: []string{"tf32"}}, "product cheat tf32"},
	} {
		list := cases(t, "cuda", tt.f)
		if len(list) == 0 {
			t.Errorf("%+v chooses nothing", tt.f)
		}
		for _, c := range list {
			is := []string{c.Problem, c.Family, string(c.Kind), c.Name}
			for word := range strings.FieldsSeq(tt.want) {
				if !slices.Contains(is, word) {
					t.Errorf("%+v chooses %v", tt.f, is)
				}
			}
		}
	}
	for _, f := range []gatetest.Filter{{Problems: []string{"no"}}, {Kinds: []string{"no"}}, {Kernels: []string{"no"}}} {
		if f.Check() == nil {
			t.Errorf("%+v: a name that nothing has", f)
		}
	}
}

func TestNoCheatMayPassAndNoHonestKernelFail(t *testing.T) {
	for _, c := range cases(t, "cuda", gatetest.Filter{}) {
		for _, o := range []kernels.Outcome{kernels.OK, kernels.Duplicate, kernels.Lost, kernels.Unknown,
			kernels.Unsupported} {
			if held, want := c.Holds(o), c.Family == "honest" && o == kernels.OK; held != want {
				t.Errorf("%s %s: %s holds: %v", c.Family, c.Name, o, held)
			}
		}
	}
}

// alike are kernels that differ from another of their problem in their launches alone.
var alike = []string{
	"plain", "grid_stride", "one_thread_blocks", "large_blocks", "too_many_threads", "three_launches",
	"too_large_cluster", "empty_grid", "too_large_grid", "l2_window", "cleared_scratch",
	"stale_flags", "plan_forgets_tail", "carries_of_no_bytes", "plan_of_known_sizes", "block_a_row", "blocks_of_96",
	"last_row_of_odd", "grid_of_seven",
}

// TestEveryKernelIsItsOwn finds a way or a cheat that the template has forgotten: it renders as another.
func TestEveryKernelIsItsOwn(t *testing.T) {
	for _, problem := range gatetest.Problems() {
		b := bundle(t, problem)
		sources := map[string]string{}
		list, err := gatetest.Filter{}.Cases(b, device(t, "cuda"))
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d kernels, %v", problem, len(list), err)
		}
		for _, c := range list {
			f, err := b.Family(c.Family)
			if err != nil {
				t.Fatal(err)
			}
			j, err := b.Job(f, c.Genes, device(t, "cuda"), b.Problem.DTypes[0])
			if err != nil {
				t.Fatalf("%s %s: %v", problem, c.Name, err)
			}
			body := strings.Replace(j.Source, ": "+c.Name+".", "", 1) // the comment that names it
			if other := sources[body]; other != "" && !slices.Contains(alike, c.Name) {
				t.Errorf("%s %s has the source of %s", problem, c.Name, other)
			}
			sources[body] = c.Name
		}
	}
}
