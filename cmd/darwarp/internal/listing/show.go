package listing

import (
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// shown is what show --json prints.
type shown struct {
	kernels.Candidate
	Source     string              `json:"source"`
	Warning    string              `json:"warning,omitempty"`
	Provenance *kernels.Provenance `json:"provenance,omitempty"`
	Shapes     []figures.Shape     `json:"shapes,omitempty"` // of the final measurement when there was one
	Insights   []kernels.Insight   `json:"insights,omitempty"`
	Duels      []kernels.Duel      `json:"duels,omitempty"` // with champions, as the challenger
	Trial      *kernels.Trial      `json:"trial,omitempty"`
	Standing   string              `json:"standing,omitempty"` // on trial, stood or fell
	Speedup    float64             `json:"speedup,omitempty"`  // over the naive start
	Estimate   bool                `json:"estimate,omitempty"` // Speedup is not of a final measurement
}

// ShowOptions say how a candidate is shown.
type ShowOptions struct {
	Source bool // its rendered source only
	JSON   bool
}

// Show tells of one candidate.
func (to Lister) Show(f ShowOptions, r *record.Record, name string) error {
	c, err := r.Pick(name)
	if err != nil {
		return err
	}
	j, warning, err := r.Job(c)
	if err != nil {
		return err
	}
	proof, err := r.Proof(c)
	if err != nil {
		return err
	}
	if f.JSON {
		if proof == nil {
			c.Result.Times = nil
		}
		return to.showJSON(r, shown{Candidate: c, Source: j.Source, Warning: warning, Provenance: proof})
	}
	if warning != "" {
		to.Sayf("warning: %s", console.Lines(warning))
	}
	if f.Source {
		return to.PrintSource(j.Source)
	}
	if err := to.showText(r, c, proof); err != nil {
		return err
	}
	if err := to.showTimes(r, c); err != nil {
		return err
	}
	return to.showInsights(r, c)
}

func (to Lister) showJSON(r *record.Record, s shown) error {
	f, err := r.Figures(s.Candidate)
	if err != nil {
		return err
	}
	pace, err := r.Pace()
	if err != nil {
		return err
	}
	if s.Provenance != nil {
		s.Speedup, s.Estimate = pace.Speedup(s.Score), pace.Guesses(s.ID, s.Score)
	}
	if s.Shapes, err = f.Shapes(); err != nil {
		return err
	}
	if s.Insights, err = r.InsightsOf(s.ID); err != nil {
		return err
	}
	if s.Duels, err = r.Challenges(s.Candidate); err != nil {
		return err
	}
	if t, word := r.Standing(s.Candidate); len(t.Parts) > 0 {
		s.Trial, s.Standing = &t, word
	}
	return to.PrintJSON(s)
}

func (to Lister) showText(r *record.Record, c kernels.Candidate, proof *kernels.Provenance) error {
	duels, err := r.ChallengeText(c)
	if err != nil {
		return err
	}
	var parents []string
	for _, p := range c.Origin.Parents {
		parents = append(parents, p.Short())
	}
	speedup := ""
	if pace, err := r.Pace(); err == nil && proof != nil && c.Score > 0 {
		speedup = report.Paced(pace, c) + " over the naive start"
	}
	sanitized := ""
	if f, err := r.Figures(c); err == nil {
		sanitized = kernels.SanitizedText(f.Sanitized)
	}
	report.Fields(to.Out, "",
		[2]string{"candidate", c.ID.String()},
		[2]string{"outcome", outcomeText(r, c)},
		[2]string{"speedup", speedup},
		[2]string{"family", r.FamilyTitle(c)},
		[2]string{"origin", fmt.Sprintf("%s, generation %d, evaluation %d", figures.OriginText(c), c.Origin.Generation,
			c.Seq)},
		[2]string{"parents", strings.Join(parents, " ")},
		[2]string{"gate", figures.GateText(c.Result.Gate)},
		[2]string{"duels", duels},
		[2]string{"trial", r.TrialText(c)},
		[2]string{"sanitizer", sanitized},
		[2]string{"cost", figures.CostText(c.Result.Cost)})
	to.showDetail(r, c)
	to.showGenes(r, c)
	figures.Prepared(to.Out, c.Result.Prepared)
	figures.Resources(to.Out, c.Result.Resources)
	figures.Sites(to.Out, c.Result.Sites)
	if c.Result.Outcome == kernels.OK && len(c.Result.Sites) == 0 {
		to.Sayf("\nMemory accesses were not watched: `%s` counts bank conflicts and sectors on "+
			"the processor, `darwarp search --races` for every candidate.",
			cmdline.Of("verify", r.Path(), c.ID.Short(), "--races"))
	}
	return nil
}

// outcomeText is a candidate's outcome, with whether it is champion.
func outcomeText(r *record.Record, c kernels.Candidate) string {
	outcome := figures.OutcomeText(c.Result)
	if champion, _ := r.Champion(); c.ID == champion {
		outcome += ", champion"
		if _, word := r.Standing(c); word == string(kernels.OnTrial) {
			outcome += " " + word
		}
	}
	return outcome
}

// showDetail says why a candidate failed, and how to find out more.
func (to Lister) showDetail(r *record.Record, c kernels.Candidate) {
	if d := c.Result.Detail; d != "" {
		to.Printf("\ndetail\n  %s\n", console.Lines(d))
	}
	if figures.Explained(c.Result.Outcome) && r.Meta().Device.Kind != "replay" {
		to.SayWatch(r.Path(), c.ID)
	}
}

func (to Lister) showTimes(r *record.Record, c kernels.Candidate) error {
	if len(c.Result.Times) == 0 {
		return nil
	}
	f, err := r.Figures(c)
	if err != nil {
		return err
	}
	if f.Proof == nil {
		to.Sayf("\nThe run has no provenance for this candidate's times, so they are not shown: `%s` "+
			"measures them.", cmdline.Of("verify", r.Path(), c.ID.Short()))
		return nil
	}
	t, err := f.Table()
	if err != nil {
		return err
	}
	to.Printf("\ntimes (medians, 95%% intervals)\n")
	t.Indent = "  "
	t.Write(to.Out)
	to.Printf("\nmeasured on\n")
	figures.Provenance(to.Out, *f.Proof)
	report.Fields(to.Out, "  ", [2]string{"scaled", figures.ScaleText(*f.Proof, f.Times)})
	return nil
}

// showGenes lists a candidate's genes; a source of its own has none.
func (to Lister) showGenes(r *record.Record, c kernels.Candidate) {
	f, err := r.Bundle.Family(c.Variant.Family)
	if err != nil {
		return
	}
	whose := "naive start"
	if naive, err := r.Start(); err == nil && naive != nil && naive.Variant.Family != f.Name {
		whose = "default"
	}
	figures.Genes(to.Out, f, c.Variant.Genes, whose)
}

// showTrial lists what a champion stood, where it can be doubted.
func (to Lister) showTrial(r *record.Record, c kernels.Candidate) {
	t, word := r.Standing(c)
	if word == "" {
		return
	}
	to.Printf("\ntrial\n")
	table := figures.Trial(t)
	table.Indent, table.Width = "  ", console.Width(to.Out)
	table.Write(to.Out)
}

// showInsights lists what explain found out about a candidate.
func (to Lister) showInsights(r *record.Record, c kernels.Candidate) error {
	all, err := r.InsightsOf(c.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	to.Printf("\nwhat each choice gains (darwarp explain; time without it over time with it)\n")
	t := figures.Insights(r.Meta().Objective, r.Meta().Workloads, all)
	t.Indent, t.Width = "  ", console.Width(to.Out)
	t.Write(to.Out)
	return nil
}
