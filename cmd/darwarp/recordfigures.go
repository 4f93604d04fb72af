package main

import (
	"strings"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/kernels"
)

// figures gathers what a run knows about a candidate's times: those of the final measurement when
// there was one, else the search's own. No times without what they stand on.
func (r *record) figures(c kernels.Candidate) (figures.Figures, error) {
	m := r.Meta()
	f := figures.Figures{Problem: r.bundle.Problem, DType: m.DType, Workloads: m.Workloads, Times: c.Result.Times}
	f.Waves = r.waves(c)
	proof := c.Result.Proof
	all, err := r.Baselines()
	if err != nil {
		return f, err
	}
	for _, b := range latest(all) {
		if b.Name == c.ID.Short() {
			f.Times, f.Sanitized, proof = b.Times, b.Sanitized, b.Proof
		} else if !isID(b.Name) {
			f.Baselines = append(f.Baselines, b)
		}
	}
	duels, err := r.Duels()
	if err != nil {
		return f, err
	}
	for _, d := range duels {
		if d.Challenger == c.ID.Short() && !isID(d.Champion) {
			f.Duels = append(f.Duels, d)
		}
	}
	if f.Proof, err = r.proofOf(proof); f.Proof == nil {
		f.Times = nil
	}
	return f, err
}

// waves are a candidate's by workload; nil where it cannot be rendered.
func (r *record) waves(c kernels.Candidate) []float64 {
	j, _, err := r.job(c)
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

// isID tells a candidate's short ID from a baseline's name.
func isID(s string) bool { return len(s) == 10 && strings.Trim(s, "0123456789abcdef") == "" }

// naiveStart is the baseline that every run has.
const naiveStart = "default"
