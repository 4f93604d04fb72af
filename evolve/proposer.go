package evolve

import (
	"fmt"
	"math/rand/v2"

	"darwarp/kernels"
	"darwarp/mutate"
)

// proposer has the sources that need no model: the families' defaults, points that another run knows, a spread sample,
// and the operators. next asks these and all others, in order.
type proposer struct {
	next     source
	pcg      *rand.PCG
	rng      *rand.Rand // of pcg
	strategy *strategy
	pop      *population
	progress *progress
	steering *steering
	queue    *queue
	journal  *journal
	waiting  *backlog
	room     int     // how many points may be proposed together
	ready    backlog // of those, what was not asked for yet
	hurry    bool    // time is in short supply, and the budget names nothing else
	points   []int   // of the last brief: hundreds are in flight with a fleet
}

func newProposer(s *Search, mix *strategy) *proposer {
	pcg := rand.NewPCG(s.cfg.Seed, 0x6461727761727000)
	x := &proposer{
		pcg: pcg, rng: rand.New(pcg), strategy: mix, pop: s.pop, progress: s.progress, steering: s.steering,
		queue: s.queue, journal: s.journal, waiting: &backlog{}, hurry: s.cfg.Budget.hurries(),
	}
	s.progress.sample = x.firstSample()
	if len(s.cfg.Hints) > 0 {
		s.progress.sample += mutate.MostRecalled * len(s.cfg.Spaces)
	}
	return x
}

// sampleSize is how many points are spread out before anything is bred: 11 for one family. Of 11 and 15 the smaller
// found the optimum of recorded spaces as often by 200 evaluations and more often by 100.
func sampleSize(families int) int { return 3 + 8*families }

// ignorant reports whether too little is known to learn from, so that the sample goes on. With many in flight the whole
// sample is asked for while only the naive start is known, and what an operator makes of that lies beside it. Half a
// sample that works is enough: of 3, 6 and 11 candidates, with 22 in flight, the three were alike after 100 evaluations
// and the last one worse after 50. If hardly anything works, the sample ends after twice its size.
func (x *proposer) ignorant() bool {
	n := x.firstSample()
	return x.pop.size() < (n+1)/2 && x.progress.Evals < 2*n
}

func (x *proposer) firstSample() int { return sampleSize(len(x.pop.points())) }

// patience is how many verdicts without a faster candidate end an epoch.
func (x *proposer) patience() int { return max(120, 20*x.pop.mostGenes()) }

// task makes a task of a point; ok is false where it needs no verdict, and is passed over.
func (x *proposer) task(d *pointDeme, p mutate.Proposal, o kernels.Origin) (t *task, ok bool) {
	t = newTask(d, p, o)
	return t, x.admits(t)
}

func newTask(d *pointDeme, p mutate.Proposal, o kernels.Origin) *task {
	d.claim(p.Index)
	return &task{Space: d.number(), Index: p.Index, Origin: o}
}

// admits reports whether a point needs a verdict.
func (x *proposer) admits(t *task) bool {
	d, err := x.pop.space(t.Space), x.pop.prepare(t)
	switch {
	case err != nil:
		x.skip(d, t, "cannot be rendered: "+err.Error())
		d.unrendered()
	case x.pop.asked(t.job.ID):
		x.skip(d, t, "the same source as "+t.job.ID.Short())
	default:
		return true
	}
	return false
}

// skip skips a point without a verdict.
func (x *proposer) skip(d *pointDeme, t *task, why string) {
	x.progress.pass(t)
	x.journal.send(Event{Kind: KindSkip, Family: d.family(), Note: why})
}

// waited are tasks that were proposed before, and wait for a slot.
func (x *proposer) waited() (*task, bool) { return x.waiting.next() }

// startOperator names the origin of points that families say to try first.
const startOperator = "start"

