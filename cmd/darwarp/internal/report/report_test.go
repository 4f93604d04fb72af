package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"darwarp/kernels"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Time(3.36), "3.360 ns"},
		{Time(999.94), "999.9 ns"},
		{Time(999.96), "1.000 us"},
		{Time(186212), "186.2 us"},
		{Time(1.5e9), "1.500 s"},
		{Time(9e12), "9000 s"},
		{Interval(186212, 185900, 187040), "186.2 us [185.9, 187.0]"},
		{Interval(1000, 990, 1010), "1.000 us [0.990, 1.010]"},
		{Flops(7.38e14), "738.0 TFLOP/s"},
		{Bandwidth(4.25e12), "4.250 TB/s"},
		{Work(2 * 4096 * 4096 * 4096), "137.4 GFLOP"},
		{Bytes(0), "0 B"},
		{Bytes(49152), "48 KiB"},
		{Bytes(1 << 30), "1 GiB"},
		{Bytes(150754820096), "140.4 GiB"},
		{Ratio(1.234), "1.23x"},
		{Ratio(123.4), "123x"},
		{Percent(0.873), "87.3%"},
		{Count(7), "7"},
		{Count(593765), "593,765"},
		{Count(-1234567), "-1,234,567"},
		{Duration(4200 * time.Millisecond), "4.2s"},
		{Duration(59400 * time.Millisecond), "59s"},
		{Duration(59600 * time.Millisecond), "1m00s"},
		{Duration(125 * time.Second), "2m05s"},
		{Duration(8*time.Hour + 2*time.Minute), "8h02m"},
		{Duration(-time.Second), "0.0s"},
		{Speedup(0.5), "2.00x"},
		{Speedup(0), "-"},
		{Speedup(math.NaN()), "-"},
		{Clip("abcdef", 4), "ab.."},
		{Clip("abcd", 4), "abcd"},
		{Clip("abcdef", 0), "abcdef"},
		{FirstLine("\n one\ntwo"), "one"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := NewTable("lrl", "name", "time", "origin")
	table.Row("a", "1.0 us", "mutate: something long enough to be cut")
	table.Row("long name", "10.0 µs", "")
	table.Indent = " "
	var whole, cut strings.Builder
	table.Write(&whole)
	table.Width = 40
	table.Write(&cut)
	if want := " name          time  origin\n a           1.0 us  mutate: something long enough to be cut\n" +
		" long name  10.0 µs\n"; whole.String() != want {
		t.Errorf("got\n%s\nwant\n%s", whole.String(), want)
	}
	if want := " name          time  origin\n a           1.0 us  mutate: something..\n long name  10.0 µs\n"; cut.
		String() != want {
		t.Errorf("got\n%s\nwant\n%s", cut.String(), want)
	}
	new(Table).Write(&cut) // an empty table writes nothing, and does not panic
}

func TestChanges(t *testing.T) {
	from := kernels.Genome{"a": kernels.Int(1), "b": kernels.String("x"), "gone": kernels.Bool(true)}
	to := kernels.Genome{"a": kernels.Int(2), "b": kernels.String("x"), "fresh": kernels.Bool(false)}
	if got, want := Join(Changes(from, to)), "a 1 -> 2, fresh false, no gone"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Changes(from, from); len(got) != 0 {
		t.Errorf("a genome differs from itself: %v", got)
	}
}

