package evolve

import (
	"errors"
	"slices"
	"time"

	"darwarp/kernels"
)

// A new champion is timed beside the naive start as soon as it may be, and one that stays every paceEvery: machines
// drift. Between two times lies paceLeast at least, and so long that they take one part in paceShare of the search:
// where a call of the naive start takes 100 ms they last for seconds.
const (
	paceLeast = 10 * time.Second
	paceEvery = 5 * time.Minute
	paceShare = 50
)

// pacing is when the champion is timed beside the naive start again.
type pacing struct {
	can   bool // the evaluator can do it
	least time.Duration
	asked bool          // it does
	began time.Duration // the last time, in the time of the search
	next  time.Duration // may be from then on
}

func newPacing(can bool) pacing { return pacing{can: can, least: paceLeast, next: paceLeast} }

// due reports whether it is time. direct says that the champion was held against the naive start itself before.
func (p *pacing) due(now time.Duration, direct bool) bool {
	return p.can && !p.asked && now >= p.next && !(direct && now < p.began+paceEvery)
}

func (p *pacing) begin(now time.Duration) { p.asked, p.began = true, now }

func (p *pacing) end(now time.Duration) {
	p.asked, p.next = false, now+max(p.least, paceShare*(now-p.began))
}

// pace is how the champion's score, and with it every other, becomes a speedup over the naive start.
func (r *championship) pace() kernels.Pace {
	if r.recorded || r.champion() == nil { // recorded times do not drift
		return kernels.Pace{}
	}
	return kernels.NewPace(r.led, r.pop.start().paced(), r.champion().paced(), r.pop.scale.objective, r.pop.workloads())
}

// direct reports whether the champion was held against the naive start itself.
func (r *championship) direct() bool {
	start, champion := r.pop.start().id.Short(), r.champion().id.Short()
	return slices.ContainsFunc(r.led, func(d kernels.Duel) bool {
		return d.Challenger == champion && (d.Champion == start || d.Champion == kernels.NaiveStart)
	})
}

// paced is a member as a pace needs it.
func (m *member) paced() kernels.Paced {
	return kernels.Paced{ID: m.id, Score: m.score, Times: m.timings}
}

// keepPace has the champion timed beside the naive start when that is due.
func (s *Search) keepPace() {
	m := s.championship.champion()
	switch {
	case m == nil || m == s.pop.start() || s.ending.drains() || s.ending.has() || s.steering.paused() || s.outage.on():
		return
	case s.dueling() || s.championship.hasSuccessor() || !s.upkeep.pacing.due(s.clock.elapsed(), s.championship.direct()):
		return
	}
	t, err := s.askChampion(forPace)
	if err == nil {
		t.champion, err = s.pop.job(s.pop.start().task())
	}
	if err != nil {
		s.fail(err)
		return
	}
	s.upkeep.pacing.begin(s.clock.elapsed())
	s.queue.start(t)
}

// timedAgain enters what came of it. Anything but a fault of darwarp itself was taken for no answer before it came
// here.
func (s *Search) timedAgain(a answer) {
	s.upkeep.pacing.end(s.clock.elapsed())
	if errors.Is(a.err, kernels.ErrLost) {
		s.cfg.Log.Warn("the champion could not be timed beside the naive start", "err", a.err)
		return
	}
	d := a.duel
	d.Champion, d.ChampionKind, d.Challenger = kernels.NaiveStart, kernels.StartName, a.task.job.ID.Short()
	if validateDuel(&d); d.Leads() {
		s.championship.remember(d)
		s.journal.pace(a.task.job.ID, d)
	}
}
