// Package htmlreport tells a whole run on one page: a self-contained HTML file with charts and tables.
package htmlreport

import (
	"cmp"
	"slices"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// Figures are the champion's times with what they are compared with.
type Figures struct {
	Proof     *kernels.Provenance // what they stand on
	Baselines []kernels.BaselineResult
	Versus    []Versus
	Shapes    []Shape
}

// Championship is the champion itself, with those before it.
type Championship struct {
	Champion  *kernels.Candidate  // nil: none yet
	Trial     string              // what the champion stood, in a line; empty: nothing to say
	Lineage   []kernels.Candidate // from the naive start to the champion
	Winner    *Winner             // nil: there is no champion
	Champions []kernels.ID        // in the order of becoming it; one that was demoted for a while is there twice

	Estimate bool // the champion's speedup is not of a final measurement
}

// Input is what a report is made of.
type Input struct {
	Path       string // of the run, as the user named it
	Version    string // darwarp's, that writes the report
	Meta       store.Meta
	Problem    *kernels.Problem
	Candidates []kernels.Candidate // all, in the order of being stored
	Took       time.Duration       // the search, over all sessions; 0: nothing says it
	Budget     store.Budget        // of the last session
	Figures
	Choices   *Choices           // of the champion; nil: explain was not asked
	Portfolio *kernels.Portfolio // the last one; nil: none was measured
	Models    []Model            // the language models that were asked, dearest first
	Championship
	Proofs map[string]kernels.Provenance // by key: figures without one are not shown
}

// Versus is the champion's speedup over one baseline, by the run's objective.
type Versus struct {
	Name    string
	About   string
	Speedup float64
}

// Shape is one workload: the champion's time and what it is compared with.
type Shape struct {
	Workload string   `json:"workload"`
	Dims     string   `json:"dims"`
	Cache    string   `json:"cache"`
	Bound    string   `json:"bound,omitempty"` // the ceiling that binds: compute, memory or L2
	Waves    string   `json:"-"`               // of the champion: blocks over what the device holds at once
	Scaling  string   `json:"-"`               // of the champion: work a second over that of its best shape
	Bars     []Bar    `json:"bars"`            // the champion's first
	Versus   []string `json:"-"`               // the champion over each other bar
}

// Bar is the median time of the champion, a baseline or a portfolio on one workload.
type Bar struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"` // the meaning that its colour has: champion, naive, baseline or portfolio
	NS       float64 `json:"ns"`
	Time     string  `json:"time"`
	Rate     string  `json:"rate"`               // operations or bytes a second
	Roofline float64 `json:"roofline,omitempty"` // share of the least time that the ceilings allow
}

// proven are the right candidates whose figures stand on something, best first.
func (in *Input) proven() (shown []kernels.Candidate, unproven int) {
	for _, c := range in.Candidates {
		if c.Result.Outcome != kernels.OK {
			continue
		}
		if _, ok := in.Proofs[c.Result.Provenance]; !ok {
			unproven++
			continue
		}
		shown = append(shown, c)
	}
	slices.SortStableFunc(shown, func(a, b kernels.Candidate) int { return cmp.Compare(a.Score, b.Score) })
	return shown, unproven
}

// family is the one that genes are told of: the champion's, else the best candidate's.
func (in *Input) family() string {
	if in.Champion != nil {
		return in.Champion.Variant.Family
	}
	for _, c := range in.Candidates {
		if c.Result.Outcome == kernels.OK && c.Variant.Family != "" {
			return c.Variant.Family
		}
	}
	return ""
}
