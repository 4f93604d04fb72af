package evolve

import (
	"fmt"

	"darwarp/kernels"
)

// progress is where the search stands, as far as stored candidates do not say it themselves.
type progress struct {
	Evals      int      `json:"evals"`     // verdicts, duplicates not counted
	Best       float64  `json:"best"`      // lowest score measured, 0 none
	LastGain   int      `json:"last_gain"` // Evals when Best was found
	Epoch      int      `json:"epoch"`
	EpochStart int      `json:"epoch_start"` // Evals when it began
	EpochSeen  int      `json:"epoch_seen"`  // judged points when it began
	Duels      int      `json:"duels"`
	Lost       int      `json:"lost"`             // verdicts that were lost
	Passed     [][2]int `json:"passed,omitempty"` // space and index of points without a verdict

	sample   int // points of the first sample still to ask for
	outcomes map[kernels.Outcome]int
}

// afresh says that only what was found in this epoch is bred from.
func (p *progress) afresh() bool { return p.Epoch%2 == 1 }

// stale reports whether so many verdicts of this epoch in a row have gained nothing.
func (p *progress) stale(patience int) bool {
	return p.Evals-max(p.LastGain, p.EpochStart) >= patience
}

// nextEpoch begins an epoch when so many points are judged.
func (p *progress) nextEpoch(judged int) {
	p.Epoch++
	p.EpochStart, p.EpochSeen = p.Evals, judged
}

// count enters an outcome.
func (p *progress) count(o kernels.Outcome) {
	if p.outcomes == nil {
		p.outcomes = map[kernels.Outcome]int{}
	}
	p.outcomes[o]++
	if o != kernels.Duplicate {
		p.Evals++
	}
}

// found enters a score.
func (p *progress) found(score float64) {
	if p.Best == 0 || score < p.Best {
		p.Best, p.LastGain = score, p.Evals
	}
}

// rescored has scores under other weights: what was gained before does not count.
func (p *progress) rescored(best float64) { p.Best, p.LastGain = best, p.Evals }

// countDuel and countLost count what the store does not.
func (p *progress) countDuel() { p.Duels++ }
func (p *progress) countLost() { p.Lost++ }

// pass notes a point that gets no verdict. A source of its own has none.
func (p *progress) pass(t *task) {
	if t.Index >= 0 {
		p.Passed = append(p.Passed, [2]int{t.Space, t.Index})
	}
}

// checkPassed refuses points of a checkpoint that are not there.
func (p *progress) checkPassed(pop *population) error {
	for _, at := range p.Passed {
		if err := pop.check(passed(at)); err != nil || at[0] < 0 {
			return fmt.Errorf("the checkpoint skips a point that does not exist")
		}
	}
	return nil
}

// claimPassed has the points count as asked for.
func (p *progress) claimPassed(pop *population) {
	for _, at := range p.Passed {
		pop.claimPoint(passed(at))
	}
}

func passed(at [2]int) *task { return &task{Space: at[0], Index: at[1]} }

// takeUp goes on where an earlier session stood. Outcomes were counted while its candidates were inserted.
func (p *progress) takeUp(before progress, sample int) {
	before.outcomes, before.sample = p.outcomes, sample
	*p = before
}
