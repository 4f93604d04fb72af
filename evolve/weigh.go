package evolve

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"darwarp/kernels"
	"darwarp/mutate"
)

// Weigher is what an Evaluator may also be: one whose duels follow new weights of the workloads from
// now on.
type Weigher interface {
	Weigh(workloads []kernels.Workload)
}

// weigh changes what the search is after: every score is computed anew from the stored times, what was
// decided by duels under other weights is open again, and the best claimers challenge the champion.
func (s *Search) weigh(c Command) (string, error) {
	if s.naive == nil {
		return "", errors.New("the naive start is not judged yet")
	}
	if err := s.checkWeights(c.Weights); err != nil {
		return "", err
	}
	weights := map[string]float64{}
	for _, w := range s.cfg.Workloads {
		weights[w.Name] = w.Weight
	}
	maps.Copy(weights, c.Weights)
	if err := s.reweigh(weights); err != nil {
		return "", err
	}
	s.rescore()
	s.steering.Weights, s.steering.Void = weights, s.duels
	s.steering.Weighed++
	clear(s.beaten)
	clear(s.fought)
	s.trials.heir = nil
	var parts []string
	for _, w := range s.cfg.Workloads {
		parts = append(parts, fmt.Sprintf("%s=%g", w.Name, w.Weight))
	}
	return "weights " + strings.Join(parts, ", "), nil
}

func (s *Search) checkWeights(weights map[string]float64) error {
	var names []string
	for _, w := range s.cfg.Workloads {
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

// reweigh brings weights into force, here and in the evaluator.
func (s *Search) reweigh(weights map[string]float64) error {
	ev, ok := s.ev.(Weigher)
	if !ok {
		return fmt.Errorf("duels on %s cannot change their weights", s.ev.Device().Label())
	}
	s.cfg.Workloads = slices.Clone(s.cfg.Workloads)
	for i := range s.cfg.Workloads {
		if w, ok := weights[s.cfg.Workloads[i].Name]; ok {
			s.cfg.Workloads[i].Weight = w
		}
	}
	ev.Weigh(s.cfg.Workloads)
	return nil
}

// anew is the score of a stored candidate under the weights in force.
func (s *Search) anew(c *kernels.Candidate) float64 {
	score, err := s.cfg.Objective.Score(c.Result.Times, s.base, s.cfg.Workloads)
	if err != nil { // all have the times that they were scored by before
		return c.Score
	}
	return score
}

// rescore computes every score anew and orders the populations by it.
func (s *Search) rescore() {
	s.progress.Best, s.progress.LastGain = 0, s.progress.Evals
	for _, m := range slices.SortedFunc(maps.Values(s.working), func(a, b *member) int { return a.born - b.born }) {
		m.weigh(s)
		if m.code != "" {
			s.codes[m.code] = m.score
		}
		if s.progress.Best == 0 || m.score < s.progress.Best {
			s.progress.Best = m.score
		}
	}
	for _, d := range s.demes {
		d.rank(func(o *mutate.Individual) float64 {
			if m := s.working[o.ID]; m != nil {
				return m.score
			}
			return s.codes[s.twins[o.ID]]
		})
	}
}

// weigh computes a member's score, and that at the upper ends of its intervals.
func (m *member) weigh(s *Search) {
	c := kernels.Candidate{Score: m.score}
	c.Result.Times = m.timings
	m.score = s.anew(&c)
	upper := slices.Clone(m.timings)
	for i := range upper {
		upper[i].Median = upper[i].Hi
	}
	c.Result.Times = upper
	m.upper = max(m.score, s.anew(&c))
}
