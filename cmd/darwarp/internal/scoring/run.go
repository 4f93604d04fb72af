package scoring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"darwarp/eval/replay"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/templates"
)

// Marks are the numbers of evaluations after which a search is looked at.
var Marks = []int{50, 100, 200, 400}

// Step is a gain of a run: after so many evaluations and seconds its best value is this.
type Step struct {
	Evals   int
	Seconds float64
	Value   float64
}

// Run is one search as its gains, in order.
type Run []Step

// best is the value of the last step that was made by then, infinite before the first.
func (r Run) best(by func(Step) bool) float64 {
	v := math.Inf(1)
	for _, s := range r {
		if !by(s) {
			break
		}
		v = s.Value
	}
	return v
}

// Ground is a recording to search on. Values are scores relative to the naive start.
type Ground struct {
	*Landscape
	Record *replay.Record
	cfg    evolve.Config
	ev     *replay.Evaluator
	jobs   sync.Map  // by space and index: what all searches share
	all    []float64 // values by space and index, NaN where not right
	evals  int       // after which a search may end
	hint   *Hinting
	limit  float64 // seconds after which it may
}

// NewGround prepares a recording; so many candidates are in flight at a time. With more than one, the
// seconds of a search pass as many times faster.
func NewGround(rec *replay.Record, b *templates.Bundle, jobs int) (*Ground, error) {
	spaces, err := rec.Spaces(b.Families)
	if err != nil {
		return nil, err
	}
	ev, err := replay.New(rec, nil, jobs)
	if err != nil {
		return nil, err
	}
	g := &Ground{Record: rec, ev: ev,
		cfg: evolve.Config{Bundle: b, DType: rec.DType, Workloads: rec.Workloads, Spaces: spaces}}
	g.cfg.Job = g.job
	if g.Landscape, err = g.survey(); err != nil {
		return nil, err
	}
	g.evals, g.limit = max(Marks[len(Marks)-1], g.CutOff), g.Limit
	return g, nil
}

// survey asks for every point's verdict.
func (g *Ground) survey() (*Landscape, error) {
	verdict := func(f *kernels.Family, genes kernels.Genome) (kernels.Result, error) {
		return g.ev.Evaluate(context.Background(), &kernels.Job{Variant: kernels.Variant{Family: f.Name, Genes: genes}})
	}
	first := g.cfg.Spaces[0].Family
	naive, err := verdict(first, first.Defaults())
	if err != nil {
		return nil, err
	}
	if naive.Outcome != kernels.OK {
		return nil, fmt.Errorf("the naive start, the default of family %s, was not recorded as right (%s)", first.Name,
			naive.Outcome)
	}
	base := map[string]float64{}
	for _, t := range naive.Times {
		base[t.Workload] = t.Median
	}
	var values, seconds []float64
	for _, s := range g.cfg.Spaces {
		for i := range s.Len() {
			r, err := verdict(s.Family, s.Genome(s.At(i)))
			if err != nil {
				return nil, err
			}
			v := math.NaN()
			if r.Outcome == kernels.OK {
				if v, err = kernels.Score(r.Times, base, g.cfg.Workloads); err != nil {
					return nil, err
				}
			}
			values, seconds = append(values, v), append(seconds, r.Cost.Total())
		}
	}
	g.all = slices.Clone(values)
	return NewLandscape(values, seconds)
}

// Hinting lets every search begin with what a run on random points of the same space would know.
type Hinting struct {
	Points  int
	Mislead bool // the worst are given out as the best
}

// Hint has the searches that follow begin with hints.
func (g *Ground) Hint(h Hinting) { g.hint = &h }

// hints draws points by the seed of the search, but not as the search does.
func (g *Ground) hints(seed uint64) (out []evolve.Hint) {
	rng := rand.New(rand.NewPCG(seed, 0x68696e74))
	at := 0
	for _, s := range g.cfg.Spaces {
		for _, i := range rng.Perm(s.Len())[:min(s.Len(), g.hint.Points/len(g.cfg.Spaces))] {
			if v := g.all[at+i]; !math.IsNaN(v) {
				if g.hint.Mislead {
					v = 1 / v
				}
				out = append(out, evolve.Hint{Family: s.Family.Name, Genes: s.Genome(s.At(i)), Score: v})
			}
		}
		at += s.Len()
	}
	return out
}

// job renders a point once. A recording answers by its genes: the source is not kept.
func (g *Ground) job(space, index int) (kernels.Job, error) {
	key := [2]int{space, index}
	if known, ok := g.jobs.Load(key); ok {
		return known.(kernels.Job), nil
	}
	x := g.cfg.Spaces[space]
	genes := x.Family.Defaults()
	if index >= 0 {
		genes = x.Genome(x.At(index))
	}
	job, err := g.cfg.Bundle.Job(x.Family, genes, x.Device, g.cfg.DType)
	if err != nil {
		return job, err
	}
	g.jobs.Store(key, kernels.Job{ID: job.ID, Variant: job.Variant})
	return kernels.Job{ID: job.ID, Variant: job.Variant}, nil
}

// Search runs one search until nothing can change its scores any more: the optimum is found, or both
// the last mark and the cut-offs are behind it.
func (g *Ground) Search(ctx context.Context, strategy string, seed uint64) (Run, error) {
	cfg := g.cfg
	cfg.Strategy, cfg.Seed = strategy, seed
	if g.hint != nil {
		cfg.Hints = g.hints(seed)
	}
	s, err := evolve.New(cfg, g.ev, nil)
	if err != nil {
		return nil, err
	}
	parent := ctx
	ctx, enough := context.WithCancel(parent)
	defer enough()
	limit := time.Duration(g.limit * float64(time.Second))
	var run Run
	_, err = s.Run(ctx, func(e evolve.Event) {
		if e.Kind != evolve.KindResult || ctx.Err() != nil {
			return
		}
		if n := len(run); e.Best > 0 && (n == 0 || e.Best < run[n-1].Value) {
			run = append(run, Step{e.Evals, e.At.Seconds(), e.Best})
		}
		if e.Best > 0 && e.Best <= g.Optimum() || e.Evals >= g.evals && e.At >= limit {
			enough()
		}
	})
	return run, errors.Join(err, parent.Err())
}

// Searches runs so many searches with the seeds 1, 2, ..., on all cores. A run depends on nothing but
// its seed.
func (g *Ground) Searches(ctx context.Context, strategy string, seeds int) ([]Run, error) {
	runs, errs := make([]Run, seeds), make([]error, seeds)
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(seeds, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range next {
				runs[i], errs[i] = g.Search(ctx, strategy, uint64(i+1))
			}
		})
	}
	for i := range runs {
		next <- i
	}
	close(next)
	workers.Wait()
	return runs, errors.Join(errs...)
}
