package cases

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

const manySessions = 20

// sessionsOf lists the cases of many sessions of a GPU at a problem of the gate test.
func sessionsOf(t *testing.T, name string) (list []*Set) {
	t.Helper()
	text, err := os.ReadFile("../../../cmd/darwarp/internal/gatetest/problems/" + name + "/problem.toml")
	if err != nil {
		t.Fatal(err)
	}
	p := kernelstest.Problem(t, string(text))
	for seed := range uint64(manySessions) {
		s, err := New(Wanted{Problem: p, DType: p.DTypes[0], Workloads: p.Workloads[:1], Effort: OnGPU(1 << 36),
			RNG: rand.New(rand.NewPCG(seed, 3))})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// TestEveryBeginning: whatever a session draws, weights that begin with a whole line of zeros in front of ordinary
// numbers are among what every candidate is judged on, and so is each other class of each input beside the first.
func TestEveryBeginning(t *testing.T) {
	for _, problem := range []string{"residual", "gated", "linear", "tempered"} {
		short, lacking := 0, map[device.Beginning]int{}
		for _, s := range sessionsOf(t, problem) {
			found, all := map[device.Beginning]bool{}, map[device.Beginning]bool{}
			for _, i := range s.Gated() {
				c := &s.List[i]
				if c.Class != device.Mixed {
					continue
				}
				for _, b := range c.Begun(c.Seed) {
					found[b] = true
				}
			}
			for input, classes := range s.mix {
				for class := range classes {
					if input == 0 { // whose lines are of all classes in any case
						break
					}
					if b := (device.Beginning{Tensor: input, Class: class, Long: true}); !found[b] {
						all[b] = true
						lacking[b]++
					}
				}
			}
			if len(all) > 0 {
				short++
			}
		}
		if short > 0 {
			t.Errorf("%s: %d of %d sessions lack a first line: %v", problem, short, manySessions, lacking)
		}
	}
}

// TestShortAndLong: each dim is one, and two or three, while the others are long, whatever a session draws.
func TestShortAndLong(t *testing.T) {
	for _, test := range []struct{ problem, short, long string }{
		{"gated", "rows", "cols"}, {"gated", "cols", "rows"}, {"product", "m", "k"}, {"product", "k", "n"},
	} {
		lacking := map[int]int{}
		for _, s := range sessionsOf(t, test.problem) {
			found := map[int]bool{}
			for _, i := range s.Gated() {
				if d := s.List[i].Dims; d[test.long] > 100 {
					found[min(d[test.short], 2)] = found[min(d[test.short], 2)] || d[test.short] < 4
				}
			}
			for n := 1; n <= 2; n++ {
				if !found[n] {
					lacking[n]++
				}
			}
		}
		if len(lacking) > 0 {
			t.Errorf("%s: %s is short beside a long %s: of %d sessions lack %v", test.problem, test.short, test.long,
				manySessions, lacking)
		}
	}
}

const maximum = `name = "maximum"
dims = ["rows", "cols"]
dtypes = ["fp32"]
flops = "rows * cols"
bytes = "4 * rows * cols"
[[tensor]]
name = "x"
role = "in"
shape = ["rows", "cols"]
[[tensor]]
name = "y"
role = "out"
shape = ["rows"]
[[workload]]
name = "w"
dims = { rows = ROWS, cols = 100000 }
[check]
reduction = "cols"
terms = [{ tensor = "x", dim = "cols", neutral = "NEUTRAL" }]
shapes = [{ rows = 1, cols = 1 }, { rows = 3, cols = 33 }]
[reference]
file = "reference.cu"
entry = "reference"
grid = ["rows"]
block = ["256"]
`

// TestPeaks: each sixty-fourth of few lines has what is to be found in some case of a trial; of many lines, and of a
// sum, there is no need.
func TestPeaks(t *testing.T) {
	for _, test := range []struct {
		rows, neutral string
		least, most   int // cases
	}{{"1", "-inf", 64, 100}, {"1", "inf", 64, 100}, {"24", "-inf", 4, 48}, {"100", "-inf", 0, 0}, {"1", "0", 0, 0}} {
		_, s := parseCases(t, strings.NewReplacer("ROWS", test.rows, "NEUTRAL", test.neutral).Replace(maximum), OnGPU(1<<36))
		peaks, found, below := 0, map[int]bool{}, test.neutral == "inf"
		for _, i := range s.Trials["w"] {
			c := &s.List[i]
			if c.Class != "outlier" || !c.Trial {
				continue
			}
			peaks++
			for part := range c.Peaked(c.Terms[0], c.Seed, check.Left, below) {
				found[part] = true
			}
		}
		if peaks < test.least || peaks > test.most || test.least > 0 && len(found) != 2*check.Left {
			t.Errorf("%s rows of neutral %s: %d cases, %d parts have a peak", test.rows, test.neutral, peaks, len(found))
		}
	}
}

// TestModesMeet: every two values of two dims that have few are in some drawn size together.
func TestModesMeet(t *testing.T) {
	text, err := os.ReadFile("../../../cmd/darwarp/internal/gatetest/problems/packed/problem.toml")
	if err != nil {
		t.Fatal(err)
	}
	p := kernelstest.Problem(t, string(text))
	lacking := map[string]int{}
	for seed := range uint64(manySessions) {
		d := &drawer{p: p, t: p.DTypes[0], rng: rand.New(rand.NewPCG(seed, 3)), cap: 1e10, long: 1 << 16}
		met := map[pair]bool{}
		for _, size := range append(append(d.aligned(), d.scales()...), d.cubes()...) {
			for i, a := range p.DimNames {
				for _, b := range p.DimNames[i+1:] {
					met[pair{a, b, size[a], size[b]}] = true
				}
			}
		}
		for i, a := range p.DimNames {
			for _, b := range p.DimNames[i+1:] {
				for _, av := range p.Range(a).Values {
					for _, bv := range p.Range(b).Values {
						if !met[pair{a, b, av, bv}] {
							lacking[fmt.Sprintf("%s=%d beside %s=%d", a, av, b, bv)]++
						}
					}
				}
			}
		}
	}
	if len(lacking) > 0 {
		t.Errorf("of %d sessions some lack %v", manySessions, lacking)
	}
}

// TestBesideSpecial: NaN in an input whose lines have outputs of their own is in many of them, beside ordinary numbers
// of all others and beside their zeros.
func TestBesideSpecial(t *testing.T) {
	for _, s := range sessionsOf(t, "gated")[:3] {
		beside := map[string]bool{}
		for i := range s.List {
			if c := &s.List[i]; c.Class == kernels.Special {
				beside[fmt.Sprint(c.Hard, c.Beside)] = c.Apart
			}
		}
		for _, want := range []string{"0 [normal zeros]", "0 [zeros]", "1 [normal]", "1 [normal zeros]", "1 [zeros]"} {
			if !beside[want] {
				t.Errorf("not %s: %v", want, beside)
			}
		}
	}
	for _, s := range sessionsOf(t, "residual")[:3] {
		for i := range s.List {
			if c := &s.List[i]; c.Hard == 2 && c.Class == kernels.Special && c.Apart {
				t.Errorf("%s: all rows have the weights", c.Name)
			}
		}
	}
}

// TestSpecialsAlone: where all rows have a bias in common, every candidate meets a NaN in it without an inf, and an inf
// without a NaN; where each line has outputs of its own, it meets some twenty lines with a NaN.
func TestSpecialsAlone(t *testing.T) {
	for i, s := range sessionsOf(t, "tempered") {
		found := map[device.Specials]bool{}
		for _, at := range s.Gated() {
			if c := &s.List[at]; c.Class == kernels.Special && c.Hard == 1 {
				found[c.Specials(c.Seed, 1)] = true
			}
		}
		if len(found) != 3 {
			t.Errorf("session %d: %v", i, found)
		}
	}
	for i, s := range sessionsOf(t, "gated") {
		for _, at := range s.Gated() {
			if c := &s.List[at]; c.Class == kernels.Special && c.Hard == 1 && c.Dims["rows"] < 4*lineCount {
				t.Errorf("session %d: %s", i, c.Name)
			}
		}
	}
}

// TestOnlyLines: of the cases in which the first input is an only line, one and more are of ordinary numbers in all
// inputs.
func TestOnlyLines(t *testing.T) {
	for _, problem := range []string{"gated", "softmax", "residual", "sum"} {
		for i, s := range sessionsOf(t, problem) {
			only, ordinary := 0, 0
			for _, at := range s.Gated() {
				if c := &s.List[at]; c.Class == device.Mixed && c.OnlyLine() {
					if only++; isPlain(c) {
						ordinary++
					}
				}
			}
			if only == 0 || ordinary < (only+1)/2 {
				t.Errorf("%s, session %d: %d of %d", problem, i, ordinary, only)
			}
		}
	}
}

func isPlain(c *device.Case) bool {
	plain, of := c.Plain(c.Seed)
	return plain == of
}

// TestManyOfMany: there is a size with thousands of numbers in hundreds of bins, with numbers that agree.
func TestManyOfMany(t *testing.T) {
	for i, s := range sessionsOf(t, "counts") {
		if !slices.ContainsFunc(s.Gated(), func(at int) bool {
			c := &s.List[at]
			return c.Class == device.Mixed && c.Dims["n"] >= thousands && c.Dims["bins"] > 256
		}) {
			t.Errorf("session %d has none", i)
		}
	}
}

// TestBeyondScored: sizes go beyond the scored ones as far as the problem's file does, in each session.
func TestBeyondScored(t *testing.T) {
	for i, s := range sessionsOf(t, "gated") {
		most := 0
		for _, at := range s.Gated() {
			most = max(most, s.List[at].Dims["rows"])
		}
		if most <= 2112 { // more blocks than an H200 has places for
			t.Errorf("session %d: at most %d rows", i, most)
		}
	}
}

// TestSeedsAreNew: no two sessions have a seed in common, nor all of their drawn sizes.
func TestSeedsAreNew(t *testing.T) {
	p := kernelstest.Problem(t, kernelstest.Product)
	seeds, sizes := map[uint64]int{}, [2][]string{}
	for session := range sizes {
		s, err := New(Wanted{Problem: p, DType: kernels.FP16, Workloads: p.Workloads, Effort: Emulated(),
			RNG: device.SecretNumbers()})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.List {
			c := &s.List[i]
			if other, found := seeds[c.Seed]; found && other != session {
				t.Errorf("case %s of session %d has a seed of another session", c.Name, session)
			}
			seeds[c.Seed], sizes[session] = session, append(sizes[session], fmt.Sprint(c.Dims))
		}
	}
	if len(seeds) < 20 || slices.Equal(sizes[0], sizes[1]) {
		t.Errorf("%d seeds; sizes %v and %v", len(seeds), sizes[0], sizes[1])
	}
}

// TestEveryEnd: whatever a session draws, the last line of the first input is once of each class, and a special one has
// a NaN, an inf and a -inf.
func TestEveryEnd(t *testing.T) {
	for _, problem := range []string{"residual", "softmax", "scattered", "lse"} {
		short, lacking := 0, map[device.Beginning]int{}
		for _, s := range sessionsOf(t, problem) {
			found := map[device.Beginning]bool{}
			for _, i := range s.Gated() {
				if c := &s.List[i]; c.Class == device.Mixed {
					for _, b := range c.Begun(c.Seed) {
						found[b] = b.Last
					}
				}
			}
			before := len(lacking)
			mix := slices.SortedFunc(slices.Values(s.mix[0]), func(a, b string) int {
				return slices.Index(device.Classes, a) - slices.Index(device.Classes, b)
			})
			for class, name := range mix {
				variants := 1
				if name == kernels.Special {
					variants = 3
				}
				for variant := range variants {
					if b := (device.Beginning{Class: class, Last: true, Variant: variant}); !found[b] {
						lacking[b]++
					}
				}
			}
			if len(lacking) > before {
				short++
			}
		}
		if short > 0 {
			t.Errorf("%s: %d of %d sessions lack a last line: %v", problem, short, manySessions, lacking)
		}
	}
}
