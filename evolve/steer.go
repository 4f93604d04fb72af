package evolve

import (
	"context"
	"encoding/json"
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
}

// deed does a command inside the loop. Its note says what was done; its error, one line, what was wrong.
type deed func(s *Search, c Command) (note string, err error)

type command struct {
	name string
	kind Kind
	late bool // also when the search is ending
	do   deed
}

// commands are all that there are, in the order in which a list shows them.
var commands = []command{
	{"pause", KindPaused, false, (*Search).pause},
	{"resume", KindResumed, false, (*Search).unpause},
	{"pin", KindSteer, false, (*Search).pin},
	{"unpin", KindSteer, false, (*Search).unpin},
	{"kill", KindSteer, false, (*Search).kill},
	{"add", KindSteer, false, (*Search).extend},
	{"weigh", KindSteer, false, (*Search).weigh},
	{"inject", KindSteer, false, (*Search).inject},
	{"stop", KindSteer, true, (*Search).stop},
	{"abort", KindSteer, true, (*Search).abandon},
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

// order is a command on its way to the loop.
type order struct {
	Command
	answer chan error // buffered: the loop never waits
}

// Steer asks the search to do something and waits for the loop's answer, which comes once the command is
// done and stored. An error is one line that says what was wrong with the command. Any goroutine may
// call it but the one that is in Run.
func (s *Search) Steer(ctx context.Context, c Command) error {
	o := order{c, make(chan error, 1)}
	select {
	case s.orders <- o:
	case <-s.ended:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ended:
	}
	select { // both were ready
	case err := <-o.answer:
		return err
	default:
		return ErrEnded
	}
}

// obey does what an order asks, and stores and tells it before it is answered.
func (s *Search) obey(o order) {
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == o.Do })
	if i < 0 {
		o.answer <- fmt.Errorf("unknown command %q: expected one of %s", o.Do, strings.Join(Commands(), ", "))
		return
	}
	c := commands[i]
	if s.stopping && !c.late {
		o.answer <- fmt.Errorf("%s: %w", o.Do, errEnding)
		return
	}
	note, err := c.do(s, o.Command)
	if err != nil {
		o.answer <- oneLine(o.Do, err)
		return
	}
	s.steering.Log = append(s.steering.Log, Steered{At: s.clock.elapsed(), Evals: s.progress.Evals, Do: o.Do, Note: note})
	state, workloads := s.state(), s.cfg.Workloads
	s.save(func() (err error) {
		if o.Do == "weigh" {
			err = s.keep.Weigh(workloads, s.anew, state)
		} else {
			err = s.keep.PutCheckpoint(state)
		}
		if err != nil {
			return err
		}
		if note != "" {
			s.send(Event{Kind: c.kind, ID: o.ID, Note: note, Command: &o.Command})
		}
		o.answer <- nil
		return nil
	})
}

func oneLine(do string, err error) error {
	return fmt.Errorf("%s: %s", do, strings.ReplaceAll(err.Error(), "\n", "; "))
}

// Steering is what people asked of a search and what of it is in force. It is part of the checkpoint.
type Steering struct {
	Pins     []kernels.ID       `json:"pins,omitempty"`    // always among the parents
	Killed   []kernels.ID       `json:"killed,omitempty"`  // with all that descend from them they are bred from no more
	Weights  map[string]float64 `json:"weights,omitempty"` // by workload, where they were changed
	Weighed  int                `json:"weighed,omitempty"` // how often they were
	Void     int                `json:"void,omitempty"`    // the first so many stored duels were fought under other weights
	Asked    *Budget            `json:"asked,omitempty"`   // the budget before it was added to
	Budget   *Budget            `json:"budget,omitempty"`  // and after
	Injected []*flight          `json:"injected,omitempty"`
	Log      []Steered          `json:"log,omitempty"`
}

// ReadSteering is what a stored checkpoint holds of it; nothing where nobody has steered.
func ReadSteering(checkpoint []byte) (Steering, error) {
	var st struct{ Steering Steering }
	if len(checkpoint) == 0 {
		return Steering{}, nil
	}
	err := json.Unmarshal(checkpoint, &st)
	return st.Steering, err
}

// Steered is a command that was done.
type Steered struct {
	At    time.Duration `json:"at"`    // ns elapsed, over all sessions
	Evals int           `json:"evals"` // verdicts until then
	Do    string        `json:"do"`
	Note  string        `json:"note,omitempty"`
}

// pause asks for nothing new. Time does not count until resume.
func (s *Search) pause(Command) (string, error) {
	if !s.paused {
		s.paused = true
		s.clock.stop()
	}
	return fmt.Sprintf("nothing new is begun; %d in flight", len(s.queue.pending)), nil
}

func (s *Search) unpause(Command) (string, error) {
	if !s.paused {
		return "", errors.New("the search is not paused")
	}
	s.paused = false
	s.clock.goOn()
	return "going on", nil
}

// extend adds to the parts of the budget that there are.
func (s *Search) extend(c Command) (string, error) {
	b := s.cfg.Budget
	switch {
	case c.Evals < 0 || c.For < 0 || c.Evals == 0 && c.For == 0:
		return "", errors.New("expected evaluations or time, above 0")
	case c.Evals > 0 && b.Evals == 0:
		return "", errors.New("the search has no limit of evaluations to add to")
	case c.For > 0 && b.For == 0:
		return "", errors.New("the search has no limit of time to add to")
	}
	if s.steering.Asked == nil {
		asked := b
		s.steering.Asked = &asked
	}
	b.Evals += c.Evals
	b.For += c.For
	s.cfg.Budget, s.steering.Budget = b, &b
	var parts []string
	if c.Evals > 0 {
		parts = append(parts, fmt.Sprintf("%d evaluations more: %d", c.Evals, b.Evals))
	}
	if c.For > 0 {
		parts = append(parts, fmt.Sprintf("%s more: %s", c.For, b.For))
	}
	return strings.Join(parts, ", "), nil
}

// stop drains, as the end of the budget does. A second one does not wait for the champion's trial.
func (s *Search) stop(Command) (string, error) {
	if s.stopping {
		s.trials.skip()
	} else {
		s.drain(ReasonStopped)
	}
	return "", nil // the drain tells
}

// abandon ends without waiting for what is in flight.
func (s *Search) abandon(Command) (string, error) {
	s.abort()
	return "", nil
}

// takeUp brings what was asked of earlier sessions into force, before the candidates are recalled.
func (s *Search) takeUp(st *Steering) error {
	if st == nil {
		return nil
	}
	s.steering = *st
	for _, id := range st.Killed {
		s.dead[id] = true
	}
	if st.Asked != nil && s.cfg.Budget == *st.Asked { // another budget is a new one, and counts as it is
		s.cfg.Budget = *st.Budget
	}
	for _, f := range st.Injected {
		if err := s.checkFlight(f); err != nil {
			return err
		}
	}
	if st.Weighed > 0 {
		return s.reweigh(st.Weights)
	}
	return nil
}
