package evolve

import (
	"time"

	"darwarp/kernels"
)

// Kind is what an event tells.
type Kind string

// The kinds of events, in the order in which a search shows them first.
const (
	KindStart    Kind = "start"    // Start
	KindResult   Kind = "result"   // Candidate: stored
	KindChampion Kind = "champion" // ID, Score, Note: why
	KindDuel     Kind = "duel"     // ID: the challenger; Duel
	KindPace     Kind = "pace"     // ID, Duel: the champion, timed beside the naive start again
	KindTrial    Kind = "trial"    // ID, Trial, Note: what a would-be champion stood, or that it fell: Candidate
	KindRestart  Kind = "restart"  // Note: nothing was gained for long, breeding starts again
	KindSkip     Kind = "skip"     // Family, Note: a point that needs no verdict, or (with ID) gets none
	KindLost     Kind = "lost"     // Family, ID, Note: our side failed
	KindOutage   Kind = "outage"   // Note: it fails again and again and nothing is asked for, or it works again
	KindAdvice   Kind = "advice"   // Exchange, Note: what a language model was asked for, without the texts
	KindNoise    Kind = "noise"    // Note: a kernel differs more from itself than at first
	KindFamily   Kind = "family"   // Family, Note: a language model gave the run a family
	KindDisk     Kind = "disk"     // Note: no space to store, or space again
	KindDrain    Kind = "drain"    // Note: nothing new is asked for
	KindPaused   Kind = "paused"   // Command, Note: nothing new is asked for until resumed
	KindResumed  Kind = "resumed"  //
	KindSteer    Kind = "steer"    // Command, Note: what was done on it; ID
	KindMachine  Kind = "machine"  // Machine
	KindEnd      Kind = "end"      // Summary
	KindFinal    Kind = "final"    // Summary: after the end, with the champion's speedup by its final measurement
)

// Event is one line of a search's story. Fields that a kind does not name are zero, but for its stamp and its figures,
// which every event has.
type Event struct {
	Kind Kind `json:"kind"`
	Stamp
	Candidate *kernels.Candidate `json:"candidate,omitempty"`
	ID        kernels.ID         `json:"id,omitzero"`
	Family    string             `json:"family,omitempty"`
	Score     float64            `json:"score,omitempty"`
	Duel      *kernels.Duel      `json:"duel,omitempty"`
	Trial     *kernels.Trial     `json:"trial,omitempty"`
	Note      string             `json:"note,omitempty"`
	Start     *StartInfo         `json:"start,omitempty"`
	Machine   *kernels.Machine   `json:"machine,omitempty"`
	Exchange  *kernels.Exchange  `json:"exchange,omitempty"`
	Summary   *Summary           `json:"summary,omitempty"`
	Command   *Command           `json:"command,omitempty"` // that was done
	Figures
}

// Stamp is an event's place in the story.
type Stamp struct {
	Seq int           `json:"seq"` // 1, 2, ... in this session
	At  time.Duration `json:"at"`  // ns elapsed, over all sessions
}

// Figures are where the search stands.
type Figures struct {
	Evals    int              `json:"evals"`          // verdicts, duplicates not counted
	Best     float64          `json:"best,omitempty"` // lowest score measured
	Champion kernels.ID       `json:"champion,omitzero"`
	Reign    float64          `json:"reign,omitempty"`    // the champion's score
	Speedup  float64          `json:"speedup,omitempty"`  // of the champion over the naive start
	Estimate bool             `json:"estimate,omitempty"` // Speedup is not of a final measurement
	Standing kernels.Standing `json:"standing,omitempty"` // the champion's, empty where nobody doubts it
	Rate     float64          `json:"rate,omitempty"`     // verdicts per second in this session
	ETA      time.Duration    `json:"eta,omitempty"`      // ns until the budget is spent, 0 unknown
	InFlight int              `json:"in_flight,omitempty"`
	Paused   bool             `json:"paused,omitempty"`
	Still    bool             `json:"still,omitempty"` // time does not count from here to the next event
	Doing    []Doing          `json:"doing,omitempty"` // beside the candidates
}

// StartInfo is what a search sets out with.
type StartInfo struct {
	Strategy  string             `json:"strategy"`
	Seed      uint64             `json:"seed"`
	Device    kernels.Device     `json:"device"`
	Workloads []kernels.Workload `json:"workloads"`
	Families  map[string]int     `json:"families"` // legal points
	Budget    Budget             `json:"budget"`
	Resumed   int                `json:"resumed,omitempty"` // verdicts from sessions before
}

