package htmlreport

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// large is a run of n candidates whose every text is as long and as different as a hostile run's may be.
func large(n int) Input {
	long := strings.Repeat("<&\u202e long ", 400)
	in := Input{Path: "large.db", Problem: &kernels.Problem{About: "large"},
		Proofs: map[string]kernels.Provenance{"p": {}},
		Meta:   store.Meta{Problem: "p", Workloads: []kernels.Workload{{Name: "w", Weight: 1}}, Cache: "hot"}}
	in.Candidates = make([]kernels.Candidate, n)
	for i := range n {
		g := kernels.Genome{"all": kernels.Int(i)}
		for k := range 20 {
			g[fmt.Sprintf("g%02d", k)] = kernels.Int(i / (k + 1) % 7)
		}
		c := &in.Candidates[i]
		*c = found(i+1, 1/(1+float64(i)), g)
		c.Origin.Operator, c.Origin.Note = fmt.Sprint("op", i, long[:100]), long
		c.Result.Times = []kernels.Timing{{Workload: "w", Cache: "hot", Median: 1e6 / (1 + float64(i))}}
		switch i % 10 {
		case 7:
			c.Result, c.Score = kernels.Result{Outcome: kernels.Wrong, Detail: fmt.Sprint(words(i), long)}, 0
		case 8:
			c.Variant = kernels.Variant{Family: fmt.Sprint("llm-", i)}
		}
		if i > 0 {
			c.Origin.Parents = []kernels.ID{in.Candidates[i-1].ID}
		}
	}
	in.Champion = &in.Candidates[n-1]
	in.Lineage = in.Candidates
	return in
}

// words has no number in it, so that each is a cause of its own.
func words(i int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
}

