package evolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"darwarp/kernels"
)

// Steering is what people asked of a search and what of it is in force. It is part of the checkpoint.
type Steering struct {
	Pins     []kernels.ID       `json:"pins,omitempty"`    // always among the parents
	Killed   []kernels.ID       `json:"killed,omitempty"`  // with all that descend from them they are bred from no more
	Weights  map[string]float64 `json:"weights,omitempty"` // by workload, where they were changed
	Weighed  int                `json:"weighed,omitempty"` // how often they were
	Void     int                `json:"void,omitempty"`    // so many stored duels were fought under other weights
	Asked    *Budget            `json:"asked,omitempty"`   // the last session's budget; nil: still the run's first one
	Budget   *Budget            `json:"budget,omitempty"`  // and what it came to where something was added
	Injected []*task            `json:"injected,omitempty"`
	Log      []Steered          `json:"log,omitempty"`
}

// Steered is a command that was done.
type Steered struct {
	At    time.Duration `json:"at"`    // ns elapsed, over all sessions
	Evals int           `json:"evals"` // verdicts until then
	Do    string        `json:"do"`
	Note  string        `json:"note,omitempty"`
}

// ReadSteering is what a stored checkpoint holds of it; nothing where nobody has steered or gone on with the run.
func ReadSteering(checkpoint []byte) (Steering, error) {
	var st struct{ Steering Steering }
	if len(checkpoint) == 0 {
		return Steering{}, nil
	}
	err := json.Unmarshal(checkpoint, &st)
	return st.Steering, err
}

// InForce is the budget of a run's last session, with what was added to it, where the run began with this one.
func (a *Steering) InForce(first Budget) Budget {
	if a.Budget != nil {
		return *a.Budget
	}
	return first
}

// ReadElapsed is how long the search of a run has taken, over all sessions; 0: a checkpoint does not say it.
func ReadElapsed(checkpoint []byte) (time.Duration, error) {
	var st struct{ Elapsed time.Duration }
	if len(checkpoint) == 0 {
		return 0, nil
	}
	err := json.Unmarshal(checkpoint, &st)
	return max(0, st.Elapsed), err
}

// steering is what is in force, and whether nothing new is begun meanwhile.
type steering struct {
	asked Steering
	held  bool
}

// checkpoint is what is kept of it; nil where nobody has steered, in the session that the run began with.
func (s *steering) checkpoint() *Steering {
	if len(s.asked.Log) == 0 && s.asked.Budget == nil {
		return nil
	}
	return &s.asked
}

// log notes a command that was done.
func (s *steering) log(e Steered) { s.asked.Log = append(s.asked.Log, e) }

func (s *steering) paused() bool         { return s.held }
func (s *steering) pause()               { s.held = true }
func (s *steering) resume()              { s.held = false }
func (s *steering) pinned() []kernels.ID { return s.asked.Pins }

// weighed is how often weights were changed.
func (s *steering) weighed() int { return s.asked.Weighed }

// void is how many stored duels were fought under other weights.
func (s *steering) void() int { return s.asked.Void }

// weigh notes weights, under which the first so many stored duels are void.
func (s *steering) weigh(weights map[string]float64, void int) {
	s.asked.Weights, s.asked.Void = weights, void
	s.asked.Weighed++
}

// pin keeps a candidate that works among the parents.
func (s *steering) pin(pop *population, id kernels.ID) (note string, err error) {
	m := pop.member(id)
	switch {
	case m == nil && pop.asked(id):
		return "", fmt.Errorf("%s: only a candidate that works is bred from", id.Short())
	case m == nil:
		return "", noSuch(id)
	case pop.isDead(id):
		return "", fmt.Errorf("%s: its lineage was killed", id.Short())
	case m.index < 0:
		return "", fmt.Errorf("%s is outside of the space that is searched", id.Short())
	}
	if !slices.Contains(s.asked.Pins, id) {
		s.asked.Pins = append(s.asked.Pins, id)
	}
	return id.Short() + " stays among the parents", nil
}

func noSuch(id kernels.ID) error { return fmt.Errorf("%s: no such candidate", id.Short()) }

func (s *steering) unpin(id kernels.ID) (note string, err error) {
	at := slices.Index(s.asked.Pins, id)
	if at < 0 {
		return "", fmt.Errorf("%s is not pinned", id.Short())
	}
	s.asked.Pins = slices.Delete(s.asked.Pins, at, at+1)
	return id.Short() + " is a candidate like others again", nil
}

// kill takes a candidate and all that descend from it out of the populations.
func (s *steering) kill(pop *population, id kernels.ID) (note string, err error) {
	switch {
	case !pop.asked(id):
		return "", noSuch(id)
	case slices.Contains(s.asked.Killed, id):
		return "", fmt.Errorf("%s was killed already", id.Short())
	}
	s.asked.Killed = append(s.asked.Killed, id)
	n := pop.kill(id)
	s.asked.Pins = slices.DeleteFunc(s.asked.Pins, pop.isDead)
	return fmt.Sprintf("%s and what descends from it are bred from no more: %d of the population", id.Short(), n), nil
}

