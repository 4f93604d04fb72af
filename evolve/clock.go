package evolve

import "time"

// clock is the time that a search has taken, over all sessions: as it passed, or as recorded costs say. Time that
// passed is taken from the monotonic clock, which somebody who sets the time of day does not move and which stands
// still while the machine is suspended.
type clock struct {
	simulated bool
	wall      func() time.Time // time.Now; tests set the time of day
	began     time.Time        // this session, zero before it
	latest    time.Time        // stamp of the sessions before
	before    time.Duration    // of earlier sessions, and of simulated work
	start     time.Time        // since when time counts, zero while it does not
	origin    time.Duration    // elapsed at the start of this session
	evals     int              // at the start of this session, -1 not noted yet
}

func newClock(simulated bool) *clock { return &clock{simulated: simulated, wall: time.Now} }

func (c *clock) now() time.Time { return c.wall() }

func (c *clock) begin() {
	c.began = c.now()
	c.start, c.origin, c.evals = c.began, c.before, -1
}

// stamp is the time of day by the wall's clock at the beginning of the session and what has passed since: stamps of
// one session are in order, and as far apart as it was, whatever was done to the clock on the wall; and they come
// after those of the sessions before.
func (c *clock) stamp() time.Time {
	base := c.began
	if c.latest.After(base) {
		base = c.latest
	}
	return base.Add(c.now().Sub(c.began)).UTC()
}

// stop lets no more time pass until goOn.
func (c *clock) stop() { c.before, c.start = c.elapsed(), time.Time{} }

// goOn lets time pass again, where it does not.
func (c *clock) goOn() {
	if c.start.IsZero() {
		c.start = c.now()
	}
}

// still reports whether no time passes by the clock on the wall.
func (c *clock) still() bool { return !c.simulated && c.start.IsZero() }

func (c *clock) elapsed() time.Duration {
	if c.simulated || c.start.IsZero() {
		return c.before
	}
	return c.before + c.now().Sub(c.start)
}

// spend lets simulated time pass: seconds of work on one of so many slots.
func (c *clock) spend(seconds float64, slots int) {
	if c.simulated && seconds > 0 {
		c.before += time.Duration(seconds / float64(max(1, slots)) * float64(time.Second))
	}
}

// rate is verdicts per second in this session.
func (c *clock) rate(evals int) float64 {
	if c.evals < 0 {
		c.evals = evals
	}
	d := (c.elapsed() - c.origin).Seconds()
	if d <= 0 {
		return 0
	}
	return float64(evals-c.evals) / d
}

// follow has stamps come after that of an earlier session.
func (c *clock) follow(at time.Time) {
	if at.After(c.latest) {
		c.latest = at
	}
}

// takeUp counts the time of earlier sessions.
func (c *clock) takeUp(elapsed time.Duration) { c.before = elapsed }
