package evolve

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"darwarp/kernels"
	"darwarp/mutate"
	"darwarp/templates"
)

// population is what is known of candidates. Every verdict comes in through insert, a new one or one from the store, so
// that a search that is resumed knows what it knew.
type population struct {
	render  *renderer
	scale   *scale
	hints   []Hint
	demes   []*pointDeme // by space
	sources *sourceDeme
	niches  []string // workloads that demes are ranked by singly
	ids     map[kernels.ID]bool
	codes   map[string]float64    // score by machine code
	twins   map[kernels.ID]string // machine code of duplicates
	members map[kernels.ID]*member
	dead    map[kernels.ID]bool // killed, or descending from one that was
	naive   *member             // the default that scores are relative to
	credit  credit
	born    int // members until now, those that fell since included
}

// newPopulation is empty but for hints.
func newPopulation(cfg *Config, dev kernels.Device) *population {
	p := &population{
		render: &renderer{bundle: cfg.Bundle, dtype: cfg.DType, device: dev, given: cfg.Job},
		scale:  &scale{objective: cfg.Objective, workloads: cfg.Workloads},
		ids:    map[kernels.ID]bool{}, codes: map[string]float64{}, twins: map[kernels.ID]string{},
		members: map[kernels.ID]*member{}, dead: map[kernels.ID]bool{},
	}
	p.sources = newSourceDeme(p.ranked)
	p.niches = nicheWorkloads(cfg.Portfolio, p.scale)
	p.newDemes(cfg.Spaces, bestHints(cfg.Hints))
	return p
}

// newDemes makes empty populations that know the hints.
func (p *population) newDemes(spaces []*kernels.Space, hints []Hint) {
	p.hints, p.demes = hints, nil
	for _, space := range spaces {
		p.addDeme(space, mutate.NewRecall(pointsOf(hints, space)))
	}
}

func (p *population) addDeme(space *kernels.Space, recall mutate.Recall) *pointDeme {
	d := newPointDeme(len(p.demes), space, recall, p.ranked)
	d.rankBy(len(p.niches))
	p.demes = append(p.demes, d)
	return d
}

// grow adds a family. Whoever holds the old bundle keeps it.
func (p *population) grow(b *templates.Bundle, space *kernels.Space) *pointDeme {
	p.render.use(b)
	return p.addDeme(space, mutate.NewRecall(nil))
}

// points are the demes of spaces; space is the one of that number.
func (p *population) points() []*pointDeme        { return p.demes }
func (p *population) space(number int) *pointDeme { return p.demes[number] }

// deme is the population of that number.
func (p *population) deme(number int) deme {
	if number == sourceNumber {
		return p.sources
	}
	return p.demes[number]
}

// all are all demes, those of spaces first.
func (p *population) all() (out []deme) {
	for _, d := range p.demes {
		out = append(out, d)
	}
	return append(out, p.sources)
}

// first is the deme that has the naive start.
func (p *population) first() *pointDeme { return p.demes[0] }

// spaceOf is the deme that a point was taken from.
func (p *population) spaceOf(id kernels.ID) *pointDeme { return p.space(p.members[id].deme.number()) }

// families are those that prompts may speak of.
func (p *population) families() (out []*kernels.Family) {
	for _, d := range p.demes {
		if !d.isClosed() {
			out = append(out, d.declared())
		}
	}
	return out
}

// familyOf is the family of a point, and how many points it has.
func (p *population) familyOf(t *task) (f *kernels.Family, points int) {
	d := p.space(t.Space)
	return d.declared(), d.size()
}

// familyName is empty for sources of their own.
func (p *population) familyName(t *task) string { return p.deme(t.Space).family() }

// device is what the spaces were made for.
func (p *population) device() kernels.Device { return p.first().device() }

// workloads have the weights that are in force.
func (p *population) workloads() []kernels.Workload { return p.scale.workloads }