// TestLargeRun: a page of a very large run has a bounded size, and says what it leaves out.
func TestLargeRun(t *testing.T) {
	page := func(n int) string {
		var b bytes.Buffer
		if err := Write(&b, Build(large(n))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	small, big := page(5_000), page(15_000)
	if len(big) > 4<<20 || len(big) > len(small)*11/10 {
		t.Errorf("%d bytes for 5,000 candidates, %d for 15,000", len(small), len(big))
	}
	var several bytes.Buffer
	if err := Write(&several, Build(slices.Repeat([]Input{large(2_000)}, 20)...)); err != nil {
		t.Fatal(err)
	}
	if n := several.Len(); n > 12<<20 {
		t.Errorf("%d bytes for 20 runs", n)
	}
	for _, s := range []string{"of 15,000 candidates: the champion and its path",
		"14,800 steps after the naive start are left out",
		"the dots are a sample of the right candidates", "The points are 500 of the 12,000 right candidates"} {
		if !strings.Contains(big, s) {
			t.Errorf("the page does not say %q", s)
		}
	}
}

// TestTable: what a table leaves out is neither the champion, nor its path, nor the best.
func TestTable(t *testing.T) {
	in := large(5_000)
	in.Champion = &in.Candidates[1_234]
	in.Lineage = []kernels.Candidate{in.Candidates[0], in.Candidates[999], in.Candidates[1_234]}
	shown, _ := in.proven()
	table := in.table(shown, 1)
	has := func(c kernels.Candidate) bool {
		return slices.ContainsFunc(table.Rows, func(r Row) bool { return r.ID == c.ID.Short() })
	}
	for _, c := range slices.Concat(in.Lineage, shown[:tableBest], in.Candidates[:1], in.Candidates[4_999:]) {
		if !has(c) {
			t.Errorf("evaluation %d is not in the table", c.Seq)
		}
	}
	if n := len(table.Rows); n > tableBest+tableOthers+len(in.Lineage) || table.All != 5_000 {
		t.Errorf("%d rows of %d", n, table.All)
	}
	if !slices.IsSortedFunc(table.Rows, func(a, b Row) int { return a.Seq - b.Seq }) {
		t.Error("the rows are not in the order of the verdicts")
	}
	unproven := large(10)
	unproven.Proofs = nil
	for _, r := range unproven.table(nil, 1).Rows {
		if r.Speedup.Text != "-" || r.Times[0].Text != "-" {
			t.Errorf("evaluation %d shows a figure that stands on nothing: %+v", r.Seq, r)
		}
	}
}

func TestEDF(t *testing.T) {
	in := large(100)
	shown, _ := in.proven()
	e := edf(in.measure(shown), len(in.Candidates), shown)
	if first := e.Points[0]; first != [2]float64{10, 0.01} || e.Label != "time, us" {
		t.Errorf("the fastest is at %v of %s", first, e.Label)
	}
	if last := e.Points[len(e.Points)-1]; last != [2]float64{1000, 0.9} {
		t.Errorf("the curve ends at %v: a tenth of all failed", last)
	}
	for i := 1; i < len(e.Points); i++ {
		if e.Points[i][0] < e.Points[i-1][0] || e.Points[i][1] <= e.Points[i-1][1] {
			t.Errorf("point %d falls: %v, %v", i, e.Points[i-1], e.Points[i])
		}
	}
	in.Meta.Workloads = append(in.Meta.Workloads, kernels.Workload{Name: "v", Weight: 1})
	if m := in.measure(shown); m.Label != "time over the naive start's" || m.of(shown[0]) != round(shown[0].Score) {
		t.Errorf("two workloads decide: %+v", m)
	}
	if none := edf(in.measure(nil), 5, nil); none != nil {
		t.Errorf("a distribution of nothing: %+v", none)
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		n, most int
		want    string
	}{{0, 3, "[]"}, {1, 3, "[0]"}, {3, 3, "[0 1 2]"}, {5, 3, "[0 2 4]"}, {100, 4, "[0 33 66 99]"}} {
		if got := fmt.Sprint(spread(c.n, c.most)); got != c.want {
			t.Errorf("%d of %d: %s, expected %s", c.most, c.n, got, c.want)
		}
	}
	if got := fmt.Sprint(thin([]int{9, 8, 7, 6, 5, 4, 3}, 2, 3)); got != "[9 8 7 5 3]" {
		t.Errorf("%s: expected the first two, and some of the rest", got)
	}
}

// TestTimeline: every verdict is counted, the rare ones are drawn, and the champion is.
func TestTimeline(t *testing.T) {
	in := large(5_000)
	in.Candidates[17].Result.Outcome = kernels.Crashed
	in.Meta.Created = time.Unix(0, 0)
	v := in.timeline(1)
	var got []string
	for _, l := range v.Lanes {
		sum := 0
		for _, n := range l.Bins {
			sum += n
		}
		champions := 0
		for _, p := range l.Points {
			if p.Champion {
				champions++
			}
		}
		got = append(got, fmt.Sprintf("%v,%s,%d,%t,%t,%d", l.Outcome, l.Kind, sum, sum == l.Count,
			len(l.Points) <= shownLane+1, champions))
	}
	want := "ok,right,4500,true,true,1 wrong,failed,499,true,true,0 crash,failed,1,true,true,0"
	if strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
	if one := (&Input{Candidates: in.Candidates[:1]}).timeline(1); one != nil {
		t.Errorf("one verdict is no timeline: %+v", one)
	}
}

// TestSlices: the champion is among the points wherever it stands, and the important genes come first.
func TestSlices(t *testing.T) {
	in := large(5_000)
	shown, _ := in.proven()
	in.Champion = &in.Candidates[3_333]
	im := &Importance{Genes: []GeneRow{{Gene: "g07"}, {Gene: "g03"}}}
	s := in.slicesOf(in.measure(shown), shown, im, 1)
	champions := 0
	for _, p := range s.Points {
		if p.Champion {
			champions++
		}
		for k, v := range p.Values {
			if v < 0 || v >= len(s.Genes[k].Values) {
				t.Fatalf("%s has no value of gene %s", p.ID, s.Genes[k].Gene)
			}
		}
	}
	if champions != 1 || len(s.Points) > slicedBest+slicedOthers+1 || s.All != 4_000 {
		t.Errorf("%d champions among %d points of %d", champions, len(s.Points), s.All)
	}
	if len(s.Genes) != shownSlices || s.Genes[0].Gene != "g07" || s.Genes[1].Gene != "g03" || s.Genes[2].Gene != "all" ||
		s.More == 0 {
		t.Errorf("%d genes, %d more, the first %s, %s, %s", len(s.Genes), s.More, s.Genes[0].Gene, s.Genes[1].Gene,
			s.Genes[2].Gene)
	}
	if few := in.slicesOf(in.measure(shown), shown[:leastSlicePoint-1], nil, 1); few != nil {
		t.Errorf("too few points: %+v", few)
	}
}

func TestOperators(t *testing.T) {
	a, b, c, d := found(1, 1, nil), found(2, 0.5, nil), found(3, 0.25, nil), found(4, 0.2, nil)
	a.Origin.Operator, b.Origin.Operator, c.Origin.Operator, d.Origin.Operator = "default", "mutate", "mutate", "crossover"
	b.Origin.Parents, c.Origin.Parents = []kernels.ID{a.ID}, []kernels.ID{a.ID, b.ID}
	d.Origin.Parents = []kernels.ID{c.ID}
	fell, unproven := found(5, 0.1, nil, d.ID), found(6, 0.01, nil, d.ID)
	fell.Result.Outcome, fell.Origin.Operator = kernels.Suspect, "crossover"
	unproven.Result.Provenance, unproven.Origin.Operator = "lost", "crossover"
	b.Result.Cost = kernels.Cost{Compile: 1, Gate: 2, Wait: 100}
	in := Input{Candidates: []kernels.Candidate{a, b, c, d, fell, unproven},
		Proofs:       map[string]kernels.Provenance{"p": {}},
		Championship: Championship{Champions: []kernels.ID{a.ID, b.ID, fell.ID, c.ID, c.ID}}}
	shown, _ := in.proven()
	var got []string
	for _, o := range in.operators(shown) {
		got = append(got, fmt.Sprint(o.Name, o.Tried, o.Right, o.RightShare, o.Better, o.Champions, o.Gain, o.Best, o.Took))
	}
	want := []string{"mutate2 2100.0%2 24.00x4.00x3", "default1 1100.0%0 1-1.00x0", "crossover3 266.7%1 0-5.00x0"}
	for i := range want {
		if strings.ReplaceAll(got[i], " ", "") != strings.ReplaceAll(want[i], " ", "") {
			t.Errorf("%q, expected %q", got[i], want[i])
		}
	}
}

func TestDiffLines(t *testing.T) {
	var got []string
	for _, d := range diffLines("--- a.cu\n+++ b.cu\n@@ -1 +1 @@\n-x\n+<script>\n y\n") {
		got = append(got, d.Kind+":"+d.Text)
	}
	want := "place:--- a.cu place:+++ b.cu place:@@ -1 +1 @@ cut:-x add:+<script> same: y"
	if strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
	s := cut(strings.Repeat("0123456\n", shownText))
	if len(s) > shownText+40 || !strings.HasSuffix(s, "6\n... 1.8 MiB more\n") {
		t.Errorf("%d bytes that end in %q", len(s), s[len(s)-40:])
	}
}

func TestWinnerGenes(t *testing.T) {
	f := &kernels.Family{Name: "toy"}
	v := kernels.Variant{Family: "toy"}
	other := &kernels.Candidate{Variant: kernels.Variant{Family: "other"}}
	same := &kernels.Candidate{Variant: v}
	for start, want := range map[*kernels.Candidate]string{nil: "the default of its family",
		other: "the default of its family", same: "the naive start"} {
		if beside, _ := winnerGenes(f, v, start); beside != want {
			t.Errorf("the genes stand beside %q, expected %q", beside, want)
		}
	}
}

// TestCompare: runs of one problem share a scale of times, and what sets runs apart is said.
func TestCompare(t *testing.T) {
	of := func(set func(*Input)) Input {
		in := large(100)
		set(&in)
		return in
	}
	for name, c := range map[string]struct {
		set         func(*Input)
		note, label string
	}{
		"alike":    {func(*Input) {}, "", "time, us"},
		"problems": {func(in *Input) { in.Meta.Problem = "q" }, "different problems", "time over the naive start's"},
		"dtypes":   {func(in *Input) { in.Meta.DType = kernels.FP16 }, "different problems", "time over the naive start's"},
		"devices":  {func(in *Input) { in.Meta.Device.Kind = "cpu" }, "different devices", "time over the naive start's"},
		"caches":   {func(in *Input) { in.Meta.Cache = "cold" }, "different workloads", "time over the naive start's"},
		"sizes": {func(in *Input) {
			in.Meta.Workloads = []kernels.Workload{{Name: "w", Weight: 1, Dims: kernels.Dims{"n": 2}}}
		}, "", "time over the naive start's"},
		"no candidate": {func(in *Input) { *in = Input{Path: "none", Meta: in.Meta, Problem: in.Problem} }, "", "time, us"},
	} {
		p := Build(of(func(*Input) {}), of(c.set))
		if got := p.Compare.Note; !strings.Contains(got, c.note) || (got == "") != (c.note == "") {
			t.Errorf("%s: %q", name, got)
		}
		if got := p.Compare.EDFs[0].Label; got != c.label {
			t.Errorf("%s: times are %q", name, got)
		}
		if p.Runs[0].Name != "1 large.db" || p.Compare.Rows[1].Index != 1 {
			t.Errorf("%s: %+v", name, p.Compare.Rows)
		}
	}
	if one := Build(large(10)); one.Compare != nil || one.Runs[0].Name != "large.db" {
		t.Errorf("one run is compared with nothing: %+v", one.Compare)
	}
}

// TestColours: each meaning has one colour in light and one in dark, and scripts have none of their own.
func TestColours(t *testing.T) {
	css := part("page.css")
	light, dark, _ := strings.Cut(css, "@media screen and (prefers-color-scheme:dark)")
	dark, _, _ = strings.Cut(dark, "\n:root.printing")
	hex := regexp.MustCompile(`--([a-z]+(?:-\d)?):(#[0-9a-f]{3,6})`)
	for name, text := range map[string]string{"light": light, "dark": dark} {
		meaning := map[string]string{}
		for _, m := range hex.FindAllStringSubmatch(text, -1) {
			meaning[m[1]] = m[2]
		}
		seen := map[string]string{}
		for _, m := range strings.Fields("champion best right failed duplicate naive baseline portfolio roofline") {
			if meaning[m] == "" || seen[meaning[m]] != "" {
				t.Errorf("%s: %s has colour %q, as %q has", name, m, meaning[m], seen[meaning[m]])
			}
			seen[meaning[m]] = m
			if !strings.Contains(part("page.html.tmpl"), m+"-key") || !strings.Contains(css, "."+m+"-key") {
				t.Errorf("the legend does not tell the colour of %s", m)
			}
		}
	}
	if own := regexp.MustCompile(`#[0-9a-fA-F]{3,6}\b|rgb\(`).FindAllString(ownScript(), -1); own != nil {
		t.Errorf("the scripts have colours of their own: %v", own)
	}
}

// TestCharts: each chart of the page is one that the script draws, and the other way round.
func TestCharts(t *testing.T) {
	asked, drawn := map[string]bool{}, map[string]bool{}
	chart, text := regexp.MustCompile(`data-chart="(\w+)"`), part("page.html.tmpl")+part("run.html.tmpl")
	for _, m := range chart.FindAllStringSubmatch(text, -1) {
		asked[m[1]] = true
	}
	table := regexp.MustCompile(`(?s)var drawn = \{(.*?)\};`).FindStringSubmatch(part("draw.js"))[1]
	for _, m := range regexp.MustCompile(`(\w+): `).FindAllStringSubmatch(table, -1) {
		drawn[m[1]] = true
	}
	if fmt.Sprint(asked) != fmt.Sprint(drawn) || len(asked) < 15 {
		t.Errorf("the page has %v, the script draws %v", asked, drawn)
	}
}

// TestTableScript runs the page's sorting and searching where there is an engine for it.
func TestTableScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to run the page's script")
	}
	script := part("tables.js") + part("base.js")[strings.Index(part("base.js"), "// below is"):] + `
function cell(text, v) { return { textContent: text, hasAttribute: function () { return v !== undefined; }, getAttribute: function () { return v; } }; }
function sorted(cells, numeric, down) {
  return order(cells.map(function (c, at) { return { key: keyOf(c, numeric), at: at, text: c.textContent }; }), down).map(function (r) { return r.text; }).join(' ');
}
function texts(all) { return all.map(function (s) { return cell(s); }); }
console.log(sorted(texts(['9', '-', '1,500', '10', '', '9.5x']), true, false));
console.log(sorted(texts(['9', '-', '1,500', '10', '', '~9.5x']), true, true));
console.log(sorted([cell('1 ms', '1e+06'), cell('2 us', '2000'), cell('-', ''), cell('3 ns', '3')], true, false));
console.log(sorted(texts(['g10', '-', 'g9', 'G1']), false, false));
console.log(sorted(texts(['b', 'a', 'b', 'a']), false, true));
console.log(matches('wrong surrogate 64', 'Surr 64'), matches('wrong', ''), matches('wrong', 'right'));
console.log([0.8, 1, 3, 33.9, 5, 1000].map(below).join(' '), [0.8, 1, 3, 33.9, 50.1, 1000].map(above).join(' '));
`
	out, err := exec.Command(node, "-e", script).CombinedOutput()
	want := `9 9.5x 10 1,500 - 
1,500 10 ~9.5x 9 - 
3 ns 2 us 1 ms -
G1 g9 g10 -
b b a a
true true false
0.5 1 2 20 5 1000 1 1 5 50 100 1000
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}
