// Package soak watches a long search with injected faults: that it loses and doubles nothing, that its champion never
// gets worse, and that neither its memory nor its processes grow.
package soak

import (
	"fmt"

	"darwarp/evolve"
	"darwarp/kernels"
)

// Ledger writes down what a search acknowledged.
type Ledger struct {
	Results   map[kernels.ID]int      // how often each verdict was told
	Outcomes  map[kernels.Outcome]int // of all verdicts
	Lost      int                     // evaluations that our side lost and repeated
	Champions int
	score     float64
	champion  kernels.ID
	worse     []string
}

// NewLedger is an empty one.
func NewLedger() *Ledger {
	return &Ledger{Results: map[kernels.ID]int{}, Outcomes: map[kernels.Outcome]int{}}
}

// Hear takes one event of the search.
func (l *Ledger) Hear(e evolve.Event) {
	switch e.Kind {
	case evolve.KindResult:
		l.Results[e.ID]++
		l.Outcomes[e.Candidate.Result.Outcome]++
	case evolve.KindLost:
		l.Lost++
	case evolve.KindTrial:
		if e.Trial.Standing() == kernels.Fell && e.ID == l.champion {
			l.score = 0 // the one before is champion again
		}
	case evolve.KindChampion:
		l.Champions++
		l.champion = e.ID
		if l.score > 0 && e.Score > l.score {
			l.worse = append(l.worse,
				fmt.Sprintf("%s at %s: score %.4f after %.4f", e.ID.Short(), e.At.Round(1e9), e.Score, l.score))
		}
		l.score = e.Score
	}
}

// Worse lists the champions that were slower than the one before, of which there must be none but after one that fell
// on trial. A score is a time: lower is faster.
func (l *Ledger) Worse() []string { return l.worse }

// Audit compares what was acknowledged with what is stored: verdicts reported twice, reported and not stored, stored
// and not reported. All must be 0.
func (l *Ledger) Audit(each func(func(kernels.Candidate) error) error) (twice, missing, untold int, err error) {
	stored := map[kernels.ID]bool{}
	err = each(func(c kernels.Candidate) error {
		stored[c.ID] = true
		if l.Results[c.ID] == 0 {
			untold++
		}
		return nil
	})
	for id, n := range l.Results {
		if n > 1 {
			twice++
		}
		if !stored[id] {
			missing++
		}
	}
	return twice, missing, untold, err
}
