package evolve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
	"darwarp/mutate"
)

func TestArchiveKeepsTheBestOfEveryNiche(t *testing.T) {
	var best []*mutate.Individual
	for i, niche := range []string{"wmma", "wmma", "fma", "wmma", "fma"} {
		best = append(best, &mutate.Individual{Index: i, Niche: niche})
	}
	if got := archive(best); len(got) != 2 || got[0].Index != 0 || got[1].Index != 2 {
		t.Errorf("got %v", got)
	}
	for i := range 2 * mostNiches {
		best = append(best, &mutate.Individual{Niche: fmt.Sprint(i)})
	}
	if got := archive(best); len(got) != mostNiches || got[1].Niche != "fma" ||
		got[mostNiches-1].Niche != fmt.Sprint(mostNiches-3) {
		t.Errorf("%d niches: expected %d, the worst gone", len(got), mostNiches)
	}
}

// TestArchived: an archive that one after the other was added to is that of all, whatever the scores, also equal ones.
func TestArchived(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	for _, niches := range []int{1, 5, 2 * mostNiches} {
		var r ranking
		for i := range 600 {
			r.add(&mutate.Individual{Index: i, Score: float64(rng.IntN(300)), Niche: fmt.Sprint(rng.IntN(niches))}, i%7 == 0)
			if got, want := r.archive(false), archive(r.best); !slices.Equal(got, want) {
				t.Fatalf("%d niches, %d added: %d in the archive, expected %d", niches, i+1, len(got), len(want))
			}
			if i == 300 {
				r.renew()
			}
			if got := r.archive(true); !slices.Equal(got, archive(r.fresh)) {
				t.Fatalf("%d niches, %d added: this epoch's archive is another", niches, i+1)
			}
		}
	}
}

// BenchmarkArchive: one more of 4,000 that work, as a proposal finds it.
func BenchmarkArchive(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 0))
	add := func(r *ranking) {
		of := fmt.Sprint("mma=wmma loader=cp_async smem=2^", rng.IntN(40))
		r.add(&mutate.Individual{Score: rng.Float64(), Niche: of}, false)
		r.archive(false)
	}
	var r ranking
	for range 4000 {
		add(&r)
	}
	of := r
	for b.Loop() {
		add(&of)
		of.best, of.fresh, of.seen = r.best, r.fresh, r.seen
	}
}

// TestNiche tells structures apart, and not numbers.
func TestNiche(t *testing.T) {
	s := toyConfig(t, "hills").Spaces[0]
	of := map[string]map[string]bool{} // values of the choice by niche
	for i := range s.Len() {
		g := s.Genome(s.At(i))
		n := niche(s.Family, &kernels.Candidate{Variant: kernels.Variant{Genes: g}})
		if of[n] == nil {
			of[n] = map[string]bool{}
		}
		of[n][g["c"].String()] = true
	}
	if len(of) < 3 || len(of) > s.Len()/4 {
		t.Errorf("%d niches of %d points", len(of), s.Len())
	}
	for n, c := range of {
		if len(c) != 1 {
			t.Errorf("niche %s holds c = %v", n, c)
		}
	}
}

// TestHints: hints that are right shorten a search, and those that mislead cost less than a
// first sample does.
func TestHints(t *testing.T) {
	const seeds = 6
	space := toyConfig(t, "hills").Spaces[0]
	var right, wrong []Hint
	for i := 0; i < space.Len(); i += 3 {
		g := space.Genome(space.At(i))
		right = append(right, Hint{space.Family.Name, g, toyTime(g)})
		wrong = append(wrong, Hint{space.Family.Name, g, 1 / toyTime(g)})
	}
	evals := func(h []Hint) int {
		sum := 0
		for seed := range uint64(seeds) {
			cfg := toyConfig(t, space.Family.Name)
			cfg.Seed, cfg.Hints, cfg.Budget.Evals = seed, h, 60
			at, c := 60, &collector{}
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
		return sum / seeds
	}
	none, good, bad := evals(nil), evals(right), evals(wrong)
	t.Logf("best after %d evaluations; with hints %d; with hints that mislead %d", none, good, bad)
	if good > none || bad > none+sampleSize(1) {
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
	got := bestHints(all)
	if len(got) != mostHints || got[0].Score != 0 || got[mostHints-1].Score != mostHints-1 {
		t.Errorf("%d hints with scores %g to %g", len(got), got[0].Score, got[len(got)-1].Score)
	}
}

func TestCredit(t *testing.T) {
	var p credit
	for range 20 {
		p.reward("good", 0.1, 1)
		p.reward("bad", 0, 1)
		p.reward("slow", 0.2, 10) // better at every try, worse for every second
	}
	if !(p.weight("good") > p.weight("unknown")) || !(p.weight("unknown") > p.weight("bad")) ||
		!(p.weight("good") > 2*p.weight("slow")) || !(p.weight("slow") > p.weight("bad")) {
		t.Errorf("weights: good %g, slow %g, unknown %g, bad %g", p.weight("good"), p.weight("slow"), p.weight("unknown"),
			p.weight("bad"))
	}
}

// TestArchiveFollows: the archive that is kept is that of the list as it is now, whatever was done to the list.
func TestArchiveFollows(t *testing.T) {
	var r ranking
	add := func(i int, score float64, niche string) {
		r.add(&mutate.Individual{ID: kernels.ID{byte(i)}, Index: i, Score: score, Niche: niche}, false)
	}
	check := func(after string, want ...int) {
		t.Helper()
		for _, fresh := range []bool{false, true} {
			var got []int
			for _, o := range r.archive(fresh) {
				got = append(got, o.Index)
			}
			if !slices.Equal(got, want) {
				t.Errorf("after %s, fresh %v: %v, expected %v", after, fresh, got, want)
			}
		}
	}
	add(1, 3, "a")
	add(2, 2, "b")
	check("two niches", 2, 1)
	add(3, 1, "a")
	check("a better one", 3, 2)
	r.rank(func(o *mutate.Individual) float64 { return -o.Score })
	check("other weights", 1, 2)
	r.removeDead(map[kernels.ID]bool{{1}: true})
	check("a kill", 2, 3)
	r.fail(map[kernels.ID]bool{{2}: true})
	check("a fall", 3)
	r.best = nil // only this epoch's counts from here
	r.renew()
	check("an epoch")
}
