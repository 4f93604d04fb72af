package evolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"darwarp/kernels"
)

// Command is what a person asks of a running search. What Do says decides which other fields count.
type Command struct {
	Do      string             `json:"do"`                // one of Commands
	ID      kernels.ID         `json:"id,omitzero"`       // pin, unpin, kill
	Evals   int                `json:"evals,omitempty"`   // add: verdicts beyond the budget
	For     time.Duration      `json:"for,omitempty"`     // add: ns beyond the budget
	Weights map[string]float64 `json:"weights,omitempty"` // weigh: by workload; others keep theirs
	Variant *kernels.Variant   `json:"variant,omitempty"` // inject: genes of a family; missing ones take their default
	From    string             `json:"from,omitempty"`    // inject: the device whose champion it is; empty: a person's
}

// handler does a command inside the loop. Its note says what was done; its error, one line, what was wrong.
type handler func(s *Search, c Command) (note string, err error)

type command struct {
	name string
	kind Kind
	late bool // also when the search is ending
	do   handler
}

// commands are all that there are, in the order in which a list shows them.
var commands = []command{
	{"pause", KindPaused, false, (*Search).pause},
	{"resume", KindResumed, false, (*Search).resumeAsking},
	{"pin", KindSteer, false, func(s *Search, c Command) (string, error) { return s.steering.pin(s.pop, c.ID) }},
	{"unpin", KindSteer, false, func(s *Search, c Command) (string, error) { return s.steering.unpin(c.ID) }},
	{"kill", KindSteer, false, func(s *Search, c Command) (string, error) { return s.steering.kill(s.pop, c.ID) }},
	{"add", KindSteer, false, (*Search).extend},
	{"weigh", KindSteer, false, (*Search).weigh},
	{"inject", KindSteer, false, func(s *Search, c Command) (string, error) {
		return s.steering.inject(s.pop, c.Variant, c.From)
	}},
	{"stop", KindSteer, true, (*Search).stop},
	{"abort", KindSteer, true, (*Search).abort},
}

// Commands lists what Command.Do may be.
func Commands() (names []string) {
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
}

// ErrEnded answers a command that comes too late.
var ErrEnded = errors.New("the search has ended")

var errEnding = errors.New("the search is ending")

// request is a command on its way to the loop.
type request struct {
	Command
	answer chan error // buffered: the loop never waits
}

// Steer asks the search to do something and waits for the loop's answer, which comes once the command is
// done and stored. An error is one line that says what was wrong with the command. Any goroutine may
// call it but the one that is in Run.
func (s *Search) Steer(ctx context.Context, c Command) error { return s.inbox.ask(ctx, c) }

// apply does what is requested, and stores and tells it before it is answered.
func (s *Search) apply(r request) {
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == r.Do })
	if i < 0 {
		r.answer <- fmt.Errorf("unknown command %q: expected one of %s", r.Do, strings.Join(Commands(), ", "))
		return
	}
	c := commands[i]
	if s.ending.drains() && !c.late {
		r.answer <- fmt.Errorf("%s: %w", r.Do, errEnding)
		return
	}
	note, err := c.do(s, r.Command)
	if err != nil {
		r.answer <- oneLine(r.Do, err)
		return
	}
	s.steering.log(Steered{At: s.clock.elapsed(), Evals: s.progress.Evals, Do: r.Do, Note: note})
	e := Event{Kind: c.kind, ID: r.ID, Note: note, Command: &r.Command}
	put := keeper.PutCheckpoint
	if r.Do == "weigh" {
		put = s.pop.storeScores()
	}
	s.journal.command(put, e, func() { r.answer <- nil })
}

func oneLine(do string, err error) error {
	return fmt.Errorf("%s: %s", do, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// pause asks for nothing new. Time does not count until resumeAsking.
func (s *Search) pause(Command) (string, error) {
	if !s.steering.paused() {
		s.steering.pause()
		s.clock.stop()
	}
	return fmt.Sprintf("nothing new is begun; %d in flight", s.queue.tasks()), nil
}

func (s *Search) resumeAsking(Command) (string, error) {
	if !s.steering.paused() {
		return "", errors.New("the search is not paused")
	}
	s.steering.resume()
	s.clock.goOn()
	return "going on", nil
}

func (s *Search) extend(c Command) (note string, err error) {
	s.cfg.Budget, note, err = s.steering.extend(s.cfg.Budget, c)
	return note, err
}

// weigh changes what the search is after: every score is computed again from the stored times, what was decided by
// duels under other weights is open again, and the best claimers challenge the champion.
func (s *Search) weigh(c Command) (string, error) {
	if !s.pop.started() {
		return "", errors.New("the naive start is not judged yet")
	}
	weights, err := s.pop.weights(c.Weights)
	if err != nil {
		return "", err
	}
	if err := s.useWeights(weights); err != nil {
		return "", err
	}
	s.progress.rescored(s.pop.rescore())
	s.steering.weigh(weights, s.championship.void())
	s.championship.takeSuccessor()
	return s.pop.weighing(), nil
}

// useWeights brings weights into force, here and in the evaluator.
func (s *Search) useWeights(weights map[string]float64) error {
	weigh := s.ev.Capabilities().Weigh
	if weigh == nil {
		return fmt.Errorf("duels on %s cannot change their weights", s.ev.Device().Label())
	}
	s.pop.weigh(weights)
	weigh(s.pop.workloads())
	return nil
}

// stop drains, as the end of the budget does. A second one does not wait for the champion's trial.
func (s *Search) stop(Command) (string, error) {
	if s.ending.drains() {
		s.championship.skipTrials()
	} else {
		s.drain(ReasonStopped)
	}
	return "", nil // the drain tells
}

// abort ends without waiting for what is in flight.
func (s *Search) abort(Command) (string, error) {
	s.Abort()
	return "", nil
}
