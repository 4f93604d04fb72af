package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/perf/benchmath"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/mutate/llm"
)

// Models says which language models are compared with none, and over how many searches.
type Models struct {
	session.Target
	LLM   models.Options
	Evals int
	Runs  int
	Seed  uint64
	JSON  bool
}

// llmArm is one kind of search with what it found.
type llmArm struct {
	Name     string    `json:"name"`
	Speedups []float64 `json:"speedups"` // of the champions over the naive start, by seed
	Evals    []int     `json:"evals"`
	Median   float64   `json:"median"`
	P        float64   `json:"p,omitempty"` // that its difference to the first arm is chance
	llm.Spending
}

// kinds of searches that are compared; the first is what the others are compared with.
var llmKinds = []struct {
	name, strategy string
	models         bool
}{
	{"without models", evolve.DefaultStrategy, false},
	{"with models", evolve.DefaultStrategy, true},
	{"best of N", evolve.BestOfN, true},
}

// Run searches with and without language models and prints what that gains.
func (f Models) Run(ctx context.Context, con *console.Console) error {
	var arms []llmArm
	for _, k := range llmKinds {
		arm := llmArm{Name: k.name}
		for i := range f.Runs {
			sum, spent, err := oneLLM(ctx, con, f, k.strategy, k.models, f.Seed+uint64(i))
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			arm.Speedups, arm.Evals = append(arm.Speedups, sum.Speedup), append(arm.Evals, sum.Evals)
			arm.Add(spent)
		}
		arms = append(arms, arm)
	}
	compareLLM(arms)
	if f.JSON {
		return con.PrintJSON(arms)
	}
	llmTable(con, f, arms)
	return nil
}

// oneLLM runs one search on a device of its own: what was compiled for another is not known to it.
func oneLLM(
	ctx context.Context, con *console.Console, f Models, strategy string, ask bool, seed uint64,
) (sum evolve.Summary, spent llm.Spending, err error) {
	f.Target.Foreign = ask
	s, err := session.Open(ctx, f.Target, con.Quiet().Sayf)
	if err != nil {
		return sum, spent, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	cfg := evolve.Config{
		Bundle: s.Bundle, DType: s.DType, Workloads: s.Workloads, Objective: s.Objective, Spaces: s.Spaces,
		Strategy: strategy, Seed: seed,
		Budget: evolve.Budget{Evals: f.Evals}, GenesOnly: s.Device().Kind == "replay",
	}
	if ask {
		flags := f.LLM
		if strategy == evolve.BestOfN {
			flags.Config = "free"
		}
		adv, err := models.Open(&flags, s, nil, nil, con.Quiet().Sayf)
		if err != nil {
			return sum, spent, err
		}
		defer adv.Close()
		defer func() { spent = adv.Account.Spent() }()
		cfg.Advisor = adv.Advisor
	}
	search, err := evolve.New(cfg, s.Evaluator, nil)
	if err != nil {
		return sum, spent, err
	}
	sum, err = search.Run(ctx, nil)
	return sum, spent, err
}

func compareLLM(arms []llmArm) {
	samples := make([]*benchmath.Sample, len(arms))
	for i := range arms {
		samples[i] = benchmath.NewSample(slices.Clone(arms[i].Speedups), &benchmath.DefaultThresholds)
		arms[i].Median = benchmath.AssumeNothing.Summary(samples[i], 0.95).Center
		if i > 0 {
			arms[i].P = benchmath.AssumeNothing.Compare(samples[0], samples[i]).P
		}
	}
}

func llmTable(con *console.Console, f Models, arms []llmArm) {
	t := report.NewTable("lrrrrrrr", "search", "median", "least", "most", "evals", "questions", "USD", "p")
	for i, x := range arms {
		p, asked, cost := "", "", ""
		if i > 0 {
			p, asked, cost = fmt.Sprintf("%.3f", x.P), report.Count(x.Calls), models.USD(x.Spending)
		}
		t.Row(x.Name, fmt.Sprintf("%.3fx", x.Median), fmt.Sprintf("%.3fx", slices.Min(x.Speedups)),
			fmt.Sprintf("%.3fx", slices.Max(x.Speedups)),
			slices.Max(x.Evals), asked, cost, p)
	}
	t.Write(con.Out)
	con.Sayf("\n%s", llmVerdict(f.Runs, arms))
}

// surely is the p below which a difference is told as one.
const surely = 0.05

// llmVerdict says in a sentence what the figures allow to say.
func llmVerdict(runs int, arms []llmArm) string {
	plain, with := arms[0], arms[1]
	switch {
	case with.P >= surely && runs < 4:
		return fmt.Sprintf("With %d searches of each kind a difference cannot be distinguished from chance: use more --runs.",
			runs)
	case with.P >= surely:
		return fmt.Sprintf("There is no significant difference between searches with and without models (p = %.2f).", with.P)
	case cmp.Compare(with.Median, plain.Median) > 0:
		return fmt.Sprintf("With models the median is %.3fx that without (p = %.3f), for %s USD.",
			with.Median/plain.Median, with.P, models.USD(with.Spending))
	}
	return fmt.Sprintf("With models the median is %.3fx that without (p = %.3f).", with.Median/plain.Median, with.P)
}