// Reason is why a search ended.
type Reason string

// The reasons.
const (
	ReasonEvals       Reason = "evaluations" // budget
	ReasonTime        Reason = "time"        // budget
	ReasonStall       Reason = "stalled"     // budget
	ReasonExhausted   Reason = "exhausted"   // all points were evaluated
	ReasonInterrupted Reason = "interrupted" // its context ended; state is saved
	ReasonStopped     Reason = "stopped"     // on command; state is saved
	ReasonAborted     Reason = "aborted"     // without waiting; state is saved as of the last verdict
	ReasonFailed      Reason = "failed"      // the error says why
)

// Spent reports whether a part of the budget was used up.
func (r Reason) Spent() bool { return r == ReasonEvals || r == ReasonTime || r == ReasonStall }

// Summary is what came of a search, over all sessions.
type Summary struct {
	Reason   Reason                  `json:"reason"`
	Evals    int                     `json:"evals"`
	Outcomes map[kernels.Outcome]int `json:"outcomes"`
	Distinct int                     `json:"distinct"` // candidates with machine code of their own, or that failed
	Skipped  int                     `json:"skipped"`  // points that needed no verdict, or got none
	Lost     int                     `json:"lost"`     // verdicts that were lost and repeated
	Duels    int                     `json:"duels"`
	Restarts int                     `json:"restarts"`
	Winner
	Best     float64          `json:"best,omitempty"`     // lowest score measured, by the champion or not
	Standing kernels.Standing `json:"standing,omitempty"` // the champion's, empty where nobody doubts it
	Elapsed  time.Duration    `json:"elapsed"`
	Left     int              `json:"left,omitempty"` // asked for, and left for the next session
	// Measured faster than the champion, and not dueled or tried to the end: with its score
	Contender kernels.ID `json:"contender,omitzero"`
	Claims    float64    `json:"claims,omitempty"`
}

// Winner is the champion at the end, as it was measured.
type Winner struct {
	Champion kernels.ID      `json:"champion,omitzero"`
	Variant  kernels.Variant `json:"variant,omitzero"`
	Score    float64         `json:"score,omitempty"`
	Speedup  float64         `json:"speedup,omitempty"`  // over the naive start
	Estimate bool            `json:"estimate,omitempty"` // Speedup is not of a final measurement
}

// figures fills in where the search stands.
func (s *Search) figures(e *Event) {
	p := s.progress
	e.At, e.Evals, e.Best = s.clock.elapsed(), p.Evals, p.Best
	e.InFlight, e.Paused, e.Still = s.queue.tasks(), s.steering.paused(), s.clock.still()
	if m := s.championship.champion(); m != nil {
		e.Champion, e.Reign, e.Standing = m.id, m.score, s.championship.standing()
		p := s.championship.pace()
		e.Speedup, e.Estimate = p.Speedup(m.score), p.Estimate
	}
	e.Doing, e.Rate = s.doing(), s.clock.rate(p.Evals)
	e.ETA = s.cfg.Budget.eta(p.Evals, e.At, e.Rate)
}

func (s *Search) startInfo() *StartInfo {
	i := &StartInfo{
		Strategy: s.cfg.Strategy, Seed: s.cfg.Seed, Device: s.ev.Device(), Workloads: s.pop.workloads(),
		Families: map[string]int{}, Budget: s.cfg.Budget, Resumed: s.progress.Evals,
	}
	for _, space := range s.pop.spaces() {
		i.Families[space.Family] = space.Points
	}
	return i
}

func (s *Search) summary() Summary {
	p := s.progress
	sum := Summary{
		Reason: s.ending.why(), Evals: p.Evals, Outcomes: p.outcomes, Distinct: p.Evals, Skipped: len(p.Passed),
		Lost: p.Lost, Duels: p.Duels, Restarts: p.Epoch, Best: p.Best, Elapsed: s.clock.elapsed(),
	}
	if m := s.championship.champion(); m != nil {
		sum.Champion, sum.Variant, sum.Score = m.id, m.variant, m.score
		p := s.championship.pace()
		sum.Speedup, sum.Estimate = p.Speedup(m.score), p.Estimate
		sum.Standing = s.championship.standing()
	}
	if !s.clock.simulated {
		s.unsettled(&sum)
	}
	return sum
}