// base are the naive start's times by workload, ns.
func (p *population) base() map[string]float64 { return p.scale.start() }

// start is the naive start; nil before it is judged.
func (p *population) start() *member { return p.naive }

// started reports whether the naive start is judged: before, no score means anything.
func (p *population) started() bool { return p.naive != nil }

// earned is what operators and arms have earned.
func (p *population) earned() *credit { return &p.credit }

// tried says that a proposal was asked for before, and notes that it is now.
func (p *population) tried(t *task) error {
	if p.asked(t.job.ID) {
		return fmt.Errorf("%w: %s", errTried, t.job.ID.Short())
	}
	return p.deme(t.Space).tried(t)
}

// validate makes a verdict fit to be stored, and scores it.
func (p *population) validate(c *kernels.Candidate) error { return p.scale.validate(c) }

// spaces are the spaces as a checkpoint names them.
func (p *population) spaces() (out []spaceState) {
	for _, d := range p.demes {
		out = append(out, spaceState{d.family(), d.size()})
	}
	return out
}

// save puts into a checkpoint what stored candidates do not say.
func (p *population) save(st *state) { st.Spaces, st.Hints, st.Credit = p.spaces(), p.hints, p.credit }

// restore takes up the credit of a checkpoint: what was credited while candidates were loaded is part of it.
func (p *population) restore(st *state) { p.credit = st.Credit }

// mostGenes is how many genes the largest family has.
func (p *population) mostGenes() (n int) {
	for _, d := range p.demes {
		n = max(n, len(d.declared().Genes))
	}
	return n
}

// job is what the evaluator is asked.
func (p *population) job(t *task) (*kernels.Job, error) { return p.deme(t.Space).job(p.render, t) }

// prepare gives a task its job, unless it has one; an error says why it cannot be asked for.
func (p *population) prepare(t *task) (err error) {
	if t.job == nil {
		t.job, err = p.job(t)
	}
	return err
}

// prepareAll prepares tasks side by side, as far as they can be. What fails says so when it is prepared again.
func (p *population) prepareAll(all []*task) {
	if len(all) == 1 || p.render.given != nil { // Config.Job is called by the search alone
		return
	}
	next, work := atomic.Int64{}, sync.WaitGroup{}
	for range min(len(all), runtime.GOMAXPROCS(0)) {
		work.Go(func() {
			for i := next.Add(1); int(i) <= len(all); i = next.Add(1) {
				_ = p.prepare(all[i-1])
			}
		})
	}
	work.Wait()
}

// claim notes that a candidate is asked for.
func (p *population) claim(t *task) {
	p.ids[t.job.ID] = true
	p.claimPoint(t)
}

// claimPoint notes that a point is asked for whose job is not made yet.
func (p *population) claimPoint(t *task) { p.deme(t.Space).claim(t.Index) }

// note remembers a candidate of a family that is not searched.
func (p *population) note(id kernels.ID) { p.ids[id] = true }

// asked reports whether a candidate was asked for, in this session or one before.
func (p *population) asked(id kernels.ID) bool { return p.ids[id] }

// member is a candidate that works, nil where it does not.
func (p *population) member(id kernels.ID) *member { return p.members[id] }

// size is how many candidates work.
func (p *population) size() int { return len(p.members) }

// judged is the number of judged points of all spaces.
func (p *population) judged() (n int) {
	for _, d := range p.demes {
		n += d.verdicts()
	}
	return n
}

// renew begins an epoch.
func (p *population) renew() {
	for _, d := range p.demes {
		d.renew()
	}
}

// beginEpoch renews the population where the last epoch began: when so many points were judged.
func (p *population) beginEpoch(judged int) {
	if judged > 0 && judged == p.judged() {
		p.renew()
	}
}

// open lists the demes that have points left.
func (p *population) open() (out []*pointDeme) {
	for _, d := range p.demes {
		if d.open() {
			out = append(out, d)
		}
	}
	return out
}
