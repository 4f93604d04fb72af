package kernels

import "math"

// Pace turns scores into speedups over the naive start. A score is relative to one early timing of the naive start,
// from which a machine drifts away. So the champion's speedup is told by pairs, in which both sides were timed in turn,
// and all other speedups are scaled alike: one page has one figure for the champion.
type Pace struct {
	// Start is the naive start's time by workload, ns, at the pace at which the champion was timed.
	Start map[string]float64
	// Factor is the speedup of a score of 1; 0: scores say it alone, as those of a recording do.
	Factor float64
	// Estimate says that no final measurement has told the champion's speedup.
	Estimate bool
	Champion ID
}

// Speedup is a score's factor over the naive start, which has the score 1 and is as fast as itself; 0: no score.
func (p Pace) Speedup(score float64) float64 {
	switch {
	case !(score > 0):
		return 0
	case score == 1 || !(p.Factor > 0):
		return 1 / score
	}
	return p.Factor / score
}

// Score is the score that has the same speedup without a pace.
func (p Pace) Score(score float64) float64 {
	if s := p.Speedup(score); s > 0 {
		return 1 / s
	}
	return 0
}

// Guesses reports whether a candidate's speedup is an estimate, and not of a final measurement.
func (p Pace) Guesses(id ID, score float64) bool {
	return p.Factor > 0 && score > 0 && score != 1 && (p.Estimate || id != p.Champion)
}

// Paced is a candidate as a pace needs it.
type Paced struct {
	ID    ID
	Score float64
	Times []Timing // of the search
}

// NewPace is what duels, in the order in which they were fought, tell of a champion over the naive start. Without any
// that lead from one to the other it is what the two timings say.
func NewPace(duels []Duel, start, champion Paced, o Objective, workloads []Workload) Pace {
	p := Pace{Start: medians(start.Times), Factor: 1, Champion: champion.ID}
	if champion.ID == start.ID {
		return p
	}
	p.Estimate = true
	ratios, final := overStart(duels, start.ID.Short(), champion.ID.Short())
	logs := make([]float64, len(workloads))
	for _, i := range o.Deciding(workloads) {
		if !(ratios[workloads[i].Name] > 0) {
			return p
		}
		logs[i] = math.Log(ratios[workloads[i].Name])
	}
	if f := champion.Score / math.Exp(o.Combine(logs, workloads)); f > 0 && f <= math.MaxFloat64 {
		p.Factor, p.Estimate = f, !final
	}
	for name, t := range medians(champion.Times) {
		if ratios[name] > 0 {
			p.Start[name] = t / ratios[name]
		}
	}
	return p
}

func medians(times []Timing) map[string]float64 {
	out := map[string]float64{}
	for _, t := range times {
		out[t.Workload] = t.Median
	}
	return out
}

// overStart is a champion's time over the naive start's by workload: of the last final measurement that it had, or
// else along the duels that made it champion, back to the last one against the naive start.
func overStart(duels []Duel, start, champion string) (ratios map[string]float64, final bool) {
	for i := len(duels) - 1; i >= 0; i-- {
		d := &duels[i]
		if d.Challenger == champion && d.WithBaseline() && d.Champion == NaiveStart && d.Measured() {
			return times(nil, d), true
		}
	}
	name, end := champion, len(duels)
	for name != start && name != NaiveStart {
		for end--; end >= 0 && !(duels[end].Challenger == name && duels[end].Leads()); end-- {
		}
		if end < 0 {
			return nil, false
		}
		ratios, name = times(ratios, &duels[end]), duels[end].Champion
	}
	return ratios, false
}

// Leads reports whether a duel is a step from the naive start to a champion.
func (d *Duel) Leads() bool {
	switch {
	case d.Outcome.Failed() || d.Ratio <= 0:
		return false
	case d.ChampionKind == CandidateName:
		return d.Verdict == Faster
	}
	return d.Champion == NaiveStart && d.Measured()
}

// times multiplies ratios with those of a duel's steady half; nil is 1 everywhere.
func times(ratios map[string]float64, d *Duel) map[string]float64 {
	out := map[string]float64{}
	for _, r := range d.Steady() {
		before, ok := ratios[r.Workload]
		if ratios == nil {
			before, ok = 1, true
		}
		if ok {
			out[r.Workload] = before * r.Ratio
		}
	}
	return out
}
