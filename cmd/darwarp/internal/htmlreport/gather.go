package htmlreport

import (
	"errors"
	"path/filepath"
	"slices"

	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
)

// Gather gathers all that the run knows.
func Gather(r *record.Record, version string) (in Input, err error) {
	in = Input{Path: filepath.Base(r.Path()), Version: version, Meta: r.Meta(), Problem: r.Bundle.Problem,
		Proofs: map[string]kernels.Provenance{}}
	pace, err := gatherPace(r, &in)
	if err != nil {
		return in, err
	}
	err = r.Each(func(c kernels.Candidate) error {
		c.Score = pace.Score(c.Score)                                                       // as the page tells it
		c.Variant.Source, c.Variant.Plan, c.Result.Sites, c.Result.Gate = "", nil, nil, nil // large, and not shown
		in.Candidates = append(in.Candidates, c)
		key := c.Result.Provenance
		if _, ok := in.Proofs[key]; ok || key == "" {
			return nil
		}
		p, err := r.ProofOf(key)
		if p != nil {
			in.Proofs[key] = *p
		}
		return err
	})
	if err != nil {
		return in, err
	}
	if in.Models, err = gatherModels(r); err != nil || r.Counts()[kernels.OK] == 0 {
		return in, err
	}
	champion, err := r.Pick("")
	if err != nil {
		return in, err
	}
	if in.Lineage, err = r.Lineage(champion); err != nil {
		return in, err
	}
	for i, c := range in.Lineage {
		in.Lineage[i].Score = pace.Score(c.Score)
	}
	champion.Score = pace.Score(champion.Score)
	in.Champion, in.Trial = &champion, r.TrialText(champion)
	return in, errors.Join(gatherFigures(r, &in), gatherFindings(r, &in), gatherWinner(r, &in), gatherChampions(r, &in))
}

// gatherChampions are the candidates that were champion.
func gatherChampions(r *record.Record, in *Input) error {
	all, err := r.Champions()
	for _, c := range all {
		in.Champions = append(in.Champions, c.ID)
	}
	return err
}

// gatherPace is how scores become speedups, and how long the search said that it took.
func gatherPace(r *record.Record, in *Input) (kernels.Pace, error) {
	pace, errPace := r.Pace()
	checkpoint, err := r.Checkpoint()
	if err == nil {
		in.Took, err = evolve.ReadElapsed(checkpoint)
	}
	var errBudget error
	in.Budget, errBudget = record.Budget(r.Run)
	in.Estimate = pace.Estimate
	return pace, errors.Join(errPace, err, errBudget)
}

// gatherModels are what language models found for what they cost.
func gatherModels(r *record.Record) (out []Model, err error) {
	arms, err := models.Arms(r)
	for _, x := range arms {
		m := Model{Name: models.ArmName(x.Arm), Asked: x.Asked, Failed: x.Failed, Declined: x.Declined,
			Refused: x.Refused, Judged: x.Judged, Right: x.OK, Crowned: x.Crowned,
			Best: "-", Tokens: report.Count(x.In + x.Out), USD: models.USD(x.Spending)}
		if x.Best > 0 {
			m.Best = report.Ratio(x.Best)
		}
		out = append(out, m)
	}
	return out, err
}

// gatherFigures are the champion's times and what they are compared with: only figures that stand on
// something.
func gatherFigures(r *record.Record, in *Input) error {
	f, err := r.Figures(*in.Champion)
	if err != nil {
		return err
	}
	in.Proof = f.Proof
	for _, b := range f.Baselines {
		if p, err := r.ProofOf(b.Provenance); err != nil {
			return err
		} else if p != nil {
			in.Baselines = append(in.Baselines, b)
		}
	}
	f.Baselines = in.Baselines
	in.Versus = versus(f, in.Meta.Cache, in.Meta.Objective)
	if in.Shapes, err = gatherShapes(f); err != nil {
		return err
	}
	all, err := r.Portfolios()
	if err != nil || len(all) == 0 {
		return err
	}
	last := all[len(all)-1]
	if p, err := r.ProofOf(last.Provenance); err != nil || p == nil {
		return err
	}
	in.Portfolio = &last
	return addPortfolio(f, in.Shapes, last)
}

// gatherFindings are what explain measured of the champion's choices.
func gatherFindings(r *record.Record, in *Input) error {
	all, err := r.InsightsOf(in.Champion.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	m := r.Meta()
	t := Choices{}
	several := len(m.Objective.Deciding(m.Workloads)) > 1
	if several {
		t.Columns = append(t.Columns, m.Objective.String())
	}
	for _, w := range m.Workloads {
		t.Columns = append(t.Columns, w.Name)
	}
	for _, i := range all {
		c := Choice{Choice: figures.ChoiceText(i), Note: figures.NoteText(i)}
		if several {
			c.Gains = append(c.Gains, i.Gain)
		}
		for _, w := range m.Workloads {
			c.Gains = append(c.Gains, figures.GainAt(i, w.Name))
		}
		for _, g := range c.Gains {
			c.Cells = append(c.Cells, figures.GainText(g))
		}
		t.Rows = append(t.Rows, c)
	}
	in.Choices = &t
	return nil
}

// versus is the champion over each baseline by the objective: by the last duel, else by medians.
func versus(f figures.Figures, cache string, objective kernels.Objective) []Versus {
	var out []Versus
	for _, b := range f.Baselines {
		v := Versus{Name: shownName(b.Name), About: b.About}
		base := map[string]float64{}
		for _, t := range b.Times {
			if t.Cache == cache {
				base[t.Workload] = t.Median
			}
		}
		times := slices.DeleteFunc(slices.Clone(f.Times), func(t kernels.Timing) bool { return t.Cache != cache })
		// An error says that some workload has no time.
		if score, err := objective.Score(times, base, f.Workloads); err == nil && score > 0 {
			v.Speedup = 1 / score
		}
		for _, d := range f.Duels {
			if d.Champion == b.Name && d.Ratio > 0 && len(d.Rounds) > 0 && d.Rounds[0].Cache == cache {
				v.Speedup = 1 / d.Ratio
			}
		}
		if v.Speedup > 0 {
			out = append(out, v)
		}
	}
	return out
}
