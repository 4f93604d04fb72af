package record

import (
	"slices"

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
	proof := c.Result.Provenance
	all, err := r.Baselines()
	if err != nil {
		return f, err
	}
	again := false // its times are of a final measurement
	for _, b := range latest(all) {
		if b.IsBaseline() {
			f.Baselines = append(f.Baselines, b)
		} else if b.Name == c.ID.Short() {
			f.Times, f.Sanitized, proof, again = b.Times, b.Sanitized, b.Provenance, true
		}
	}
	duels, err := r.Duels()
	if err != nil {
		return f, err
	}
	for _, d := range duels {
		if d.Challenger == c.ID.Short() && d.WithBaseline() {
			f.Duels = append(f.Duels, d)
		}
	}
	if f.Proof, err = r.ProofOf(proof); f.Proof == nil {
		f.Times = nil
	}
	if err != nil || again {
		return f, err
	}
	return f, r.repace(&f)
}

// repace holds times of the search against the naive start's at the same pace. Those of its final measurement are of
// another day.
func (r *Record) repace(f *figures.Figures) error {
	pace, err := r.Pace()
	for i, b := range f.Baselines {
		if err != nil || b.Name != kernels.NaiveStart {
			continue
		}
		f.Baselines[i].Times = slices.Clone(b.Times)
		for j, t := range b.Times {
			if ns := pace.Start[t.Workload]; ns > 0 && t.Cache == r.Meta().Cache {
				f.Baselines[i].Times[j].Median = ns
			}
		}
	}
	return err
}

// waves are a candidate's by workload; nil where it cannot be rendered.
func (r *Record) waves(c kernels.Candidate) []float64 {
	j, _, err := r.Job(c)
	if err != nil {
		return nil
	}
	return figures.Waves(&j, c.Result.Resources, r.Meta().Workloads, r.Meta().Device)
}

// BaseTimes are the naive start's times by workload, ns.
func (r *Record) BaseTimes() (map[string]float64, error) {
	start, err := r.Start()
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

// Lead is the least factor by which the champion leads a baseline that it dueled, and over which that is: the
// strongest. It is 0 where the machine was too noisy for a pair with one of them.
func (r *Record) Lead(champion kernels.ID) (lead float64, over string, err error) {
	c, err := r.Get(champion)
	if err != nil {
		return 0, "", err
	}
	pace, err := r.Pace()
	if err != nil {
		return 0, "", err
	}
	lead, over = pace.Speedup(c.Score), "the naive start"
	duels, err := r.Duels()
	duels = slices.DeleteFunc(duels, func(d kernels.Duel) bool {
		return d.Challenger != champion.Short() || !d.WithBaseline() || d.Champion == kernels.NaiveStart ||
			len(d.Rounds) == 0 || d.Rounds[0].Cache != r.Meta().Cache
	})
	told := map[string]bool{}
	for _, d := range duels {
		if told[d.Champion] = told[d.Champion] || d.Measured(); d.Measured() && 1/d.Ratio < lead {
			lead, over = 1/d.Ratio, d.Champion
		}
	}
	for name, ok := range told {
		if !ok {
			return 0, name + ", too noisy to compare", err
		}
	}
	return lead, over, err
}

// latest keeps the last result of every name.
func latest(all []kernels.BaselineResult) []kernels.BaselineResult {
	type name struct {
		kernels.NameKind
		string
	}
	at := map[name]int{}
	var out []kernels.BaselineResult
	for _, b := range all {
		if i, ok := at[name{b.Kind, b.Name}]; ok {
			out[i] = b
			continue
		}
		at[name{b.Kind, b.Name}] = len(out)
		out = append(out, b)
	}
	return out
}
