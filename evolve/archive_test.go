package evolve

import (
	"fmt"
	"slices"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate"
)

func TestArchiveKeepsTheBestOfEveryNiche(t *testing.T) {
	a := archive{}
	for i, x := range []struct {
		niche string
		score float64
	}{{"wmma", 0.5}, {"fma", 3}, {"wmma", 0.7}, {"fma", 2}} {
		a.add(x.niche, &mutate.Individual{Index: i, Score: x.score})
	}
	best := a.best()
	if len(best) != 2 || best[0].Index != 0 || best[1].Index != 3 {
		t.Errorf("got %v", best)
	}
	for i := range 2 * mostNiches {
		a.add(fmt.Sprint(i), &mutate.Individual{Score: float64(10 + i)})
	}
	if len(a) != mostNiches || a["wmma"] == nil || a[fmt.Sprint(2*mostNiches-1)] != nil {
		t.Errorf("%d niches: expected %d, the worst gone", len(a), mostNiches)
	}
}

func TestNichesOfARun(t *testing.T) {
	b, s := toyBundle(t), toyConfig(t, "hills").Spaces[0]
	f := s.Family
	var all []kernels.Candidate
	for i := range s.Len() {
		c := kernels.Candidate{Variant: kernels.Variant{Family: f.Name, Genes: s.Genome(s.At(i))}, Score: toyTime(s.Genome(s.At(i)))}
		c.Result.Outcome = kernels.OK
		all = append(all, c)
	}
	niches := Niches(b.Families, all)
	tried := 0
	for i, n := range niches {
		tried += n.Tried
		if i > 0 && n.Best.Score < niches[i-1].Best.Score {
			t.Errorf("niche %d is better than the one before it", i)
		}
	}
	if len(niches) < 2 || tried != len(all) {
		t.Errorf("%d niches of %d candidates, %d of them sorted in", len(niches), len(all), tried)
	}
}

// TestHints: hints that are right shorten a search, and those that mislead do not make it longer than
// the first sample.
func TestHints(t *testing.T) {
	space := toyConfig(t, "hills").Spaces[0]
	var right, wrong []Hint
	for i := 0; i < space.Len(); i += 3 {
		g := space.Genome(space.At(i))
		right = append(right, Hint{space.Family.Name, g, toyTime(g)})
		wrong = append(wrong, Hint{space.Family.Name, g, 1 / toyTime(g)})
	}
	evals := func(h []Hint) int {
		sum := 0
		for seed := range uint64(12) {
			cfg := toyConfig(t, space.Family.Name)
			cfg.Seed, cfg.Hints, cfg.Budget.Evals = seed, h, 150
			at, c := 150, &collector{}
			search := mustSearch(t, cfg, newFake(1, true), &memory{})
			if _, err := search.Run(t.Context(), c.emit); err != nil {
				t.Fatal(err)
			}
			best := c.all[len(c.all)-1].Best
			for _, e := range c.all {
				if e.Best == best {
					at = min(at, e.Evals)
				}
			}
			sum += at
		}
		return sum / 12
	}
	none, good, bad := evals(nil), evals(right), evals(wrong)
	t.Logf("best after %d evaluations; with hints %d; with hints that mislead %d", none, good, bad)
	if good > none || bad > none+firstSample(1) {
		t.Errorf("best after %d evaluations; with hints %d; with hints that mislead %d", none, good, bad)
	}
}

// TestHintsAreResumed goes on without being told the hints again.
func TestHintsAreResumed(t *testing.T) {
	cfg := toyConfig(t, "hills")
	space := cfg.Spaces[0]
	for i := 0; i < space.Len(); i += 5 {
		g := space.Genome(space.At(i))
		cfg.Hints = append(cfg.Hints, Hint{space.Family.Name, g, toyTime(g)})
	}
	cfg.Budget.Evals = 40
	whole := &memory{}
	mustRun(t, cfg, clocked{failing(2)}, whole)
	for _, cut := range []int{3, 12, 25} {
		m := stopped(t, cfg, 2, cut, true)
		bare := cfg
		bare.Hints = nil
		mustRun(t, bare, clocked{failing(2)}, m)
		if !slices.Equal(m.story(), whole.story()) {
			t.Errorf("cut after %d: the story differs", cut)
		}
	}
}

func TestHintsAreBounded(t *testing.T) {
	var all []Hint
	for i := range 3000 {
		all = append(all, Hint{Score: float64((i * 7) % 3000)})
	}
	got := hints(all)
	if len(got) != mostHints || got[0].Score != 1 {
		t.Errorf("%d hints, the first with score %g", len(got), got[0].Score)
	}
}

func TestPurse(t *testing.T) {
	var p purse
	for range 20 {
		p.pay("good", 0, 40)
		p.pay("bad", 30, 40)
		p.pay("fails", -1, 40)
	}
	if !(p.wage("good") > p.wage("unknown")) || !(p.wage("unknown") > p.wage("bad")) {
		t.Errorf("wages: good %g, unknown %g, bad %g", p.wage("good"), p.wage("unknown"), p.wage("bad"))
	}
}
