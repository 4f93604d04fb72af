package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve/portfolio"
	"darwarp/kernels"
)

// shortlisted is how many of the fastest candidates of each workload are measured again.
const shortlisted = 3

// entrant is a candidate that may enter a portfolio, with the logarithms of its time over the champion's
// by workload.
type entrant struct {
	c    kernels.Candidate
	job  kernels.Job
	logs []float64
}

// Serves refuses a run that needs no portfolio.
func Serves(r *record.Record) error {
	if len(r.Meta().Workloads) < 2 {
		return exit.Usagef("%s was scored at one shape: a portfolio needs a run with several --workload", r.Path())
	}
	return nil
}

// Portfolio measures, chooses, measures what was chosen, and stores it.
func Portfolio(
	ctx context.Context, s *session.Session, r *record.Record, k int, say func(string, ...any),
) (*kernels.Portfolio, error) {
	if err := Serves(r); err != nil {
		return nil, err
	}
	workloads := r.Meta().Workloads
	list, err := findEntrants(ctx, s, r, say)
	if err != nil {
		return nil, err
	}
	base, err := r.BaseTimes()
	if err != nil {
		return nil, err
	}
	logs := make([][]float64, len(list))
	champion := record.Medians(list[0].c)
	for i, e := range list {
		for w, x := range workloads {
			logs[i] = append(logs[i], e.logs[w]+math.Log(champion[x.Name]/base[x.Name]))
		}
	}
	single := portfolio.Choose(logs, 1, s.Objective, workloads)[0]
	chosen := portfolio.Choose(logs, k, s.Objective, workloads)
	p := &kernels.Portfolio{K: k, Objective: s.Objective, Single: list[single].c.ID, Cache: s.Cache,
		Provenance: s.Provenance().Key()}
	assigned := portfolio.Assign(logs, chosen, len(workloads))
	for _, i := range chosen {
		p.Kernels = append(p.Kernels, list[i].c.ID)
	}
	duels, err := measurePortfolio(ctx, s, list, single, chosen, say)
	if err != nil {
		return nil, err
	}
	fillPortfolio(p, workloads, base, duels, assigned, slices.Index(chosen, single))
	if _, err := r.PutProvenance(s.Provenance()); err != nil {
		return nil, err
	}
	return p, r.PutPortfolio(*p)
}

// findEntrants are the champion and the fastest of each workload, dueled with it. One that is not clearly
// faster at a shape counts as no faster there: of many candidates some are lucky.
func findEntrants(
	ctx context.Context, s *session.Session, r *record.Record, say func(string, ...any),
) ([]entrant, error) {
	list, err := shortlist(r)
	if err != nil {
		return nil, err
	}
	defer progress.Phase(say, fmt.Sprintf("measuring %s against the champion at every shape",
		report.Quantity(len(list)-1, "candidate")))()
	out := []entrant{}
	for i, c := range list {
		e := entrant{c: c, logs: make([]float64, len(r.Meta().Workloads))}
		if e.job, err = r.Bundle.VariantJob(c.Variant, s.Device(), s.DType); err != nil {
			return nil, err
		}
		if i > 0 {
			d, err := s.Versus(ctx, &out[0].job, &e.job)
			if ctx.Err() != nil {
				return nil, err
			}
			if err != nil {
				say("candidate %s is left out: %v", c.ID.Short(), err)
				continue
			}
			e.take(d)
		}
		out = append(out, e)
	}
	return out, nil
}

// take has what a duel with the champion shows at each workload.
func (e *entrant) take(d kernels.Duel) {
	for w, round := range d.Rounds {
		if e.logs[w] = math.Log(round.Ratio); round.Hi >= 1 {
			e.logs[w] = max(0, e.logs[w])
		}
	}
}

// shortlist is the champion, and the fastest candidates at each workload, each once.
func shortlist(r *record.Record) ([]kernels.Candidate, error) {
	champion, err := r.Pick("")
	if err != nil {
		return nil, err
	}
	var all []kernels.Candidate
	if err := r.Each(func(c kernels.Candidate) error {
		if c.Result.Outcome == kernels.OK && c.ID != champion.ID {
			all = append(all, c)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	out := []kernels.Candidate{champion}
	for _, w := range r.Meta().Workloads {
		slices.SortStableFunc(all, func(x, y kernels.Candidate) int {
			return cmp.Compare(record.Medians(x)[w.Name], record.Medians(y)[w.Name])
		})
		for _, c := range all[:min(shortlisted, len(all))] {
			if !slices.ContainsFunc(out, func(x kernels.Candidate) bool { return x.ID == c.ID }) {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// measurePortfolio duels each chosen kernel with the best single one again: by chosen, nil for itself.
func measurePortfolio(
	ctx context.Context, s *session.Session, list []entrant, single int, chosen []int, say func(string, ...any),
) ([]*kernels.Duel, error) {
	defer progress.Phase(say, fmt.Sprintf("measuring the %s of the choice against the best single one again",
		report.Quantity(len(chosen), "kernel")))()
	out := make([]*kernels.Duel, len(chosen))
	for i, row := range chosen {
		if row == single {
			continue
		}
		d, err := s.Versus(ctx, &list[single].job, &list[row].job)
		if err != nil {
			return nil, fmt.Errorf("kernel %s of the portfolio: %w", list[row].c.ID.Short(), err)
		}
		out[i] = &d
	}
	return out, nil
}

// fillPortfolio fills in what the duels show. own is the best single kernel's place in the portfolio, -1
// where it is not one of it. Where it is, it takes back the shapes at which the other was not faster after all.
func fillPortfolio(
	p *kernels.Portfolio, workloads []kernels.Workload, base map[string]float64, duels []*kernels.Duel,
	assigned []int, own int,
) {
	levels := make([]float64, len(workloads))
	var logs [3][]float64 // of the portfolio's time over base: measured, with the greatest and the least gain
	for w, x := range workloads {
		c := kernels.Choice{Workload: x.Name, Kernel: assigned[w],
			Gain: kernels.Gain{Workload: x.Name, Ratio: 1, Lo: 1, Hi: 1}}
		if d := duels[c.Kernel]; d != nil && own >= 0 && d.Rounds[w].Ratio >= 1 {
			c.Kernel = own
		}
		for _, d := range duels { // whatever it fought, the best single kernel's time is known
			if d != nil {
				c.Time, c.Single = d.Rounds[w].Champion, d.Rounds[w].Champion
			}
		}
		if d := duels[c.Kernel]; d != nil {
			round := d.Rounds[w]
			c.Time, c.Single = round.Challenger, round.Champion
			c.Gain.Ratio, c.Gain.Lo, c.Gain.Hi = 1/round.Ratio, 1/round.Hi, 1/round.Lo
		}
		p.Choices = append(p.Choices, c)
		if c.Single > 0 {
			levels[w] = math.Log(c.Single / base[x.Name])
		}
		for i, gain := range []float64{c.Gain.Ratio, c.Gain.Hi, c.Gain.Lo} {
			logs[i] = append(logs[i], levels[w]-math.Log(gain))
		}
	}
	gain := func(logs []float64) float64 {
		return math.Exp(p.Objective.Combine(levels, workloads) - p.Objective.Combine(logs, workloads))
	}
	p.Gain = kernels.Gain{Ratio: gain(logs[0]), Lo: gain(logs[2]), Hi: gain(logs[1])}
}
