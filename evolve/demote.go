package evolve

import (
	"fmt"
	"math"
	"slices"

	"darwarp/kernels"
	"darwarp/mutate"
)

// demote files a candidate that did not stand its trial as what it was found out to be: it leaves the populations as a
// failure, and if it was the champion, the one before it that is still believed, or was never doubted, is champion
// again.
func (r *championship) demote(m *member, t kernels.Trial) {
	r.steering.unpinAll(r.pop.removeFallen(m))
	r.progress.degrade(t.Fault().Outcome, r.pop.bestScore())
	r.leave(m)
	var successor kernels.ID
	why := ""
	if m == r.champion() {
		before := r.trials.lastPredecessor(r.pop.start(), r.clock.elapsed())
		r.contest.reinstate(before, r.pop)
		successor, why = before.id, fmt.Sprintf("again, since %s fell on trial", m.id.Short())
	}
	r.journal.fall(t, successor, r.champion().score, why)
}

// demoteInDuel files the side of a duel that was found out in it, and reports whether there is one. The naive start is
// none: it is what all others are held against.
func (r *championship) demoteInDuel(t *task, d *kernels.Duel) bool {
	id := map[kernels.Side]kernels.ID{kernels.TheChampion: t.Champion, kernels.TheChallenger: t.Challenger}[d.Culprit]
	m := r.pop.member(id)
	if m == nil || m == r.pop.start() {
		return false
	}
	r.demote(m, r.enterFault(id, d, r.journal.proof(), r.clock.stamp()))
	return true
}

// demoteFallen files those that fell between two sessions: `darwarp verify` tries candidates, too.
func (r *championship) demoteFallen() {
	for _, m := range r.pop.ranked() {
		if r.fell(m.id) && m != r.pop.start() {
			r.demote(m, r.of(m.id))
		}
	}
}

// removeFallen takes a candidate and its twins, which have its machine code, out of all that is bred and learned from
// as good.
func (p *population) removeFallen(m *member) (fell map[kernels.ID]bool) {
	fell = map[kernels.ID]bool{m.id: true}
	if m.code != "" {
		p.codes[m.code] = math.Inf(1)
		for id, code := range p.twins {
			fell[id] = fell[id] || code == m.code
		}
	}
	delete(p.members, m.id)
	for _, d := range p.all() {
		d.fail(fell)
	}
	return fell
}

// bestScore is the least score of all that works, 0 where nothing does.
func (p *population) bestScore() (best float64) {
	for _, m := range p.members {
		if best == 0 || m.score < best {
			best = m.score
		}
	}
	return best
}

// fail makes individuals failures: they are learned from as such, and not bred from.
func (r *ranking) fail(fell map[kernels.ID]bool) {
	is := func(o *mutate.Individual) bool { return fell[o.ID] }
	r.best, r.fresh = slices.DeleteFunc(r.best, is), slices.DeleteFunc(r.fresh, is)
	for _, o := range r.seen {
		if is(o) {
			o.Score = math.Inf(1)
		}
	}
	r.changed()
}

func (d *pointDeme) fail(fell map[kernels.ID]bool) {
	for _, n := range d.niches {
		n.fail(fell)
	}
	d.ranking.fail(fell)
}

// reinstate makes a champion of before champion again. Those that lost against it keep that, and those that lost
// against the one that fell may challenge.
func (c *contest) reinstate(m *member, pop *population) {
	c.setChampion(m)
	for _, o := range pop.ranked() {
		if d, ok := c.duelOf(m.id, o.id); ok && d.Verdict != kernels.Faster {
			c.beaten[o.id] = true
		}
	}
}

// degrade counts a candidate that worked as what it was found out to be.
func (p *progress) degrade(as kernels.Outcome, best float64) {
	if p.outcomes[kernels.OK]--; p.outcomes[kernels.OK] == 0 {
		delete(p.outcomes, kernels.OK)
	}
	p.outcomes[as]++
	p.Best = best
}

// unpinAll makes candidates that fell pinned no more.
func (s *steering) unpinAll(fell map[kernels.ID]bool) {
	s.asked.Pins = slices.DeleteFunc(s.asked.Pins, func(id kernels.ID) bool { return fell[id] })
}