// inject asks for a candidate that a person made, or that is the champion on another device. It is judged like any
// other, before what the operators propose, also when the budget is spent. It is a point of a family that is searched
// and never a source: whether sources are foreign was decided when the search opened, and nothing that comes later may
// change it.
func (s *steering) inject(pop *population, v *kernels.Variant, from string) (note string, err error) {
	if v != nil {
		if v.Source != "" || v.Plan != nil {
			return "", errors.New("a source cannot be injected: expected the genes of a family that is searched")
		}
		if err := v.Admit(); err != nil {
			return "", err
		}
	}
	t, err := pop.place(v)
	if err != nil {
		return "", err
	}
	t.Origin = kernels.Origin{Operator: "injected", Generation: 1}
	if from = kernels.CleanLine(from, kernels.MaxName); from != "" {
		t.Origin.Note, from = "the champion on "+from, ", the champion on "+from
	}
	if err := pop.prepare(t); err != nil {
		return "", err
	}
	if pop.tried(t) != nil {
		return "", fmt.Errorf("%s was asked for already: %s", t.job.ID.Short(), t.job.Variant.Label())
	}
	pop.claim(t)
	s.asked.Injected = append(s.asked.Injected, t)
	return fmt.Sprintf("injected %s%s: %s", t.job.ID.Short(), from, t.job.Variant.Label()), nil
}

// enqueue asks for a candidate as if a person had made it.
func (s *steering) enqueue(t *task) { s.asked.Injected = append(s.asked.Injected, t) }

// injected is the next candidate that a person made.
func (s *steering) injected() (*task, bool) {
	waiting := s.asked.Injected
	if len(waiting) == 0 {
		return nil, false
	}
	s.asked.Injected = waiting[1:]
	return waiting[0], true
}

// waiting are the candidates that people made and that are not judged yet.
func (s *steering) waiting() []*task { return s.asked.Injected }

// MostTime is more than anybody waits for: beyond it a time is a slip of the hand.
const MostTime = 365 * 24 * time.Hour

// extend adds to the parts of a budget that there are.
func (s *steering) extend(b Budget, c Command) (more Budget, note string, err error) {
	switch {
	case c.Evals < 0 || c.For < 0 || c.Evals == 0 && c.For == 0:
		return b, "", errors.New("expected evaluations or time, above 0")
	case c.For > MostTime:
		return b, "", fmt.Errorf("%s: expected at most %.0fh, a year", kernels.Span(c.For), MostTime.Hours())
	case c.Evals > 0 && b.Evals == 0:
		return b, "", errors.New("the search has no limit of evaluations to add to")
	case c.For > 0 && b.For == 0:
		return b, "", errors.New("the search has no limit of time to add to")
	}
	more = b
	more.Evals += c.Evals
	more.For += c.For
	if more.Evals < b.Evals {
		return b, "", fmt.Errorf("more than can be counted: add at most %s",
			kernels.Quantity(math.MaxInt-b.Evals, "evaluation"))
	}
	if more.For < b.For {
		return b, "", fmt.Errorf("more than can be counted: add at most %s", kernels.Span(math.MaxInt64-b.For))
	}
	if s.asked.Asked == nil {
		s.asked.Asked = &b
	}
	s.asked.Budget = &more
	var parts []string
	if c.Evals > 0 {
		parts = append(parts, kernels.Quantity(c.Evals, "evaluation")+" more: "+kernels.Count(more.Evals))
	}
	if c.For > 0 {
		parts = append(parts, kernels.Span(c.For)+" more: "+kernels.Span(more.For))
	}
	return more, strings.Join(parts, ", "), nil
}

// budget is the budget that is in force in a session that asks for this one: with what was added to it before. Another
// than the last session's is a new one, and counts as it is.
func (s *steering) budget(b Budget) Budget {
	if s.asked.Asked == nil || s.asked.Budget == nil || b != *s.asked.Asked {
		s.asked.Asked, s.asked.Budget = &b, &b
	}
	return *s.asked.Budget
}

// takeUp goes on with what was asked of earlier sessions.
func (s *steering) takeUp(asked *Steering, pop *population) error {
	if asked == nil {
		return nil
	}
	if err := asked.check(pop); err != nil {
		return fmt.Errorf("the checkpoint's steering: %w", err)
	}
	s.asked = *asked
	pop.takeUpKilled(asked.Killed)
	return nil
}

// check refuses what no command has asked for: a weight of nothing would let no candidate have a score.
func (a *Steering) check(pop *population) error {
	if a.Void < 0 || a.Weighed < 0 {
		return fmt.Errorf("%d void duels, weighed %d times: expected 0 or more", a.Void, a.Weighed)
	}
	for _, b := range []*Budget{a.Asked, a.Budget} {
		if b != nil && (b.Evals < 0 || b.For < 0 || b.Stall < 0) {
			return fmt.Errorf("budget %+v: expected nothing negative", *b)
		}
	}
	if a.Weighed > 0 {
		if err := pop.scale.checkWeights(a.Weights); err != nil {
			return err
		}
	}
	for _, t := range a.Injected {
		if err := pop.check(t); err != nil {
			return err
		}
	}
	return nil
}
