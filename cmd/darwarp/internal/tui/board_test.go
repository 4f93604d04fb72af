package tui

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// ranked makes a board with one workload whose scores and half widths are given.
func ranked(tb testing.TB, scores []float64, spread float64) *Board {
	tb.Helper()
	s := newStory(tb)
	s.meta.Workloads = s.meta.Workloads[:1]
	b := NewBoard()
	b.begin(s.state())
	for i, x := range scores {
		c := kernels.Candidate{ID: idOf(i), Seq: i + 1, Score: x, Variant: kernels.Variant{Family: "strided"}, At: began}
		c.Result.Outcome, c.Result.Provenance = kernels.OK, proof
		c.Result.Times = []kernels.Timing{{Workload: s.meta.Workloads[0].Name, Median: 100 * x, Lo: 100 * x * (1 - spread),
			Hi: 100 * x * (1 + spread)}}
		b.enter(&c, 0)
	}
	return b
}

func TestRanksShareTies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []float64
		spread float64
		want   []int
	}{
		{"no intervals", []float64{1, 2, 3}, 0, []int{1, 2, 3}},
		{"the same", []float64{1, 1, 2}, 0, []int{1, 1, 3}},
		{"a chain is not one rank", []float64{1.00, 1.015, 1.03, 1.045}, 0.01, []int{1, 1, 3, 3}},
		{"all of them", []float64{1, 1.01, 1.02}, 0.02, []int{1, 1, 1}},
		{"unsorted", []float64{3, 1, 2}, 0, []int{1, 2, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ranked(t, tt.scores, tt.spread)
			var got []int
			for n := range b.ranking.len() {
				got = append(got, b.ranking.rank(n))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("ranks %v, want %v", got, tt.want)
			}
		})
	}
}

func TestChangesOfFamily(t *testing.T) {
	b := NewBoard()
	b.begin(newStory(t).state())
	enter := func(n int, family string, a int) *row {
		c := kernels.Candidate{ID: idOf(n), Seq: n,
			Variant: kernels.Variant{Family: family, Genes: kernels.Genome{"a": kernels.Int(a)}}, At: began}
		b.enter(&c, 0)
		return &b.rows[len(b.rows)-1]
	}
	first, second, other := *enter(1, "strided", 1), *enter(2, "strided", 2), *enter(3, "hopper", 2)
	if got := b.changes(&first, &second); got != "a 1 -> 2" {
		t.Errorf("within a family: %q", got)
	}
	if got := b.changes(&first, &other); got != "family hopper" {
		t.Errorf("to another family: %q", got)
	}
}

// TestNoRooflineOnTheProcessor: the rates of a processor bound nothing that is emulated on it.
func TestNoRooflineOnTheProcessor(t *testing.T) {
	for kind, want := range map[string]bool{"cuda": true, "cpu": false} {
		s := newStory(t)
		s.meta.Device.Kind = kind
		s.next()
		s.next()
		b := NewBoard()
		b.Follow(&fake{story: s})
		if got := b.roofline() > 0; got != want {
			t.Errorf("%s: a roofline: %v", kind, got)
		}
	}
}

// TestCausesAreFew: failures that differ in numbers are one cause, and so are all duplicates.
func TestCausesAreFew(t *testing.T) {
	s := newStory(t)
	b := NewBoard()
	b.begin(s.state())
	for i, x := range []struct {
		o      kernels.Outcome
		detail string
	}{{kernels.Wrong, "z[1] = 3, expected 4"}, {kernels.Duplicate, "same machine code and launches as 0123456789"},
		{kernels.Wrong, "z[17] = -1e-05, expected 2"},
		{kernels.Duplicate, "same machine code and launches as abcdef0123"}, {kernels.Wrong, "y[17] = 1, expected 2"}} {
		b.enter(&kernels.Candidate{ID: idOf(i), Seq: i + 1, Result: kernels.Result{Outcome: x.o, Detail: x.detail}}, 0)
	}
	all := b.causes.sorted()
	if len(all) != 3 || all[0].count != 2 || all[1].count != 2 || all[0].text != "z[1] = 3, expected 4" ||
		all[0].example != 2 {
		t.Errorf("%+v", all)
	}
	if all[1].text != "same machine code and launches as another" {
		t.Errorf("%q", all[1].text)
	}
}

