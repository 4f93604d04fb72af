package htmlreport

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/store"
)

// found is the i-th right candidate of a made-up family.
func found(i int, score float64, genes kernels.Genome, parents ...kernels.ID) kernels.Candidate {
	return kernels.Candidate{ID: kernels.NewID(fmt.Sprint(i), kernels.PlanSpec{}, ""), Seq: i, Score: score,
		At:      time.Unix(int64(i), 0),
		Variant: kernels.Variant{Family: "toy", Genes: genes}, Origin: kernels.Origin{Operator: "mutate", Parents: parents},
		Result: kernels.Result{Outcome: kernels.OK, Provenance: "p"}}
}

func TestDivergence(t *testing.T) {
	column := func(top string, rest ...string) []string {
		out := strings.Split(top, "")
		for len(out) < 100 {
			out = append(out, rest[len(out)%len(rest)])
		}
		return out
	}
	for name, c := range map[string]struct {
		column []string
		want   float64
	}{
		"the best have a value that no other has": {column("xxxxxxxxxx", "y"), 0.81/0.1 + 0.81/0.9 - 90.0/99/10},
		"one value tells nothing":                 {column("yyyyyyyyyy", "y"), 0},
		"as all are: below chance":                {column("xyxyxyxyxy", "x", "y"), -90.0 / 99 / 10},
	} {
		if got := divergence(c.column, 10); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, expected %v", name, got, c.want)
		}
	}
}

func TestFamilies(t *testing.T) {
	of := func(i int, family string, score float64) kernels.Candidate {
		c := found(i, score, nil)
		c.Variant.Family = family
		return c
	}
	failed := of(4, "llm-2", 0)
	failed.Result.Outcome = kernels.Wrong
	unproven := of(5, "llm-3", 0.1)
	unproven.Result.Provenance = "lost"
	in := Input{Candidates: []kernels.Candidate{of(0, "toy", 1), of(1, "toy", 0.5), of(2, "llm-1", 0.25), of(3, "", 0.4),
		failed, unproven}, Proofs: map[string]kernels.Provenance{"p": {}}}
	shown, _ := in.proven()
	got := fmt.Sprint(families(in.Candidates, shown))
	if want := "[{llm-1 1 1 4.00x} {sources of their own 1 1 2.50x} {toy 2 2 2.00x} {llm-2 1 0 } {llm-3 1 1 }]"; got !=
		want {
		t.Errorf("%s, expected %s", got, want)
	}
	if one := families(in.Candidates[:2], in.Candidates[:2]); one != nil {
		t.Errorf("one family is no table: %v", one)
	}
}

// TestImportance plants a gene that decides, two that decide only together, and one that does nothing.
func TestImportance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []kernels.Candidate
	for i := range 800 {
		x, a, b, noise := r.IntN(8), r.IntN(2), r.IntN(2), r.IntN(4)
		score := 1 + float64(x)
		if a != b {
			score += 1.5
		}
		g := kernels.Genome{"x": kernels.Int(x), "a": kernels.Int(a), "b": kernels.Int(b), "noise": kernels.Int(noise),
			"fixed": kernels.Int(1)}
		all = append(all, found(i, score+0.01*r.Float64(), g))
	}
	im := importance("toy", all)
	if im == nil || im.All != 800 || im.Top != 80 || len(im.Genes) != 4 {
		t.Fatalf("%+v", im)
	}
	if g := im.Genes[0]; g.Gene != "x" || g.Share < 0.9 || g.Value != "0" || g.InTop < g.InAll {
		t.Errorf("the gene that decides: %+v", g)
	}
	if p := im.Pairs[0]; p.A+p.B != "ab" && p.A+p.B != "ba" {
		t.Errorf("the genes that decide together: %+v", im.Pairs)
	}
	if few := importance("toy", all[:leastRight-1]); few != nil {
		t.Errorf("%d candidates are too few for shares: %+v", leastRight-1, few)
	}
	if other := importance("another", all); other != nil {
		t.Errorf("another family: %+v", other)
	}
}

