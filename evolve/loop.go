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
		s.advance()
		if s.finished() {
			return
		}
		select {
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
		case <-s.control.due:
			s.askControl()
		case <-s.storable():
		case <-done:
			done = nil
			s.drain(ReasonInterrupted)
		case <-aborted:
			aborted = nil
			s.drain(ReasonAborted)
		}
	}
}

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
	if left := s.cfg.Budget.left(s.clock.elapsed()); s.advice.asking() && left >= 0 && !s.steering.paused() {
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
// so that the state between two answers does not depend on how many had come in.
func (s *Search) advance() {
	for !s.ending.failed() || !s.ev.InOrder() {
		if !s.flush() {
			return
		}
		s.challenge()
		if !s.ending.drains() && !s.cfg.GenesOnly {
			s.advice.lift(s.reign.reigning())
		}
		s.fill()
		s.doubt()
		if !s.flush() { // before an answer is taken, so that an event's figures do not depend on when it came
			return
		}
		a, ok := s.queue.next()
		if !ok {
			return
		}
		if s.discards() {
			s.queue.leave(a.task)
			continue
		}
		s.take(a)
	}
}

// discards reports whether answers are left for the next session: after Abort always, after any stop
// when results are taken in order.
func (s *Search) discards() bool {
	return s.inbox.aborted() || s.ending.drains() && s.ev.InOrder()
}

// drain stops asking.
func (s *Search) drain(why Reason) {
	s.ending.drain(why)
	s.journal.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: %d in flight", why, s.queue.running())})
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
	s.journal.send(Event{Kind: KindMachine, Machine: &m})
}
