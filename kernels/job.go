package kernels

import (
	"fmt"
	"math"
)

// Job asks an evaluator for a verdict on one candidate.
type Job struct {
	ID      ID      `json:"id"`
	Variant Variant `json:"variant"`
	Source  string  `json:"source"` // rendered
	Plan    *Plan   `json:"-"`
	Env     Env     `json:"-"` // genes, lets, device and elem; dims are added per workload
	Acc     DType   `json:"acc"`
	// Bar is the time to beat by workload, ns a call: a candidate that a few samples show to be far
	// slower is not measured further. Empty: measure everything.
	Bar map[string]float64 `json:"bar,omitempty"`
}

// Resolve gives the plan its numbers at one size.
func (j *Job) Resolve(dims Dims) (Call, error) {
	env := make(Env, len(j.Env)+len(dims))
	for k, v := range j.Env {
		env[k] = v
	}
	for k, v := range dims {
		env[k] = v
	}
	return j.Plan.Resolve(env)
}

// Duel is a paired comparison of two candidates, or of one with a baseline, measured in turn.
type Duel struct {
	Champion   string      `json:"champion"` // short ID or baseline name
	Challenger string      `json:"challenger"`
	Rounds     []DuelRound `json:"rounds"`
	Ratio      float64     `json:"ratio"` // weighted geometric mean of challenger over champion: below 1 is faster
	Lo         float64     `json:"lo"`    // one-sided 99.5 % bootstrap bounds of Ratio; where ten pairs settled it, the least and greatest of them
	Hi         float64     `json:"hi"`
	Verdict    Verdict     `json:"verdict"`
	Proof      string      `json:"proof,omitempty"`
}

// DuelRound is one workload of a duel.
type DuelRound struct {
	Workload   string  `json:"workload"`
	Cache      string  `json:"cache"`
	Pairs      int     `json:"pairs"`
	Champion   float64 `json:"champion"`   // median ns
	Challenger float64 `json:"challenger"` // median ns
	Ratio      float64 `json:"ratio"`      // median of the paired ratios
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Clock      float64 `json:"clock,omitempty"` // SM MHz while measuring, 0 unknown
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

// Score is the weighted geometric mean over workloads of time over base time: below 1 is faster than
// the base. It fails when a workload has no time.
func Score(times []Timing, base map[string]float64, workloads []Workload) (float64, error) {
	got := map[string]float64{}
	for _, t := range times {
		got[t.Workload] = t.Median
	}
	sum, weight := 0.0, 0.0
	for _, w := range workloads {
		t, b := got[w.Name], base[w.Name]
		if !(t > 0) || !(b > 0) {
			return 0, fmt.Errorf("workload %s has no time", w.Name)
		}
		sum += w.Weight * math.Log(t/b)
		weight += w.Weight
	}
	if weight == 0 {
		return 0, fmt.Errorf("no workload has a weight")
	}
	return math.Exp(sum / weight), nil
}
