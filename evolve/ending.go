package evolve

import "time"

// ending is whether the search goes on, and why not. The first error of ours is the one that counts.
type ending struct {
	stopping bool             // nothing new is asked for
	said     bool             // that no more candidates are begun
	limit    <-chan time.Time // when what is in flight is waited for no longer; nil: it is
	reason   Reason
	err      error
}

// drains reports whether nothing new is asked for.
func (e *ending) drains() bool { return e.stopping }

// has reports whether there is a reason to end, by now.
func (e *ending) has() bool { return e.reason != "" }

// failed reports whether something of ours broke.
func (e *ending) failed() bool { return e.err != nil }

// why is the reason by now, and error the first of ours.
func (e *ending) why() Reason  { return e.reason }
func (e *ending) error() error { return e.err }

// because notes the reason by now: a budget that is added to has none any more.
func (e *ending) because(why Reason) { e.reason = why }

// hurry gives what is in flight so much time.
func (e *ending) hurry(d time.Duration) { e.limit = time.After(d) }

// patience fires when that is over.
func (e *ending) patience() <-chan time.Time { return e.limit }

func (e *ending) drain(why Reason) {
	if e.err == nil {
		e.reason = why
	}
	e.stopping = true
}

// fail reports whether the error is the first.
func (e *ending) fail(err error) (first bool) {
	if first = e.err == nil; first {
		e.err, e.reason = err, ReasonFailed
	}
	e.stopping = true
	return first
}
