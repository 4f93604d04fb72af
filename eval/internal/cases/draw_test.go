package cases

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

func drawerOf(t *testing.T, lines string, most float64, seed uint64) *drawer {
	t.Helper()
	return drawerIn(t, strings.Replace(kernelstest.Product, "[check]\n", "[check]\n"+lines+"\n", 1), most, seed)
}

func drawerIn(t *testing.T, text string, most float64, seed uint64) *drawer {
	t.Helper()
	p, err := kernels.ParseProblem("problem.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &drawer{p: p, t: kernels.FP16, rng: rand.New(rand.NewPCG(seed, 1)), cap: most, long: 1 << 16}
}

// TestAlignments: each dim is drawn in each alignment, and differently in another session.
func TestAlignments(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		found := map[string]map[int]bool{"m": {}, "n": {}, "k": {}}
		for _, size := range drawerOf(t, "", 1e10, seed).aligned() {
			for dim, of := range found {
				of[min(bits.TrailingZeros(uint(size[dim])), alignments-1)] = true
			}
			seen[fmt.Sprint(size)] = true
		}
		for dim, of := range found {
			if len(of) != alignments {
				t.Errorf("seed %d: %s in %d alignments: %v", seed, dim, len(of), of)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d sizes in 20 sessions", len(seen))
	}
}

// TestThirds: each dim is drawn as a multiple of 48, and as none, in every session.
func TestOddFactors(t *testing.T) {
	for seed := range uint64(20) {
		d := drawerIn(t, strings.ReplaceAll(kernelstest.Product, "= 128", "= 1024"), 1e10, seed)
		d.odd = oddFactors(d.rng)
		found := map[string]map[string]bool{"m": {}, "n": {}, "k": {}}
		for _, size := range d.aligned() {
			for dim, n := range size {
				for _, tile := range []int{48, 80, 96, 112} {
					found[dim][fmt.Sprint(tile)] = found[dim][fmt.Sprint(tile)] || n%tile == 0
				}
				found[dim]["none of 3"] = found[dim]["none of 3"] || n%3 != 0
			}
		}
		for dim, of := range found {
			for _, kind := range []string{"48", "80", "96", "112", "none of 3"} {
				if !of[kind] {
					t.Errorf("seed %d: %s is no multiple of %s", seed, dim, kind)
				}
			}
		}
	}
}

// TestUpperHalf: each dim that may be long is drawn between half of what it may be and all of it.
func TestUpperHalf(t *testing.T) {
	for seed := range uint64(20) {
		text := strings.Replace(kernelstest.Product, "m = 128, n = 128, k = 128", "m = 4096, n = 128, k = 4096", 1)
		d, found := drawerIn(t, text, 1e10, seed), map[string]bool{}
		d.loads = []kernels.Workload{{Dims: kernels.Dims{"m": 4096, "n": 128, "k": 2048}}}
		for _, size := range d.upper() {
			for dim, n := range size {
				found[dim] = found[dim] || n >= 2048 && n <= 4096
			}
		}
		if !found["m"] || !found["k"] {
			t.Errorf("seed %d: drawn large: %v", seed, found)
		}
	}
}

// TestRareCases: every candidate meets many lines of which a few are hard, and a would-be champion does at every
// workload.
func TestRareCases(t *testing.T) {
	text := strings.Replace(kernelstest.Product, "m = 128, n = 128, k = 128", "m = 4096, n = 128, k = 4096", 1)
	p, err := kernels.ParseProblem("problem.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Wanted{Problem: p, DType: kernels.FP16, Workloads: p.Workloads, Effort: OnGPU(1 << 36),
		RNG: rand.New(rand.NewPCG(1, 1))})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, c := range s.List {
		if c.Class != device.Rare {
			continue
		}
		for dim, n := range c.Dims {
			found[dim+" drawn"] = found[dim+" drawn"] || !c.Trial && n >= 2048
		}
		found[c.Workload] = c.Trial && len(c.Mix) == 2
	}
	for _, want := range []string{"m drawn", "k drawn", p.Workloads[0].Name, p.Workloads[1].Name} {
		if !found[want] {
			t.Errorf("no rare case of %s: %v", want, found)
		}
	}
}

// TestSmaller: sizes that are too large keep their alignment, and the factor that only some tiles have, as long as they
// can.
func TestSmaller(t *testing.T) {
	for _, test := range []struct{ size, step, want int }{
		{16 * 35, 1, 16 * 21}, {16 * 21, 1, 16 * 7}, {16 * 7, 1, 16 * 3}, {16 * 3, 1, 16}, {16, 1, 8},
		{15, 1, 5}, {5, 1, 3}, {2 * 27, 2, 2 * 15},
		{2 * 9, 2, 2 * 3}, {13, 1, 7},
	} {
		if got := smaller(test.size, test.step); got != test.want {
			t.Errorf("after %d comes %d, expected %d", test.size, got, test.want)
		}
	}
}

// TestPastTiles: the last tile of a size near each workload has a single number.
func TestPastTiles(t *testing.T) {
	for _, test := range []struct{ size, step, most, want int }{
		{32768, 1, math.MaxInt32, 32769}, {50257, 1, math.MaxInt32, 50177}, {96, 1, math.MaxInt32, 97},
		{4096, 8, 4096, 4096}, {4096, 8, 8192, 4104}, {64, 64, 128, 128},
	} {
		if got := pastTiles(kernels.Range{Step: test.step, Most: test.most}, test.size); got != test.want {
			t.Errorf("%d in steps of %d: %d, expected %d", test.size, test.step, got, test.want)
		}
	}
}

// TestCubes: all dims are the same, once a multiple of 256, once odd and once one less than a multiple of 64; all are
// multiples of 3, 5 and 7; and each ends with each odd number of sixteens in a tile of 128.
func TestCubes(t *testing.T) {
	for seed := range uint64(20) {
		list := drawerIn(t, strings.ReplaceAll(kernelstest.Product, "= 128", "= 1024"), 1e10, seed).cubes()
		if len(list) != 4+len(partial) {
			t.Fatalf("seed %d: %v", seed, list)
		}
		for dim, n := range list[3] {
			if n%105 != 0 {
				t.Errorf("seed %d: %s is %d", seed, dim, n)
			}
		}
		for i, size := range list[:3] {
			n := size["m"]
			if right := []bool{n%256 == 0, n%2 == 1, n%64 == 63}[i]; size["n"] != n || size["k"] != n || !right {
				t.Errorf("seed %d: size %d is %v", seed, i, size)
			}
		}
		ends := map[string]int{}
		for _, size := range list[4:] {
			for dim, n := range size {
				ends[fmt.Sprint(dim, n%128)]++
			}
		}
		if len(ends) != 3*len(partial) || ends["k48"] != 1 || ends["m112"] != 1 {
			t.Errorf("seed %d: ends of tiles %v", seed, ends)
		}
	}
}

// TestShortCubeIsPlain: where all dims are one less than a tile the inputs are once all of one ordinary class.
func TestShortCubeIsPlain(t *testing.T) {
	text := strings.ReplaceAll(kernelstest.Product, "= 128", "= 1024")
	for seed := range uint64(10) {
		p := kernelstest.Problem(t, text)
		s, err := New(Wanted{Problem: p, DType: kernels.FP16, Workloads: p.Workloads, Effort: OnGPU(1 << 36),
			RNG: rand.New(rand.NewPCG(seed, 1))})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.List, func(c device.Case) bool {
			n := c.Dims["m"]
			return n%64 == 63 && c.Dims["n"] == n && c.Dims["k"] == n && c.Class == "normal" && !c.Trial
		}) {
			t.Errorf("seed %d: no plain case one less than whole tiles", seed)
		}
	}
}

