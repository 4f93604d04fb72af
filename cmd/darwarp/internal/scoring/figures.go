package scoring

import (
	"fmt"
	"math"
	"slices"
)

// Figures are what a strategy comes to on one space, or in the mean over spaces. Lists are by mark.
type Figures struct {
	Strategy string    `json:"strategy"`
	Tool     string    `json:"tool"`
	Seeds    int       `json:"seeds,omitempty"`
	Median   []float64 `json:"median,omitempty"`   // optimum over the best found, 1 is the optimum
	Quartile []float64 `json:"quartile,omitempty"` // the lower one
	Found    []float64 `json:"found,omitempty"`    // share of searches that found the optimum
	ByEvals  *float64  `json:"score_by_evaluations,omitempty"`
	ByTime   *float64  `json:"score_by_time,omitempty"`
	Worse    []string  `json:"worse_than_random,omitempty"` // where: after 50, by time, ...
}

// Tool is the name under which own strategies are shown.
const Tool = "darwarp"

// Figures condenses runs of a strategy.
func (g *Ground) Figures(strategy string, runs []Run) Figures {
	f := Figures{Strategy: strategy, Tool: Tool, Seeds: len(runs)}
	for _, m := range Marks {
		ratios, found := make([]float64, len(runs)), 0.0
		for i, r := range runs {
			ratios[i] = g.Optimum() / min(g.Values[0], r.best(func(s Step) bool { return s.Evals <= m }))
			if ratios[i] >= 1 {
				found += 1 / float64(len(runs))
			}
		}
		slices.Sort(ratios)
		f.Median, f.Quartile, f.Found = append(f.Median, Quantile(ratios, 0.5)), append(f.Quartile, Quantile(ratios, 0.25)),
			append(f.Found, found)
	}
	evals, seconds := g.Score(runs)
	f.ByEvals = &evals
	if !math.IsNaN(seconds) {
		f.ByTime = &seconds
	}
	return f
}

// Exact are the figures of random search without a search: they have no error. Its score by evaluations
// is that of the middle run, which is a little better than the expected one that counts as 0.
func (g *Ground) Exact() Figures {
	f := Figures{Strategy: "random", Tool: "exact"}
	for _, m := range Marks {
		q, found := g.RandomSearch(m, 0.5, 0.25)
		f.Median, f.Quartile, f.Found = append(f.Median, q[0]), append(f.Quartile, q[1]), append(f.Found, found)
	}
	var middle Run
	for m := 1; m <= g.CutOff; m++ {
		middle = append(middle, Step{Evals: m, Value: g.Values[g.reached(m, 0.5)]})
	}
	score, _ := g.Score([]Run{middle})
	f.ByEvals = &score
	return f
}

// Against notes where a strategy is worse than random search: a median below its median, a negative score.
func (f *Figures) Against(random Figures) {
	f.Worse = nil
	for i, m := range Marks {
		if f.Median[i] < random.Median[i] {
			f.Worse = append(f.Worse, fmt.Sprintf("after %d", m))
		}
	}
	if f.ByEvals != nil && *f.ByEvals < 0 {
		f.Worse = append(f.Worse, "score by evaluations")
	}
	if f.ByTime != nil && *f.ByTime < 0 {
		f.Worse = append(f.Worse, "score by time")
	}
}