// TestTree shares parents between branches: every ancestor stands in the tree once, the main path together.
func TestTree(t *testing.T) {
	all := []kernels.Candidate{found(1, 1, nil)}
	for i := 2; i <= 200; i++ {
		parents := []kernels.ID{all[i-2].ID}
		if i > 2 {
			parents = append(parents, all[i-3].ID)
		}
		all = append(all, found(i, 1/float64(i), nil, parents...))
	}
	in := Input{Candidates: all, Championship: Championship{Champion: &all[199], Lineage: all}}
	seen, path := map[string]int{}, 0
	var walk func(*Node)
	walk = func(n *Node) {
		seen[n.ID]++
		if n.Main {
			path++
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(in.tree())
	if len(seen) != shownNodes || path != shownNodes {
		t.Errorf("%d nodes, %d of the main path, expected %d", len(seen), path, shownNodes)
	}
	for id, n := range seen {
		if n > 1 {
			t.Errorf("%s stands %d times", id, n)
		}
	}
}

// TestNothingIsNull: the page's scripts count on lists, whatever a run has not.
func TestNothingIsNull(t *testing.T) {
	many := func(genes func(i int) kernels.Genome) []kernels.Candidate {
		var all []kernels.Candidate
		for i := range 60 {
			all = append(all, found(i+1, 1+float64(60-i)/60, genes(i)))
		}
		return all
	}
	for name, all := range map[string][]kernels.Candidate{
		"nothing":   nil,
		"one":       {found(1, 1, kernels.Genome{"g": kernels.Int(1)})},
		"no genes":  many(func(int) kernels.Genome { return nil }),
		"one value": many(func(int) kernels.Genome { return kernels.Genome{"g": kernels.Int(1)} }),
		"one gene":  many(func(i int) kernels.Genome { return kernels.Genome{"g": kernels.Int(i % 3)} }),
		"usual": many(func(i int) kernels.Genome {
			return kernels.Genome{"g": kernels.Int(i % 3), "h": kernels.Int(i % 2)}
		}),
	} {
		in := Input{Meta: store.Meta{Problem: "p", Workloads: []kernels.Workload{{Name: "w", Weight: 1}}},
			Problem: &kernels.Problem{}, Candidates: all,
			Proofs: map[string]kernels.Provenance{"p": {}}}
		if len(all) > 0 {
			in.Champion = &all[len(all)-1]
		}
		data, err := json.Marshal(Build(in, in).data())
		if err != nil || strings.Contains(string(data), "null") {
			t.Errorf("%s: %v %s", name, err, data)
		}
	}
}

// TestChampionIsFirst: the champion is the first also when many were timed faster, with the rank that it has there, and
// a rank is shown once.
func TestChampionIsFirst(t *testing.T) {
	var all []kernels.Candidate
	for i := range 40 {
		all = append(all, found(i+1, 1+float64(i), nil))
	}
	in := Input{Meta: store.Meta{Workloads: []kernels.Workload{{Name: "w", Weight: 1}}},
		Championship: Championship{Champion: &all[30]}}
	all[1].Score = all[0].Score
	l := in.leaders(all)
	if n := len(l.Rows); n != 20 || !l.Rows[0].Champion || l.Rows[0].Rank != "31" || l.More != 20 {
		t.Errorf("%d rows, the first %+v, %d more", n, l.Rows[0], l.More)
	}
	for i, want := range []string{"31", "1", "", "3", "4"} {
		if got := l.Rows[i].Rank; got != want {
			t.Errorf("row %d has rank %q, want %q", i, got, want)
		}
	}
}

// TestShapesCompared: a chart of the champion alone says nothing.
func TestShapesCompared(t *testing.T) {
	alone := []Shape{{Bars: []Bar{{NS: 1}}}, {Bars: []Bar{{NS: 2}}}}
	if compared(alone) != nil || compared(nil) != nil {
		t.Error("a chart of nothing but the champion")
	}
	for name, b := range map[string][]Bar{"a roofline": {{NS: 1, Roofline: 0.5}}, "a baseline": {{NS: 1}, {NS: 2}}} {
		if all := append(alone, Shape{Bars: b}); len(compared(all)) != 3 {
			t.Errorf("%s: no chart", name)
		}
	}
}

// TestWrite puts markup everywhere a run has text: nothing of it may become markup of the page, and the
// policy must allow the scripts that are there, and no other.
func TestWrite(t *testing.T) {
	const evil = `</script><script>alert(1)</script><!--<script><img src=x onerror=alert(1)>{{.}}"'` +
		"\u202e\x1b\u009b\xff"
	all := []kernels.Candidate{found(1, 1, kernels.Genome{"g": kernels.String(evil)}),
		found(2, 0.5, kernels.Genome{"g": kernels.String("b")})}
	all[0].Origin.Note, all[1].Origin.Operator = evil, evil
	failed := found(3, 0, nil)
	failed.Result = kernels.Result{Outcome: kernels.Wrong, Detail: evil}
	all = append(all, failed)
	in := Input{Path: evil, Meta: store.Meta{Problem: evil, Workloads: []kernels.Workload{{Name: "w", Weight: 1}}},
		Problem:    &kernels.Problem{About: evil},
		Candidates: all, Proofs: map[string]kernels.Provenance{"p": {}},
		Figures: Figures{Shapes: []Shape{{Workload: evil, Bars: []Bar{{Name: evil, NS: 1}}, Versus: []string{evil}}}},
		Models:  []Model{{Name: evil, Asked: 3, USD: "0.1234"}},
		Championship: Championship{Champion: &all[1], Lineage: all[:2],
			Winner: &Winner{ID: evil, Start: evil, Family: evil, Beside: evil, Source: evil, Note: evil,
				Genes: []WinnerGene{{evil, evil, evil, evil, true}}, Diff: diffLines("@@\n-" + evil + "\n+" + evil + "\n")}},
		Choices: &Choices{Columns: []string{evil},
			Rows: []Choice{{Choice: evil, Gains: []kernels.Gain{{Ratio: 2, Lo: 1, Hi: 3}}, Cells: []string{evil}, Note: evil}}}}
	var b bytes.Buffer
	if err := Write(&b, Build(in, in)); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	shown := printable.Text(page)
	if strings.ReplaceAll(shown, `\ufeff`, "\ufeff") != page { // the library has that one
		t.Error("the page has text that turns around or hides what stands beside it")
	}
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(page)
	if len(data) != 2 || !json.Valid([]byte(data[1])) || strings.Contains(data[1], "<") {
		t.Errorf("the charts' data is not one JSON value: %q", data)
	}
	for _, s := range []string{"<script>alert", "<img src=x", "<!--<"} {
		if strings.Contains(page, s) {
			t.Errorf("the page contains %q", s)
		}
	}
	if !strings.Contains(page, `<td class="n">0.1234</td>`) || strings.Contains(page, "<th class=\"n\">registers</th>") {
		t.Error("expected what the models cost, and no column of resources that nobody told")
	}
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 2 {
		t.Fatalf("%d scripts, expected the library and the charts", len(scripts))
	}
	head := page[:strings.Index(page, "<title>")]
	for i, s := range scripts {
		sum := sha256.Sum256([]byte(s[1]))
		encoded := base64.StdEncoding.EncodeToString(sum[:])
		if !strings.Contains(strings.ReplaceAll(head, "&#43;", "+"), encoded) {
			t.Errorf("the policy does not allow script %d: %s\n%s", i, encoded, head)
		}
	}
	if n := strings.Count(head, "sha256-"); n != 2 {
		t.Errorf("the policy allows %d scripts", n)
	}
}

// TestBestIsTheChampion: the chart of the best follows the champions, and not a timing that was lucky.
func TestBestIsTheChampion(t *testing.T) {
	in := Input{Meta: store.Meta{Device: kernels.Device{Kind: "cuda"}}}
	for i, score := range []float64{1, 0.5, 0.1, 0.25, 0.4} {
		in.Candidates = append(in.Candidates, found(i+1, score, nil))
	}
	for _, i := range []int{0, 3, 1} { // the fourth was found out to be wrong since, and is not among them
		in.Champions = append(in.Champions, in.Candidates[i].ID)
	}
	in.Champions = append(in.Champions, kernels.ID{99})
	var got []string
	for _, m := range in.convergence(in.Candidates, 1).Best {
		got = append(got, fmt.Sprintf("%g: %g", m.At[0], m.At[2]))
	}
	if want := "1: 1, 4: 4, 4: 2, 5: 2"; strings.Join(got, ", ") != want {
		t.Errorf("the best is %v, want %s", got, want)
	}
	in.Champions = nil
	if best := in.convergence(in.Candidates, 1).Best; best[len(best)-1].At[2] != 10 {
		t.Errorf("without champions the best is %v, want the lowest score", best)
	}
}

// TestElapsed: a search on a recording took what the recorded work took, and not what reading it again did.
func TestElapsed(t *testing.T) {
	for kind, want := range map[string]string{"replay": "1m12s", "cuda": "3.0s"} {
		in := Input{Meta: store.Meta{Device: kernels.Device{Kind: kind}}}
		for i := range 3 {
			c := found(i+1, 1/float64(i+1), nil)
			c.At, c.Result.Cost = in.Meta.Created.Add(time.Duration(i+1)*time.Second), kernels.Cost{Compile: 20, Time: 4}
			in.Candidates = append(in.Candidates, c)
		}
		took := ""
		for _, f := range in.head(in.Candidates) {
			if f.Name == "took" {
				took = f.Value
			}
		}
		end := in.convergence(in.Candidates, 1).Best
		if at := report.Duration(time.Duration(end[len(end)-1].At[1] * float64(time.Second))); took != want || at != want {
			t.Errorf("%s: took %s, the chart ends at %s, want %s", kind, took, at, want)
		}
		in.Took = 5 * time.Minute // what the search itself says counts, duels after the last candidate with it
		if !slices.Contains(in.head(in.Candidates), Field{"took", "5m00s"}) {
			t.Errorf("%s: %+v, want that it took 5m00s", kind, in.head(in.Candidates))
		}
	}
}