// defaults are those of the families other than the first, and what families say to try first.
func (x *proposer) defaults() (*task, bool) {
	for _, d := range x.pop.points() {
		if p, ok := d.unaskedDefault(); ok {
			operator := startOperator
			if p.Index == d.start {
				operator = "default"
			}
			if t, ok := x.task(d, p, kernels.Origin{Operator: operator, Generation: 1}); ok {
				return t, true
			}
		}
	}
	return nil, false
}

// renewal ends an epoch that finds nothing more, and proposes nothing. Every other epoch starts afresh: it breeds
// from a new sample alone, and the one after it from everything.
func (x *proposer) renewal() (*task, bool) {
	if !x.strategy.renew || !x.progress.stale(x.patience()) {
		return nil, false
	}
	x.progress.nextEpoch(x.pop.judged())
	note := "breeding from everything again"
	if x.progress.afresh() {
		x.progress.sample = x.firstSample()
		note = "breeding from a new sample; the champion stays"
	}
	x.pop.renew()
	x.journal.send(Event{Kind: KindRestart,
		Note: "no gain in " + kernels.Quantity(x.patience(), "evaluation") + ": " + note})
	return nil, false
}

// hinted are points that were best in another run, if there is one. They are the first of the sample.
func (x *proposer) hinted() (*task, bool) {
	return x.sampled(x.firstSample(), func(d *pointDeme) mutate.Operator { return d.recalled() })
}

// spread is a sample of points that are far from each other.
func (x *proposer) spread() (*task, bool) {
	if x.strategy.sample && x.progress.sample == 0 && x.ignorant() {
		x.progress.sample = len(x.pop.open())
	}
	return x.sampled(0, func(*pointDeme) mutate.Operator { return mutate.Spread{} })
}

// sampled goes through the sample, from deme to deme, until so many points of it are left.
func (x *proposer) sampled(left int, op func(*pointDeme) mutate.Operator) (*task, bool) {
	for x.strategy.sample && x.progress.sample > left {
		open := x.pop.open()
		if len(open) == 0 {
			break
		}
		x.progress.sample--
		d := open[x.progress.sample%len(open)]
		if p, o, ok := x.draw(op(d), d); ok {
			if t, ok := x.task(d, p, o); ok {
				return t, true
			}
		}
	}
	return nil, false
}

// draw uses an operator that needs no parents.
func (x *proposer) draw(op mutate.Operator, d *pointDeme) (mutate.Proposal, kernels.Origin, bool) {
	p, ok := op.Propose(x.rng, x.brief(d.pool(false), d))
	return p, kernels.Origin{Operator: op.Name(), Generation: 1}, ok
}

// brief adds to a pool what the search knows of the moment.
func (x *proposer) brief(p *mutate.Pool, d *pointDeme) *mutate.Pool {
	x.points = x.waiting.points(x.queue.points(x.points[:0], d.number()), d.number())
	x.points = x.ready.points(x.points, d.number())
	p.Hurry, p.Live, p.Pending = x.hurry, !x.queue.inOrder, x.points
	return p
}

// seeds is how many points a language model's family gets beside its default, as many as a family has in the first
// sample.
const seeds = 8

// seed asks for the first points of a family whose default just turned out to work: those that another run knows,
// then some that are spread out.
func (x *proposer) seed(d *pointDeme) {
	if x.strategy.name == BestOfN {
		return
	}
	for range seeds {
		p, o, ok := x.draw(d.recalled(), d)
		if !ok {
			p, o, ok = x.draw(mutate.Spread{}, d)
		}
		if !ok {
			return
		}
		if t, ok := x.task(d, p, o); ok {
			x.pop.claim(t)
			x.waiting.push(t)
		}
	}
}

// save puts into a checkpoint where the random source and the sample stand.
func (x *proposer) save(st *state) {
	rng, err := x.pcg.MarshalBinary()
	if err != nil { // never fails
		panic(err)
	}
	st.RNG, st.Progress, st.Sample = rng, *x.progress, x.progress.sample
}

func (x *proposer) takeUp(state []byte) error {
	if err := x.pcg.UnmarshalBinary(state); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}