func TestStep(t *testing.T) {
	of := func(family string, a int) kernels.Variant {
		return kernels.Variant{Family: family, Genes: kernels.Genome{"a": kernels.Int(a)}}
	}
	for _, c := range []struct {
		from, to kernels.Variant
		want     string
	}{
		{of("tile", 1), of("tile", 2), "a 1 -> 2"},
		{of("tile", 1), of("hopper", 2), "family hopper"},
		{kernels.Variant{}, of("tile", 1), "family tile"},
		{of("tile", 1), kernels.Variant{}, "no a"},
	} {
		if got := Step(c.from, c.to); got != c.want {
			t.Errorf("%+v to %+v: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func TestRoofline(t *testing.T) {
	c := &kernels.Ceilings{Bandwidth: 4e12, L2: 8e12, Matrix: 1e15}
	for _, x := range []struct {
		name         string
		ceilings     *kernels.Ceilings
		flops, bytes float64
		cache        string
		share        float64
		binds        string
	}{
		{"compute", c, 1e11, 1e6, "hot", 0.5, "compute"},
		{"memory", c, 1, 4e8, "cold", 0.5, "memory"},
		{"L2", c, 1, 8e8, "hot", 0.5, "L2"},
		{"no ceilings", nil, 1e11, 1e6, "hot", 0, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			share, binds := Roofline(x.ceilings, x.flops, x.bytes, 2e5, x.cache)
			if math.Abs(share-x.share) > 1e-9 || binds != x.binds {
				t.Errorf("got %g %s, want %g %s", share, binds, x.share, x.binds)
			}
		})
	}
}

func TestSource(t *testing.T) {
	src := "__global__ void f() {}\n"
	var plain, coloured, diff strings.Builder
	if err := Source(&plain, src, false); err != nil || plain.String() != src {
		t.Errorf("plain: %v %q", err, plain.String())
	}
	if err := Source(&coloured, src, true); err != nil || !strings.Contains(coloured.String(), "\x1b[") {
		t.Errorf("coloured: %v %q", err, coloured.String())
	}
	if err := Diff(&diff, "+a\n-b\n c\n", true); err != nil ||
		diff.String() != "\x1b[32m+a\x1b[0m\n\x1b[31m-b\x1b[0m\n c\n" {
		t.Errorf("diff: %v %q", err, diff.String())
	}
}

func TestRanks(t *testing.T) {
	for name, c := range map[string]struct {
		bounds [][2]float64
		want   []int
	}{
		"none":                     {nil, []int{}},
		"apart":                    {[][2]float64{{1, 1.1}, {1.2, 1.3}, {2, 3}}, []int{1, 2, 3}},
		"a tie":                    {[][2]float64{{1, 1.1}, {1.05, 1.3}, {1.2, 3}}, []int{1, 1, 3}},
		"a chain is not one group": {[][2]float64{{1, 2}, {1.5, 2.5}, {2.2, 3}, {2.9, 4}}, []int{1, 1, 3, 3}},
	} {
		var r Ranks
		got := []int{}
		for _, b := range c.bounds {
			got = append(got, r.Next(b[0], b[1]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestSpread(t *testing.T) {
	times := []kernels.Timing{{Workload: "s", Median: 10, Lo: 9, Hi: 11}, {Workload: "l", Median: 100, Lo: 98, Hi: 106}}
	if got := Spread(times, []kernels.Workload{{Name: "s", Weight: 1},
		{Name: "l", Weight: 3}}); math.Abs(got-0.055) > 1e-12 {
		t.Errorf("%g", got)
	}
	if got := Spread(nil, []kernels.Workload{{Name: "s", Weight: 1}}); got != 0 {
		t.Errorf("%g of nothing", got)
	}
}

// TestCause: what differs only in numbers is one cause, told by its first detail.
func TestCause(t *testing.T) {
	wrong := func(detail string) string { key, _ := Cause(kernels.Wrong, detail); return key }
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"another element": {"67x131x37 normal: C[12, 5] = 0.3, expected -0.5 (K=37; 3 of 4000 wrong)",
			"64x9x3 normal: C[0, 15] = -1e-05, expected 2e+07 (K=3; 4000 of 4000 wrong)", true},
		"NaN":                  {"C[1] = NaN, expected 3", "C[1] = -Inf, expected 3", true},
		"another distribution": {"67x131x37 normal: C[12] = 0.3", "67x131x37 ones: C[12] = 0.3", false},
		"another tensor":       {"A[1] = 2", "B[1] = 2", false},
		"an ID":                {"slower than 3fa2c81d55", "slower than 0123456789", true},
		"a line of a source":   {"kernel.cu(3): error: expected a ;\nmore", "kernel.cu(77): error: expected a ;", true},
		"a name with digits":   {"fp16 is not supported", "fp32 is not supported", false},
		"a range":              {"only rows 3 - 7", "only rows 4 - 9", true},
	} {
		if (wrong(c.a) == wrong(c.b)) != c.same {
			t.Errorf("%s: %q and %q", name, wrong(c.a), wrong(c.b))
		}
	}
	for _, c := range []struct {
		o            kernels.Outcome
		detail, want string
	}{
		{kernels.Wrong, "C[1] = 2, expected 3\nmore", "C[1] = 2, expected 3"},
		{kernels.Duplicate, "same machine code and launches as 3fa2c81d55", "same machine code and launches as another"},
		{kernels.TimedOut, "", "timeout"},
	} {
		if _, got := Cause(c.o, c.detail); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestNoInterval: one sample has none, and says nothing of how near the figure is.
func TestNoInterval(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Interval(4852000, 4852000, 4852000), "4.852 ms"},
		{Interval(4852000, 0, 0), "4.852 ms"},
		{Interval(12340, 12310, 12400), "12.34 us [12.31, 12.40]"},
		{Gain(2.494, 2.494, 2.494), "2.494x"},
		{Gain(2.494, 2.4, 2.5), "2.494x [2.400, 2.500]"},
		{Tolerance(0.254), "0.25 of its tolerance"},
		{Tolerance(1e30), "over 1000 times its tolerance"},
		{Tolerance(math.NaN()), "over 1000 times its tolerance"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

// TestLeaderboard: the champion is first wherever its timing puts it, and each rank stands once.
func TestLeaderboard(t *testing.T) {
	id := func(i int) (id kernels.ID) { id[0] = byte(i + 1); return id }
	var best []kernels.Candidate
	for i := range 6 {
		c := kernels.Candidate{ID: id(i), Score: 1 + float64(i/3)} // two groups of three
		best = append(best, c)
	}
	for _, tt := range []struct {
		champion kernels.ID
		n        int
		want     string
	}{
		{kernels.ID{}, 6, "1:1 2: 3: 4:4 5: 6:"},
		{id(0), 6, "1:1 2: 3: 4:4 5: 6:"},
		{id(2), 6, "3:1 1: 2: 4:4 5: 6:"},
		{id(4), 3, "5:4 1:1 2:"},
		{id(9), 2, "1:1 2:"},
	} {
		var got []string
		for _, p := range Leaderboard(best, nil, tt.champion, tt.n) {
			got = append(got, fmt.Sprintf("%d:%s", p.ID[0], p.Shown))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("champion %d, %d rows: %s, want %s", tt.champion[0], tt.n, s, tt.want)
		}
	}
}

func TestSummary(t *testing.T) {
	long := "The kernel is bound by memory because each warp loads rows twice and so I keep them in registers, which " +
		"halves the traffic."
	for text, want := range map[string]string{
		"": "", "Wider loads.": "Wider loads.",
		"Wider loads. The kernel was limited by memory. I changed it.": "Wider loads.",
		"Loads of 1.5 KiB by cp.async. Then more.":                     "Loads of 1.5 KiB by cp.async.",
		long:                         "The kernel is bound by memory because each warp loads rows twice ...",
		"a\nb":                       "a b",
		strings.Repeat("x", 100):     strings.Repeat("x", 68) + " ...",
		strings.Repeat("\u00e4", 72): strings.Repeat("\u00e4", 72),
	} {
		if got := Summary(text); got != want || utf8.RuneCountInString(got) > summaryWidth {
			t.Errorf("%q is summed up as %q, expected %q", text, got, want)
		}
	}
}
