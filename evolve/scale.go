package evolve

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"darwarp/kernels"
)

// scale says what a score is: the objective over the times of some workloads, relative to the naive start.
type scale struct {
	objective kernels.Objective
	workloads []kernels.Workload // replaced when their weights change, never changed
	base      map[string]float64 // the naive start's times by workload, ns; nil before it is judged
}

// start are the naive start's times by workload, ns; nil before it is judged.
func (s *scale) start() map[string]float64 { return s.base }

// shapes is how many workloads there are.
func (s *scale) shapes() int { return len(s.workloads) }

// score is the score of times; those of the naive start itself have 1.
func (s *scale) score(times []kernels.Timing) (float64, error) {
	if s.base == nil {
		return 1, nil
	}
	return s.objective.Score(times, s.base, s.workloads)
}

// startAt makes scores relative to times by workload, ns: those of the naive start.
func (s *scale) startAt(times map[string]float64) { s.base = times }

// rescore is the score of a candidate under the weights in force.
func (s *scale) rescore(c *kernels.Candidate) float64 { return s.scoreOr(c.Result.Times, c.Score) }

// scoreOr is the score of times, or what is given where there is none: all times were scored before.
func (s *scale) scoreOr(times []kernels.Timing, otherwise float64) float64 {
	score, err := s.objective.Score(times, s.base, s.workloads)
	if err != nil {
		return otherwise
	}
	return score
}

// deciding are the workloads that the objective looks at.
func (s *scale) deciding() (names []string) {
	for _, i := range s.objective.Deciding(s.workloads) {
		names = append(names, s.workloads[i].Name)
	}
	return names
}

// bar is what a candidate has to beat to be faster than a champion, by workload. Where the worst shape decides, a shape
// is far behind only beyond the champion's worst ratio; where one shape decides, the others have no bar.
func (s *scale) bar(champion *member) map[string]float64 {
	times := map[string]float64{}
	for _, w := range s.deciding() {
		times[w] = champion.times[w]
		if s.objective == kernels.Worst {
			times[w] = champion.score * s.base[w]
		}
	}
	return times
}

// weights are all workloads' weights, with some of them replaced.
func (s *scale) weights(change map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for _, w := range s.workloads {
		out[w.Name] = w.Weight
	}
	maps.Copy(out, change)
	return out
}

// weigh brings weights into force.
func (s *scale) weigh(weights map[string]float64) {
	s.workloads = slices.Clone(s.workloads)
	for i := range s.workloads {
		if w, ok := weights[s.workloads[i].Name]; ok {
			s.workloads[i].Weight = w
		}
	}
}

// String lists the weights.
func (s *scale) String() string {
	var parts []string
	for _, w := range s.workloads {
		parts = append(parts, fmt.Sprintf("%s=%g", w.Name, w.Weight))
	}
	return "weights " + strings.Join(parts, ", ")
}

func (s *scale) checkWeights(weights map[string]float64) error {
	var names []string
	for _, w := range s.workloads {
		names = append(names, w.Name)
	}
	if len(weights) == 0 {
		return fmt.Errorf("expected weights of some of %s", strings.Join(names, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("unknown workload %q: expected some of %s", name, strings.Join(names, ", "))
		}
		if w := weights[name]; !(w > 0 && w <= math.MaxFloat32) {
			return fmt.Errorf("weight %g of %s: expected a positive number", w, name)
		}
	}
	return nil
}

// validate makes a verdict fit to be stored, and scores it. Its error says what is wrong on our side: the candidate is
// not to blame.
func (s *scale) validate(c *kernels.Candidate) error {
	if err := validateResult(&c.Result); err != nil {
		return err
	}
	if c.Result.Outcome != kernels.OK {
		c.Result.Times = nil
		return nil
	}
	times, err := s.times(c.Result.Times)
	if err != nil {
		return err
	}
	c.Result.Times = times
	c.Score, err = s.score(times)
	if err == nil && !(c.Score > 0 && c.Score <= math.MaxFloat64) {
		err = fmt.Errorf("score %g", c.Score)
	}
	return err
}

// times picks the search's workloads out of a verdict's times, and refuses what no clock can show.
func (s *scale) times(in []kernels.Timing) (out []kernels.Timing, err error) {
	for _, w := range s.workloads {
		at := slices.IndexFunc(in, func(t kernels.Timing) bool { return t.Workload == w.Name })
		if at < 0 {
			return nil, fmt.Errorf("the evaluator gave no time for workload %s", w.Name)
		}
		t := in[at]
		if !(t.Median > 0 && t.Median <= math.MaxFloat64) || !finite(t.Lo, t.Hi, t.Clock) {
			return nil, fmt.Errorf("the evaluator gave time %g (%g to %g) for workload %s",
				t.Median, t.Lo, t.Hi, w.Name)
		}
		if t.Lo <= 0 || t.Lo > t.Median {
			t.Lo = t.Median
		}
		t.Hi = max(t.Hi, t.Median)
		out = append(out, t)
	}
	return out, nil
}
