package gpu

import (
	"darwarp/eval/internal/device"
)

// gating is a gate whose runs are being queued.
type gating struct {
	*Session
	program *program
	req     *device.Gate
	phase   func(string)
	places  map[int]int
	// due is what the run before has left, if it is not looked at yet: at small sizes a gate takes as long as its
	// launches do, and where what the next run finds is little, too, one launch looks at the one and fills the other.
	due *inspection
	at  string // the case that something is done for
}

// caseRun is what was queued for a case.
type caseRun struct {
	at     int     // the case
	lap    int     // of the last run; -1: nobody asks for its time
	lost   bool    // the candidate is too slow for other cases
	once   bool    // and there was no second run
	first  float64 // ns of the first run, where it counts
	looks  [2]*inspection
	hashes [2]int // counters
	packed int    // lap of the last run's launches with `prepare`; -1: there are none
	judged int    // which run's outputs go to the judge
}

// together is how many of the next cases are run by turns: two of sizes that nobody times, and whose calls have all
// that they find in arenas of their own.
func (g *gating) together(list []int) int {
	if len(list) > 1 && g.alone(list[0]) && g.alone(list[1]) {
		return 2
	}
	return 1
}

// alone reports whether a case's runs have nothing to do with those of other cases: to bind its call queues nothing.
func (g *gating) alone(i int) bool {
	a, call := g.arenas[i], &g.req.Calls[i]
	return !g.req.Careful && g.prep.Cases[i].Workload == "" && len(call.Scratch) == 0 && len(call.Prepare) == 0 &&
		a != nil && !a.gone() && a.holds == i && !a.wiped
}

// cases queues all runs of one or two cases, and appends them: of each one over wild and one over plausible values, in
// an order that nobody knows. The runs of two go by turns, so that what one case's run has left is looked at while the
// other's outputs are filled.
func (g *gating) cases(runs []caseRun, list []int) ([]caseRun, error) {
	if !g.alone(list[0]) {
		if err := g.lookNow(); err != nil { // before guards are painted, or inputs made
			return runs, err
		}
	}
	var firsts [2]device.Refill
	var bounds [2]bound
	for k, i := range list {
		g.at = g.prep.Cases[i].Name
		var err error
		if bounds[k], err = g.bound(g.program, g.req.Calls[i], i); err != nil {
			return runs, err
		}
		runs, firsts[k] = append(runs, caseRun{at: i, lap: -1}), g.anyRefill()
	}
	mine := runs[len(runs)-len(list):]
	for run := range 2 {
		for k := range mine {
			how := firsts[k]
			if run == 1 {
				how = !how
			}
			if err := g.run(&mine[k], bounds[k], run, how); err != nil || mine[k].once {
				return runs, err
			}
		}
	}
	return runs, nil
}

// limit is how many ns a call of a case may take; 0: any.
func (g *gating) limit(i int) float64 {
	if len(g.req.Sets) > 0 && i == g.req.Sets[0] {
		return g.req.Limit
	}
	return 0
}

// run queues one of the two runs of a case. The outputs of the one over wild values go to the judge, since what it left
// unwritten is wrong for certain. A call that takes longer than the limit, if there is one, is the only run.
func (g *gating) run(r *caseRun, w bound, run int, how device.Refill) (err error) {
	c, call, limit := &g.prep.Cases[r.at], g.req.Calls[r.at], g.limit(r.at)
	g.at = c.Name
	if r.packed, err = g.packFirst(w, g.step(g.req, c.Name, g.phase)); err != nil {
		return err
	}
	if err := g.fill(g.refills(w.arena, w.scratch, call.Scratch, how)); err != nil {
		return err
	}
	put := func() error { return g.put(w.work) }
	timed := limit > 0 || c.Workload != "" // of sizes that are not scored nobody asks for the time
	if !timed || run == 0 && limit == 0 {  // a first launch says little of the time
		err = put()
	} else {
		r.lap, err = g.clock.next(put)
	}
	if err == nil && limit > 0 {
		err = g.tooSlow(r, run)
	}
	if err != nil {
		return err
	}
	to := nowhere
	if how == device.Wild || r.once {
		r.judged, to = run, g.places[r.at]
	}
	if r.looks[run], r.hashes[run], err = g.lookLater(r.at, w, to); err != nil {
		return err
	}
	if r.once {
		r.hashes[1] = r.hashes[0]
	}
	return nil
}

// fill fills what the next run finds, and looks on the way at what the one before has left.
func (g *gating) fill(list []Refilling) error {
	due := g.due
	g.due = nil
	return g.poisonAfter(due, g.program, list...)
}

// lookNow queues a look that is due.
func (g *gating) lookNow() error {
	due := g.due
	if g.due = nil; due == nil {
		return nil
	}
	return g.queue(due)
}

// lookLater has what a call of a case has left be looked at: now, or where the next run can find none of it together
// with filling what that finds.
func (g *gating) lookLater(i int, w bound, place int) (v *inspection, hash int, err error) {
	c := &g.prep.Cases[i]
	v, hash, copied := g.left(g.program, c, w, g.req.Calls[i], place)
	if err := g.count(v); err != nil {
		return v, hash, err
	}
	if g.due = v; !g.alone(i) {
		err = g.lookNow()
	}
	if err == nil && !copied {
		err = g.copyOut(c, w.arena, place)
	}
	return v, hash, err
}

// tooSlow waits for a run of the first of the sets and finds out whether the candidate has lost: in one run by the
// limit, in two by the lesser of them, which no hesitation of the machine has made slow. Who was quick enough once is
// not waited for again.
func (g *gating) tooSlow(r *caseRun, run int) error {
	if run == 1 && !g.req.Slow(r.first) {
		return nil
	}
	if err := g.drv.SyncStream(g.stream); err != nil {
		return err
	}
	ns, err := g.clock.nanos(r.lap)
	if run == 0 {
		r.first, r.once = ns, ns > g.req.Limit
		r.lost = r.once
		return err
	}
	r.lost = g.req.Slow(ns)
	return err
}