// TestDrawnSizes: every size is within what the problem allows and what the device has time for.
func TestDrawnSizes(t *testing.T) {
	const most = 2e5
	for seed := range uint64(50) {
		d := drawerOf(t, "draw = { m = [3, 5], n = 8 }", most, seed)
		w := d.p.Workloads[1].Dims
		for _, size := range append(d.aligned(), d.near(w)...) {
			if work, ok := d.work(size); !ok || work > most {
				t.Errorf("%v: %g operations, %v", size, work, ok)
			}
			if n := size["n"]; n%8 != 0 || n < 8 || n > 128 || size["k"] < 1 {
				t.Errorf("%v: n is to be a multiple of 8 up to 128", size)
			}
		}
		for _, size := range d.aligned() {
			if m := size["m"]; m != 3 && m != 5 {
				t.Errorf("%v: m is to be 3 or 5", size)
			}
		}
	}
}

// TestNearWorkloads: every dim of a workload is tried as it is and a little off, among others that are small.
func TestNearWorkloads(t *testing.T) {
	offs := map[int]bool{}
	for seed := range uint64(30) {
		d := drawerOf(t, "", 1e9, seed)
		same := map[string]bool{}
		for _, size := range d.near(kernels.Dims{"m": 1024, "n": 96, "k": 4096}) {
			for dim, v := range map[string]int{"m": 1024, "n": 96, "k": 4096} {
				switch off := size[dim] - v; {
				case off == 0:
					same[dim] = true
				case off >= -16 && off <= 16:
					offs[off] = true
				case size[dim] > 2*lineCount:
					t.Errorf("%v: %s is neither near the workload nor small", size, dim)
				}
			}
		}
		if len(same) != 3 {
			t.Errorf("seed %d: as in the workload only %v", seed, same)
		}
	}
	for _, off := range []int{-1, 1, -8, 8} {
		if !offs[off] {
			t.Errorf("never off by %d: %v", off, offs)
		}
	}
}

