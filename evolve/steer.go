package evolve

import (
	"context"
	"errors"
	"time"

	"darwarp/kernels"
)

// Command is what a person asks of a running search. What Do says decides which other fields count.
type Command struct {
	Do      string             `json:"do"`                // pause resume pin unpin kill add weigh inject stop abort
	ID      kernels.ID         `json:"id,omitzero"`       // pin, unpin, kill
	Evals   int                `json:"evals,omitempty"`   // add: verdicts beyond the budget
	For     time.Duration      `json:"for,omitempty"`     // add: ns beyond the budget
	Weights map[string]float64 `json:"weights,omitempty"` // weigh: by workload; others keep theirs
	Variant *kernels.Variant   `json:"variant,omitempty"` // inject: genes of a family; missing genes take their default
}

// errEnded answers a command that comes too late.
var errEnded = errors.New("the search has ended")

// order is a command on its way to the loop.
type order struct {
	Command
	answer chan error // buffered: the loop never waits
}

// Steer asks the running search to do something and waits for the loop's answer. An error is one line
// that says what was wrong with the command. Any goroutine may call it, also before Run.
func (s *Search) Steer(ctx context.Context, c Command) error {
	o := order{c, make(chan error, 1)}
	select {
	case s.orders <- o:
	case <-s.ended:
		return errEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// obey answers an order.
func (s *Search) obey(o order) {
	switch o.Do {
	case "stop":
		s.drain(ReasonStopped)
	case "abort":
		s.abort()
	default:
		o.answer <- errors.New("cannot do " + o.Do)
		return
	}
	o.answer <- nil
}