// TestWideIntervals: a spread is never cut, however wide.
func TestWideIntervals(t *testing.T) {
	for spread, want := range map[float64]string{0.005: "0.5%", 0.9996: "100%", 5.12: "512%", 1e6: "9999%"} {
		b := ranked(t, []float64{1}, spread)
		b.rows[0].times[0].lo, b.rows[0].times[0].hi = 0, float32(200*spread)
		m := &leadersPane{selection: newSelection(&scene{board: b}, nil)}
		if got := m.spreadCell(&b.rows[0]); got != want || len(got) > 5 {
			t.Errorf("%g: %q, want %q", spread, got, want)
		}
	}
}

// TestRatiosFit: a ratio fits into its column up to a thousand.
func TestRatiosFit(t *testing.T) {
	for other, want := range map[float64]string{1: "1.00x", 9.99: "9.99x", 9.996: "10.0x", 26.123: "26.1x",
		99.96: "100x", 999: "999x"} {
		if got := provenRatio(&row{score: 1, proven: true}, other); got != want {
			t.Errorf("%g: %q, want %q", other, got, want)
		}
	}
}

// TestIndexIsSorted adds rows with looks in between: the order must be that of sorting all of them.
func TestIndexIsSorted(t *testing.T) {
	s := newStory(t)
	b := NewBoard()
	b.begin(s.state())
	for i := range 3000 {
		c := s.next()
		b.enter(&c, -1)
		if i%7 == 0 || i%97 < 3 {
			b.ranking.settle()
		}
	}
	x := &b.ranking
	if n := b.outcomes[kernels.OK]; x.len() != n {
		t.Fatalf("%d rows, want %d", x.len(), n)
	}
	if !slices.IsSortedFunc(x.order, x.compare) {
		t.Error("not sorted")
	}
	for n := range x.len() {
		if at := x.find(x.order[n]); at != n {
			t.Fatalf("row %d is found at %d", n, at)
		}
	}
}

func TestFilter(t *testing.T) {
	d := open(t, 400, 80, 24, false)
	b := d.m.board
	for _, tt := range []struct {
		text string
		ok   func(r *row) bool
	}{
		{"threads=128", func(r *row) bool { return b.gene(r, "threads") == "128" }},
		{"THREADS=128 unroll=true", func(r *row) bool {
			return b.gene(r, "threads") == "128" && b.gene(r, "unroll") == "true"
		}},
		{"unroll", func(r *row) bool { return b.gene(r, "unroll") != "" }},
		{"mutate", func(r *row) bool { return b.operators.all[r.op] == "mutate" }},
		{b.rows[0].id.Short()[:6], func(r *row) bool { return r.id == b.rows[0].id }},
		{"threads=1", func(*row) bool { return false }},
		{"", func(*row) bool { return true }},
	} {
		t.Run(tt.text, func(t *testing.T) {
			b.ranking.settle()
			b.ranking.setFilter(newFilter(tt.text))
			want := 0
			for _, i := range b.ranking.order {
				if tt.ok(&b.rows[i]) {
					want++
				}
			}
			if got := b.ranking.len(); got != want {
				t.Errorf("%d rows pass, want %d", got, want)
			}
			for n := range b.ranking.len() {
				if i := b.ranking.order[b.ranking.position(n)]; !tt.ok(&b.rows[i]) {
					t.Errorf("row %d passes", i)
				}
			}
		})
	}
}

// gene is the value of a gene by name.
func (t *table) gene(r *row, name string) string {
	return t.genes.text(r.genes, int(t.genes.genes.of[name]))
}

