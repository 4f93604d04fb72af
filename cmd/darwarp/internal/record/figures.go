package record

import (
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/kernels"
)

// Figures gathers what a run knows about a candidate's times: those of the final measurement when
// there was one, else the search's own. No times without what they stand on.
func (r *Record) Figures(c kernels.Candidate) (figures.Figures, error) {
	m := r.Meta()
	f := figures.Figures{Problem: r.Bundle.Problem, DType: m.DType, Workloads: m.Workloads, Times: c.Result.Times}
	f.Waves = r.waves(c)
	proof := c.Result.Proof
	all, err := r.Baselines()
	if err != nil {
		return f, err
	}
	for _, b := range latest(all) {
		if b.Name == c.ID.Short() {
			f.Times, f.Sanitized, proof = b.Times, b.Sanitized, b.Proof
		} else if !IsID(b.Name) {
			f.Baselines = append(f.Baselines, b)
		}
	}
	duels, err := r.Duels()
	if err != nil {
		return f, err
	}
	for _, d := range duels {
		if d.Challenger == c.ID.Short() && !IsID(d.Champion) {
			f.Duels = append(f.Duels, d)
		}
	}
	if f.Proof, err = r.ProofOf(proof); f.Proof == nil {
		f.Times = nil
	}
	return f, err
}

// waves are a candidate's by workload; nil where it cannot be rendered.
func (r *Record) waves(c kernels.Candidate) []float64 {
	j, _, err := r.Job(c)
	if err != nil {
		return nil
	}
	return figures.Waves(&j, c.Result.Resources, r.Meta().Workloads, r.Meta().Device)
}

// latest keeps the last result of every name.
func latest(all []kernels.BaselineResult) []kernels.BaselineResult {
	at := map[string]int{}
	var out []kernels.BaselineResult
	for _, b := range all {
		if i, ok := at[b.Name]; ok {
			out[i] = b
			continue
		}
		at[b.Name] = len(out)
		out = append(out, b)
	}
	return out
}

// IsID tells a candidate's short ID from a baseline's name.
func IsID(s string) bool { return len(s) == 10 && strings.Trim(s, "0123456789abcdef") == "" }

// NaiveStart is the baseline that every run has.
const NaiveStart = "default"

// BaseTimes are the naive start's times by workload, ns.
func (r *Record) BaseTimes() (map[string]float64, error) {
	start, err := Start(r.Run)
	if err == nil && start == nil {
		err = exit.Usagef("%s has no naive start that works: nothing to compare with", r.Path())
	}
	if err != nil {
		return nil, err
	}
	return Medians(*start), nil
}

// Medians are a candidate's times by workload, ns.
func Medians(c kernels.Candidate) map[string]float64 {
	out := map[string]float64{}
	for _, t := range c.Result.Times {
		out[t.Workload] = t.Median
	}
	return out
}
