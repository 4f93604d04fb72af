// Package evolve is the search: one loop that proposes candidates, takes verdicts, keeps a population
// and a champion, and stores everything as it comes.
package evolve

import (
	"context"
	"fmt"

	"darwarp/store"
)

// Search is one run of a search. Everything but the inbox belongs to the goroutine that is in Run.
type Search struct {
	cfg          Config
	ev           Evaluator
	inbox        *inbox
	pop          *population
	proposer     *proposer
	advice       *advice
	journal      *journal
	queue        *queue
	championship *championship
	steering     *steering
	progress     *progress
	clock        *clock
	outage       outage
	upkeep       upkeep
	ending       ending
}

// upkeep is what is measured again from time to time.
type upkeep struct {
	control control
	pacing  pacing
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
	can := ev.Capabilities()
	s := &Search{
		cfg: cfg, ev: ev, inbox: newInbox(), pop: newPopulation(&cfg, ev.Device()), journal: newJournal(keep, cfg.Log),
		steering: &steering{}, progress: &progress{}, clock: newClock(can.Simulated), outage: outage{pauses: pauses},
		upkeep: upkeep{control: newControl(can.Control != nil), pacing: newPacing(can.Pace != nil)},
	}
	s.championship = &championship{
		contest: newContest(ev.Device()), trials: newTrials(s.inbox.work, can.Trial), pop: s.pop, journal: s.journal,
		progress: s.progress, steering: s.steering, clock: s.clock,
	}
	s.queue = newQueue(s.inbox.work, (&asker{ev, s.championship.trials}).ask, ev.InOrder())
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
	s.proposer, s.advice = x, newAdvice(s, x)
	x.next = order(
		s.steering.injected,
		s.affordable(order(s.advice.poll, x.waited, x.defaults, x.renewal, x.hinted, x.spread, x.bred)),
	)
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
	watched := s.inbox.monitor(s.ev.Capabilities().Machine)
	defer func() {
		s.Abort()
		<-watched
		s.inbox.close()
	}()
	if err := s.begin(); err != nil {
		s.fail(err)
	}
	s.upkeep.control.wait()
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
	if err := s.journal.provenances(s.ev); err != nil {
		return err
	}
	s.journal.send(Event{Kind: KindStart, Start: s.startInfo()})
	if s.pop.started() && !s.journal.hasChampion() { // killed between the first verdict and the first champion
		s.journal.champion(s.pop.start(), naiveStart)
	}
	s.championship.demoteFallen()
	for _, t := range s.queue.left() {
		if err := s.launch(t); err != nil {
			return err
		}
	}
	return nil
}