func TestFigures(t *testing.T) {
	d := open(t, 300, 80, 24, false)
	b := d.m.board
	c := b.champion()
	if got, want := b.share(c, -1), 0.08/c.score; math.Abs(got-want) > 1e-3*want {
		t.Errorf("share of the roofline %g, want %g", got, want)
	}
	if len(b.baselines) != 1 || b.baselines[0].name != "cublas" || math.Abs(b.baselines[0].score-0.15) > 1e-9 {
		t.Errorf("baselines %+v", b.baselines)
	}
	won, earned := 0, 0.0
	for _, o := range b.ops {
		won += o.crowned
		earned += o.earned
	}
	if won != len(b.steps) || math.Abs(earned-math.Log(1/c.score)) > 1e-6 {
		t.Errorf("%d champions of %d, %g earned of %g", won, len(b.steps), earned, math.Log(1/c.score))
	}
	total := 0
	for _, x := range b.causes.sorted() {
		total += x.count
	}
	if total != b.failed || b.failed == 0 {
		t.Errorf("%d failures by cause, %d in all", total, b.failed)
	}
	path := b.lineage(b.steps[len(b.steps)-1].row)
	if path[0] != b.start() || path[len(path)-1] != b.steps[len(b.steps)-1].row {
		t.Errorf("lineage %v", path)
	}
}

// TestUnproven checks that a figure without a provenance is not shown.
func TestUnproven(t *testing.T) {
	s := newStory(t)
	for range 10 {
		s.next()
	}
	for i := range s.made {
		s.made[i].Result.Provenance = "another"
	}
	d := &driver{TB: t, src: &fake{story: s}, now: began}
	b := NewBoard()
	b.Follow(d.src)
	d.m = NewModel(t.Context(), b, d.src, Options{UTF8: true, Now: func() time.Time { return d.now }})
	d.m.w, d.m.h = 80, 24
	screen := d.screen()
	if !strings.Contains(screen, "no proof") || strings.Contains(screen, " ns ") || strings.Contains(screen, " us ") {
		t.Errorf("figures that stand on nothing:\n%s", screen)
	}
}

func TestSessionsAddUp(t *testing.T) {
	starts := map[string]time.Time{"a": began, "b": began.Add(10 * time.Hour)}
	s := sessions{began: func(proof string) (time.Time, bool) { at, ok := starts[proof]; return at, ok }}
	var got []time.Duration
	for _, x := range []struct {
		proof string
		at    time.Duration
	}{{"a", 5 * time.Second}, {"a", 7 * time.Second}, {"b", 10*time.Hour + time.Second},
		{"b", 10*time.Hour + 4*time.Second}, {"c", 30 * time.Hour}} {
		c := kernels.Candidate{At: began.Add(x.at), Result: kernels.Result{Provenance: x.proof}}
		got = append(got, s.add(&c)/time.Second)
	}
	if want := []time.Duration{5, 7, 8, 11, 11}; !slices.Equal(got, want) {
		t.Errorf("seconds %v, want %v", got, want)
	}
}

func TestReweigh(t *testing.T) {
	d := open(t, 100, 80, 24, true)
	b := d.m.board
	start := &b.rows[b.start()]
	for i := range b.rows { // a second workload that goes the other way
		if r := &b.rows[i]; len(r.times) == 2 && r != start {
			r.times[1].median = start.times[1].median * float32(r.score) * 2
		}
	}
	last := b.ranking.len() - 1
	d.tell(evolve.Event{Kind: evolve.KindSteer,
		Command: &evolve.Command{Do: "weigh", Weights: map[string]float64{b.workloads()[0].Name: 0}}})
	if b.err != nil || b.ranking.len() != last+1 || !slices.IsSortedFunc(b.ranking.order, b.ranking.compare) {
		t.Fatalf("%d rows: %v", b.ranking.len(), b.err)
	}
	for _, i := range b.ranking.order {
		r := &b.rows[i]
		if want := float64(r.times[1].median / start.times[1].median); math.Abs(r.score-want) > 1e-5*want {
			t.Fatalf("row %d has score %g, want %g", i, r.score, want)
		}
	}
}

