package evolve

import (
	"context"
	"darwarp/kernels"
	"darwarp/store"
	"errors"
	"fmt"
	"time"
)

// loop is the select that owns everything. It returns when the search is finished.
func (s *Search) loop(ctx context.Context) {
	done, aborted := ctx.Done(), s.inbox.hard.Done()
	for {
		more := s.advance()
		if !more && s.finished() {
			return
		}
		select {
		case <-atOnce(more):
			s.queue.hear()
		case a := <-s.queue.results:
			s.queue.receive(a)
		case r := <-s.advice.replies():
			s.advice.handle(r)
		case r := <-s.inbox.requests:
			s.apply(r)
		case m := <-s.inbox.machines:
			s.sampled(m)
		case <-s.timeUp():
		case <-s.outage.over:
			s.outage.resume()
		case <-s.upkeep.control.due:
			s.askControl()
		case <-s.storable():
		case <-s.cutOff():
			s.cut(ReasonTime)
		case <-s.ending.patience():
			s.cut(ReasonInterrupted)
		case <-done:
			done = nil
			s.interrupt()
		case <-aborted:
			aborted = nil
			s.drain(ReasonAborted)
		}
	}
}

// atOnce is a channel that is ready where there is more to do.
func atOnce(more bool) <-chan struct{} {
	if !more {
		return nil
	}
	return ready
}

var ready = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// finished reports whether nothing is in flight any more and nothing else is waited for: the end of an outage's
// pause, a model's reply, space on the disk, or a person who has paused the search.
func (s *Search) finished() bool {
	switch {
	case s.queue.running() > 0:
		return false
	case s.ending.drains():
		return true
	}
	replies := s.advice.asking() && !s.ending.has()
	return !s.outage.pausing() && !replies && !s.journal.waits() && !s.steering.paused()
}

// timeUp ends the wait for a model's reply when there is no time left.
func (s *Search) timeUp() <-chan time.Time {
	if left := s.timeLeft(); s.advice.asking() && left >= 0 && !s.steering.paused() {
		return time.After(left)
	}
	return nil
}

// storable fires when storing is to be tried again.
func (s *Search) storable() <-chan time.Time {
	if s.journal.waits() && !s.ending.drains() {
		return s.journal.again()
	}
	return nil
}

// advance takes the answers that are due. After each one what follows from it is asked for at once,
// so that the state between two answers does not depend on how many had come in. Where they are taken in no order it
// takes those of one transaction. more: it is to be called again at once, after whatever else has come.
func (s *Search) advance() (more bool) {
	for !s.ending.failed() || !s.ev.InOrder() {
		more, stored := s.proceed()
		if !stored {
			return false
		}
		a, ok := s.queue.next()
		if !ok {
			return more
		}
		if s.discards() || a.task.withdrawn && a.err != nil {
			s.queue.leave(a.task)
			continue
		}
		s.take(a)
		if s.takeMore(); !s.ev.InOrder() {
			return true
		}
	}
	return false
}

// proceed asks for what follows from the answers until now. more: there is more to ask for, once something else was
// done. stored: nothing waits for the disk, so the next answer may be taken. All is stored before that, so that an
// event's figures do not depend on when it came.
func (s *Search) proceed() (more, stored bool) {
	if !s.keep() {
		return false, false
	}
	s.challenge()
	s.keepPace()
	if !s.ending.drains() && !s.cfg.GenesOnly {
		s.advice.lift(s.championship.champion())
	}
	more = s.fill()
	s.sayDone()
	s.doubt()
	return more, s.flush()
}

// keep stores what is to be stored, beside the search where it is crowded and that can be. false: it waits for the
// disk.
func (s *Search) keep() bool { return s.isFleet() && s.journal.storeBeside() || s.flush() }

// fleetSlots is how many slots make a fleet of an evaluator: then verdicts come faster than one loop can do everything,
// and what takes long is done beside it, or side by side. With fewer it waits for devices, and each step is finished
// before the next.
const fleetSlots = 64

// isFleet reports whether there are so many, and answers are taken in no order.
func (s *Search) isFleet() bool { return !s.ev.InOrder() && s.ev.Slots() >= fleetSlots }

// mostTogether is how many verdicts are stored at once: more than are asked for in the same time, so that none waits
// for long where a search is slower than its devices.
const mostTogether = 256

// takeMore takes the verdicts that came with the last one, where they are taken in no order: one sync of the file, and
// one state, for all of them. Otherwise a fleet would wait for the disk.
func (s *Search) takeMore() {
	for n := s.journal.grouped(); n > 0 && n < mostTogether && !s.discards(); n = s.journal.grouped() {
		a, ok := s.queue.nextVerdict()
		if !ok {
			return
		}
		s.take(a)
	}
}

// discards reports whether answers are left for the next session: after Abort and where they were cut off always, after
// any stop when results are taken in order.
func (s *Search) discards() bool {
	return s.inbox.dropped() || s.ending.drains() && s.ev.InOrder()
}

// drain stops asking.
func (s *Search) drain(why Reason) {
	s.ending.drain(why)
	n := s.queue.running() - s.queue.abandoned()
	s.journal.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: %d in flight%s", why, n, s.awaited())})
}

// fail notes the first error of ours and stops asking.
func (s *Search) fail(err error) {
	if s.ending.fail(err) {
		s.cfg.Log.Error("search stops", "err", err)
	}
}

// flush stores what is to be stored; false means that it could not, and that nothing may follow. A full disk is waited
// for, unless the search ends.
func (s *Search) flush() bool {
	err := s.journal.flush()
	if err != nil && (s.ending.drains() || !errors.Is(err, store.ErrNoSpace)) {
		s.fail(fmt.Errorf("storing: %w", err))
	}
	return err == nil
}

// sampled tells a sample of the machine. Where the evaluator has no slots to tell of, they are the loop's own.
func (s *Search) sampled(m kernels.Machine) {
	if m.Device.Total == 0 {
		m.Device.Total = max(1, s.ev.Slots())
		m.Device.Busy = min(s.queue.verdicts(), m.Device.Total)
		m.Queue = s.queue.verdicts() - m.Device.Busy
	}
	for _, note := range append(s.outage.leave(m.GPUs), s.outage.wait(m.Idle)...) {
		s.journal.send(Event{Kind: KindOutage, Note: note})
	}
	s.journal.send(Event{Kind: KindMachine, Machine: &m})
}
