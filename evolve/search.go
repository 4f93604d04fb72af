// Package evolve is the search: one loop that proposes candidates, takes verdicts, keeps a population
// and a champion, and stores everything as it comes.
package evolve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// Search is one run of a search. Everything but the inbox belongs to the goroutine that is in Run.
type Search struct {
	cfg      Config
	ev       Evaluator
	inbox    *inbox
	pop      *population
	proposer *proposer
	sources  source
	waiting  *backlog
	advice   *advice
	journal  *journal
	queue    *queue
	contest  *contest
	steering *steering
	progress *progress
	clock    *clock
	outage   outage
	control  control
	ending   ending
}

// New prepares a search. When run has a checkpoint the search goes on from it. A nil run keeps
// nothing, for scoring strategies.
func New(cfg Config, ev Evaluator, run *store.Run) (*Search, error) {
	if run == nil {
		return newSearch(cfg, ev, nowhere{})
	}
	return newSearch(cfg, ev, run)
}

func newSearch(cfg Config, ev Evaluator, keep keeper) (*Search, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	mix, err := findStrategy(cfg.Strategy, cfg.Advisor != nil)
	if err != nil {
		return nil, err
	}
	s := &Search{
		cfg: cfg, ev: ev, inbox: newInbox(), pop: newPopulation(&cfg, ev.Device()), waiting: &backlog{},
		journal: newJournal(keep, cfg.Log), queue: newQueue(ev.InOrder()), contest: newContest(), steering: &steering{},
		progress: &progress{}, clock: newClock(ev), outage: outage{pauses: pauses}, control: control{every: controlEvery},
	}
	s.journal.tell(s.figures, s.state)
	s.assemble(mix)
	if err := s.advice.takeUp(keep); err != nil {
		return nil, err
	}
	if err := s.resume(keep); err != nil {
		return nil, fmt.Errorf("resuming: %w", err)
	}
	return s, nil
}

// assemble makes what proposes. The order of the sources is the search's policy.
func (s *Search) assemble(mix *strategy) {
	x := newProposer(s, mix)
	s.proposer, s.advice = x, newAdvice(s, newBriefer(s, x))
	s.sources = order(
		s.steering.injected,
		s.affordable(order(s.advice.poll, s.waiting.next, x.defaults, x.renewal, x.hinted, x.spread, x.bred)),
	)
}

// affordable asks a source as long as the budget lasts.
func (s *Search) affordable(next source) source {
	return func() (*task, bool) {
		if s.spent(); s.ending.has() {
			return nil, false
		}
		return next()
	}
}

// spent notes the part of the budget that is used up, if one is.
func (s *Search) spent() {
	s.ending.because(s.cfg.Budget.spent(s.progress, s.queue.verdicts(), s.clock.elapsed()))
}

// left is the time that is left of the budget; negative where it does not bound the time.
func (s *Search) left() time.Duration {
	if s.cfg.Budget.For == 0 {
		return -1
	}
	return max(0, s.cfg.Budget.For-s.clock.elapsed())
}

// Abort ends Run without waiting for what is in flight. It may be called at any time, from anywhere.
func (s *Search) Abort() { s.inbox.stop() }

// Run searches until the budget is spent, ctx ends, or something of ours breaks. When ctx ends, what
// is in flight is finished and stored, unless results are taken in order: then it is asked for again on
// resuming, so that the run goes on as if it had not been interrupted. emit is called from the loop and
// must be quick; nil is allowed. Run may be called once.
func (s *Search) Run(ctx context.Context, emit func(Event)) (Summary, error) {
	s.journal.begin(emit)
	s.clock.begin()
	watched := s.inbox.monitor(s.ev)
	defer func() {
		s.Abort()
		<-watched
		s.inbox.close()
	}()
	if err := s.begin(); err != nil {
		s.fail(err)
	}
	s.startControl()
	s.advice.begin(s.inbox.hard)
	unhook := context.AfterFunc(ctx, s.advice.stop)
	s.loop(ctx)
	unhook()
	s.advice.close()
	if s.flush() && !s.inbox.aborted() {
		if err := s.journal.close(); err != nil {
			s.fail(err)
		}
	}
	sum := s.summary()
	s.journal.send(Event{Kind: KindEnd, Note: string(sum.Reason), Summary: &sum})
	return sum, s.ending.error()
}

// begin stores what figures stand on and asks again for what was in flight when the run was left.
func (s *Search) begin() error {
	if err := s.journal.provenance(s.ev.Provenance()); err != nil {
		return err
	}
	s.journal.send(Event{Kind: KindStart, Start: s.startInfo()})
	if s.pop.started() && !s.journal.hasChampion() { // killed between the first verdict and its coronation
		s.journal.champion(s.pop.start(), naiveStart)
	}
	for _, t := range s.queue.left() {
		if err := s.launch(t); err != nil {
			return err
		}
	}
	return nil
}

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

// finished reports whether nothing is in flight any more and nothing else is waited for: the end of an outage's pause, a
// model's reply, space on the disk, or a person who has paused the search.
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
	if left := s.left(); s.advice.asking() && left >= 0 && !s.steering.paused() {
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
		s.fill()
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

// fill keeps the evaluator's slots busy.
func (s *Search) fill() {
	for !s.ending.drains() && !s.steering.paused() && s.queue.verdicts() < max(1, s.ev.Slots()) {
		switch {
		case s.outage.on():
			s.probe()
			return
		case !s.pop.started():
			s.startNaive()
			return
		}
		t, ok := s.sources()
		if !ok {
			if s.ending.has() || !s.unblock() {
				return
			}
			continue
		}
		if err := s.launch(t); err != nil {
			s.fail(err)
		}
	}
}

// unblock is what is left when no source has anything: to ask a model, or to believe that what was lost is to blame
// itself, for there is nobody else left to wait for. It reports whether the sources may be asked again.
func (s *Search) unblock() bool {
	switch {
	case s.advice.consider(true):
		return true
	case s.advice.asking():
		return false
	case s.outage.holds() && s.queue.verdicts() == 0:
		s.recovered()
		return true
	}
	s.ending.because(ReasonExhausted)
	return false
}

// launch asks the evaluator.
func (s *Search) launch(t *task) (err error) {
	if t.isDuel() {
		return s.launchDuel(t)
	}
	if t.job == nil {
		if err = s.pop.prepare(t); err != nil {
			return err
		}
	}
	s.contest.setBar(t.job, s.pop)
	s.pop.claim(t)
	s.queue.start(t, s.evaluate)
	return nil
}

// evaluate runs beside the loop. A panic of the evaluator is an error like any other: the run is saved.
func (s *Search) evaluate(t *task) (a answer) {
	a.task = t
	defer func() {
		if p := recover(); p != nil {
			a.err = fmt.Errorf("evaluator panicked: %v\n%s", p, debug.Stack())
		}
	}()
	switch {
	case t.purpose == forNoise:
		a.err = s.ev.(Controlled).Control(s.inbox.hard, t.job)
	case t.isDuel():
		a.duel, a.err = s.ev.Duel(s.inbox.hard, t.champion, t.job)
	default:
		a.result, a.err = s.ev.Evaluate(s.inbox.hard, t.job)
	}
	return a
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