// TestFellOnTrial has a champion fall while it is looked at: the one before reigns again, and the file read again shows
// the same.
func TestFellOnTrial(t *testing.T) {
	d := open(t, 200, 100, 30, true)
	b := d.m.board
	cheat, right, failed := b.champion().id, b.ranking.len(), b.failed
	before := b.rows[b.steps[len(b.steps)-2].row].id
	d.tell(evolve.Event{Kind: evolve.KindChampion, ID: cheat,
		Figures: evolve.Figures{Champion: cheat, Standing: kernels.OnTrial}})
	if s := d.screen(); !strings.Contains(s, "on trial") {
		t.Errorf("nothing says that the champion is on trial:\n%s", s)
	}
	fallen := kernels.Trial{ID: cheat}
	fallen.Enter(kernels.Doubt{Part: kernels.TrialEmulated, Verdict: kernels.Failed, Outcome: kernels.Crashed,
		Detail: "race"})
	at := slices.IndexFunc(d.src.made, func(c kernels.Candidate) bool { return c.ID == cheat })
	fallen.Degrade(&d.src.made[at])
	for range 2 { // an event may come twice
		d.tell(evolve.Event{Kind: evolve.KindTrial, ID: cheat,
			Figures:   evolve.Figures{Champion: before, Standing: kernels.Stood},
			Candidate: &d.src.made[at], Trial: &fallen, Note: "fell: race"})
	}
	d.tell(evolve.Event{Kind: evolve.KindChampion, ID: before,
		Figures: evolve.Figures{Champion: before, Standing: kernels.Stood}})
	d.src.reigns = append(d.src.reigns, store.Champion{ID: before, At: began.Add(time.Hour)})
	again := NewBoard()
	again.Follow(&fake{story: d.src.story})
	for name, b := range map[string]*Board{"live": b, "read again": again} {
		if b.err != nil || b.champion().id != before || b.ranking.len() != right-1 || b.failed != failed+1 ||
			b.outcomes[kernels.Crashed] != 1 {
			t.Errorf("%s: champion %s, %d right, %d failed, %v", name, b.champion().id.Short(), b.ranking.len(), b.failed, b.err)
		}
	}
	if s := d.screen(); strings.Contains(s, "on trial") {
		t.Errorf("the one before has passed its trial:\n%s", s)
	}
}

// TestFollowNeverWaits feeds a search's events through a small channel while nobody looks at the board.
func TestFollowNeverWaits(t *testing.T) {
	s := newStory(t)
	src := &fake{story: s, feed: make(chan evolve.Event)}
	b := NewBoard()
	done := make(chan struct{})
	go func() { defer close(done); b.Follow(src) }()
	teller := newStory(t)
	for range 2000 {
		c := teller.next()
		src.feed <- evolve.Event{Kind: evolve.KindResult, Candidate: &c, ID: c.ID}
	}
	close(src.feed)
	<-done
	if len(b.rows) != 2000 || b.live.watching || b.err != nil {
		t.Errorf("%d rows, watching %v, %v", len(b.rows), b.live.watching, b.err)
	}
}

// TestBrokenViewDrains checks that a mistake of the view's does not hold a search up.
func TestBrokenViewDrains(t *testing.T) {
	src := &fake{story: newStory(t), feed: make(chan evolve.Event)}
	b := NewBoard()
	done := make(chan struct{})
	go func() { defer close(done); b.Follow(src) }()
	src.feed <- evolve.Event{Kind: evolve.KindResult} // without its candidate: a panic
	for range 10 {
		src.feed <- evolve.Event{Kind: evolve.KindSkip}
	}
	close(src.feed)
	<-done
	if b.err == nil || !strings.Contains(b.err.Error(), "the view failed") {
		t.Errorf("error %v", b.err)
	}
}

type broken struct{ *fake }

func (broken) Load() (*State, error) { return nil, errors.New("the file is gone") }

func TestLoadFails(t *testing.T) {
	src := broken{&fake{story: newStory(t)}}
	b := NewBoard()
	b.Follow(src)
	m := NewModel(t.Context(), b, src, Options{UTF8: true})
	m.w, m.h = 80, 24
	if s := m.draw().Text(); !strings.Contains(s, "the file is gone") {
		t.Errorf("the screen does not say why:\n%s", s)
	}
}