// TestNeighbor: a trial's size beside a workload has no dim in common with it that may be another.
func TestNeighbor(t *testing.T) {
	w := kernels.Dims{"m": 1024, "n": 96, "k": 4096}
	for seed := range uint64(30) {
		size, ok := drawerOf(t, "", 1e9, seed).neighbor(w)
		for dim, v := range w {
			if off := size[dim] - v; !ok || off == 0 || off < -16 || off > 16 {
				t.Errorf("seed %d: %v beside %v", seed, size, w)
			}
		}
	}
}

// TestMixedClasses: inf and NaN stay out of mixed cases where one line has a part in others' outputs.
func TestMixedClasses(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		special        bool
	}{
		{"rows of a product", "", "", true},
		{"the second axis summed", `shape = ["m", "k"]`, `shape = ["k", "m"]`, true},
		{"a row for two", `shape = ["m", "n"]`, `shape = ["ceil_div(m, 2)", "n"]`, true},
		{"all rows in every output", `shape = ["m", "n"]`, `shape = ["n"]`, false},
	} {
		p, err := kernels.ParseProblem("problem.toml", []byte(strings.Replace(kernelstest.Product, c.from, c.to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join((&Wanted{Problem: p}).mixed()[0], " ")
		if strings.Contains(got, "special") != c.special || !strings.Contains(got, "normal uniform wide constant") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// TestMixedOthers: inputs beside the first have hard lines, too, and inf and NaN where no line spoils others' outputs,
// in sums of products alone.
func TestMixedOthers(t *testing.T) {
	for _, c := range []struct{ name, lines, want, alone string }{
		{"a product", "", "normal uniform zeros lead special", "constant tiny huge shift special special special"},
		{"no sums of products", "exact = false", "normal uniform constant zeros lead outlier",
			"tiny huge shift special special special"},
		{"no inf", "special = false", "normal uniform zeros lead", "constant tiny huge shift"},
	} {
		w := &Wanted{Problem: drawerOf(t, c.lines, 1e9, 1).p}
		if got := strings.Join(w.mixed()[1], " "); got != c.want {
			t.Errorf("%s: lines %s, expected %s", c.name, got, c.want)
		}
		if got := strings.Join(w.alone(), " "); got != c.alone {
			t.Errorf("%s: alone %s, expected %s", c.name, got, c.alone)
		}
	}
}

// TestScales: every dim that is not one of a few values is drawn as a handful and as some thousands, beside a GPU as
// fewer.
func TestScales(t *testing.T) {
	for seed := range uint64(40) {
		one, few, many := map[string]bool{}, map[string]bool{}, map[string]bool{}
		word := map[string]bool{} // less than a vector of four
		d := drawerOf(t, "", 1e10, seed)
		if seed%2 == 1 {
			d.long = shortLong
		}
		for _, size := range d.scales() {
			for dim, n := range size {
				one[dim] = one[dim] || n == 1
				if float64(n) > d.long {
					t.Errorf("seed %d: %s is %d: at most %g", seed, dim, n, d.long)
				}
				few[dim] = few[dim] || n >= 4 && n <= 17
				word[dim] = word[dim] || n == 2 || n == 3
				many[dim] = many[dim] || n >= min(1<<10, d.p.Range(dim).Most)
			}
		}
		for _, dim := range d.p.DimNames {
			if r := d.p.Range(dim); len(r.Values) == 0 && !(one[dim] && word[dim] && few[dim] && many[dim]) {
				t.Errorf("seed %d: %s as one: %v, as 2 or 3: %v, as a handful: %v, as thousands: %v", seed, dim, one[dim],
					word[dim], few[dim], many[dim])
			}
		}
	}
}

// TestReach: a dim that is scored at very long sizes is drawn beyond 65,536, and up to four times what is scored;
// another is not.
func TestReach(t *testing.T) {
	text := strings.Replace(kernelstest.Product, "m = 128", "m = 1000000", 1)
	p, err := kernels.ParseProblem("problem.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scored, most int
		want         bool
	}{{200_000, 800_000, true}, {20_000, 80_000, true}, {16_000, 1 << 16, false}, {0, 1 << 16, false}} {
		far := false
		for seed := range uint64(20) {
			d := &drawer{p: p, t: kernels.FP16, rng: rand.New(rand.NewPCG(seed, 1)), cap: 1e10, long: 1 << 16}
			if c.scored > 0 {
				d.loads = []kernels.Workload{{Dims: kernels.Dims{"m": c.scored, "n": 64, "k": 64}}}
			}
			for _, size := range d.scales() {
				far = far || size["m"] > 1<<16
				if size["m"] > c.most || size["n"] > 1<<16 {
					t.Errorf("scored %d: drawn %v", c.scored, size)
				}
			}
		}
		if far != c.want {
			t.Errorf("scored %d: beyond 65,536: %v", c.scored, far)
		}
	}
}
