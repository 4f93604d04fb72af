package kernels

import "slices"

// Duel is a paired comparison of two candidates, or of one with a baseline, measured in turn. Between candidates it has
// two halves, and the challenger is Faster only where it is in both: steady, calls in a row on the same inputs, is the
// figure; fresh, calls each on inputs that it has not seen since everything was refilled, is what is believed.
// Ratio, Lo and Hi are of the half that decided: of the steady one where both agree.
//
// Either side may be found out meanwhile: Outcome is then what the Culprit is to be filed as, whatever it was filed as
// before (Wrong, Suspect, Flaky, Crashed or TimedOut), and Verdict is never Faster. Who keeps candidates must not let a
// culprit duel again.
type Duel struct {
	Champion     string      `json:"champion"`
	ChampionKind NameKind    `json:"champion_kind,omitempty"` // what Champion names
	Challenger   string      `json:"challenger"`              // a candidate's short ID
	Rounds       []DuelRound `json:"rounds"`
	Ratio        float64     `json:"ratio"` // the objective of challenger over champion: below 1 is faster
	// One-sided 99.5 % bootstrap bounds of Ratio; where ten pairs decided it, what the least and the greatest of them make
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Verdict    Verdict `json:"verdict"`
	Provenance string  `json:"proof,omitempty"`
	// Why the verdict is not what the steady half says, or what was found out
	Detail  string  `json:"detail,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"` // what the culprit was found out as; Unknown: nothing was
	Culprit Side    `json:"culprit,omitempty"` // empty: neither, or it is not known which
}

// WithBaseline reports whether the champion is a baseline, and not a candidate.
func (d *Duel) WithBaseline() bool { return d.ChampionKind == BaselineName }

// Side is one of the two of a duel.
type Side string

// The sides.
const (
	TheChampion   Side = "champion"
	TheChallenger Side = "challenger"
)

// FreshRound is the Cache of a round of the fresh half.
const FreshRound = "fresh"

// DuelRound is one workload of one half of a duel. Rounds of the steady half come first, in the order of the workloads.
type DuelRound struct {
	Workload   string  `json:"workload"`
	Cache      string  `json:"cache"` // hot or cold: steady; FreshRound
	Pairs      int     `json:"pairs"`
	Champion   float64 `json:"champion"`   // median ns
	Challenger float64 `json:"challenger"` // median ns
	Ratio      float64 `json:"ratio"`      // median of the paired ratios
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Clock      float64 `json:"clock,omitempty"`     // SM MHz while measuring, 0 unknown
	Discarded  int     `json:"discarded,omitempty"` // blocks of pairs that were taken again: throttled, stolen, noisy
	// Of a fresh round, the time of the same calls once more over that of the fresh ones, medians. Of a valid
	// kernel it is 1 within the noise; one that keeps answers is faster the second time.
	Repeat [2]float64 `json:"repeat,omitzero"` // the champion's, the challenger's
}

// Steady is the rounds of the steady half.
func (d *Duel) Steady() []DuelRound {
	n := slices.IndexFunc(d.Rounds, func(r DuelRound) bool { return r.Cache == FreshRound })
	if n < 0 {
		return d.Rounds
	}
	return d.Rounds[:n]
}

// Measured reports whether the steady half has a figure at each of its workloads. One that a noisy machine ended may
// have none: its Ratio is 1, and says nothing.
func (d *Duel) Measured() bool {
	steady := d.Steady()
	return len(steady) > 0 && !slices.ContainsFunc(steady, func(r DuelRound) bool { return !(r.Ratio > 0) })
}

// Verdict is the outcome of a duel.
type Verdict string

// The verdicts. Only Faster changes a champion.
const (
	Faster    Verdict = "faster"
	Slower    Verdict = "slower"
	Same      Verdict = "same"      // the interval lies inside the margin
	Ambiguous Verdict = "ambiguous" // the noise is larger than the difference
)
