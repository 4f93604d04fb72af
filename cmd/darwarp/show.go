package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

type showFlags struct{ source, json bool }

func (a *app) showCmd() *cobra.Command {
	var f showFlags
	c := command("show", func(_ *cobra.Command, args []string) error {
		return record.With(a.Sayf, args[0], func(r *record.Record) error { return a.show(f, r, arg(args, 1)) })
	})
	c.Flags().BoolVar(&f.source, "source", false, "print the rendered CUDA source only")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON, with the source")
	return c
}

// shown is what show --json prints.
type shown struct {
	kernels.Candidate
	Source     string              `json:"source"`
	Warning    string              `json:"warning,omitempty"`
	Provenance *kernels.Provenance `json:"provenance,omitempty"`
	Shapes     []figures.Shape     `json:"shapes,omitempty"` // of the final measurement when there was one
	Insights   []kernels.Insight   `json:"insights,omitempty"`
	Trial      *kernels.Trial      `json:"trial,omitempty"`
	Standing   string              `json:"standing,omitempty"` // on trial, stood or fell
}

func (a *app) show(f showFlags, r *record.Record, name string) error {
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
	if f.json {
		if proof == nil {
			c.Result.Times = nil
		}
		return a.showJSON(r, shown{Candidate: c, Source: j.Source, Warning: warning, Provenance: proof})
	}
	if warning != "" {
		a.Sayf("warning: %s", console.Lines(warning))
	}
	if f.source {
		return a.PrintSource(j.Source)
	}
	a.showText(r, c, proof)
	if err := a.showTimes(r, c); err != nil {
		return err
	}
	return a.showInsights(r, c)
}

func (a *app) showJSON(r *record.Record, s shown) error {
	f, err := r.Figures(s.Candidate)
	if err != nil {
		return err
	}
	if s.Shapes, err = f.Shapes(); err != nil {
		return err
	}
	if s.Insights, err = r.InsightsOf(s.ID); err != nil {
		return err
	}
	if t, word := r.Standing(s.Candidate); len(t.Parts) > 0 {
		s.Trial, s.Standing = &t, word
	}
	return a.PrintJSON(s)
}

func (a *app) showText(r *record.Record, c kernels.Candidate, proof *kernels.Provenance) {
	var parents []string
	for _, p := range c.Origin.Parents {
		parents = append(parents, p.Short())
	}
	champion, _ := r.Champion()
	outcome := c.Result.Outcome.String()
	if c.ID == champion {
		outcome += ", champion"
		if _, word := r.Standing(c); word == string(kernels.OnTrial) {
			outcome += " " + word
		}
	}
	speedup := ""
	if proof != nil && c.Score > 0 {
		speedup = report.Speedup(c.Score) + " over the naive start"
	}
	sanitized := ""
	if f, err := r.Figures(c); err == nil {
		sanitized = kernels.SanitizedText(f.Sanitized)
	}
	report.Fields(a.Out, "",
		[2]string{"candidate", c.ID.String()},
		[2]string{"outcome", outcome},
		[2]string{"speedup", speedup},
		[2]string{"family", r.FamilyTitle(c)},
		[2]string{"origin", fmt.Sprintf("%s, generation %d, evaluation %d", figures.OriginText(c), c.Origin.Generation,
			c.Seq)},
		[2]string{"parents", strings.Join(parents, " ")},
		[2]string{"gate", figures.GateText(c.Result.Gate)},
		[2]string{"trial", r.TrialText(c)},
		[2]string{"sanitizer", sanitized},
		[2]string{"cost", figures.CostText(c.Result.Cost)})
	if d := c.Result.Detail; d != "" {
		a.Printf("\ndetail\n  %s\n", console.Lines(d))
	}
	a.showGenes(r, c)
	figures.Resources(a.Out, c.Result.Resources)
	figures.Sites(a.Out, c.Result.Sites)
	if c.Result.Outcome == kernels.OK && len(c.Result.Sites) == 0 {
		a.Sayf("\nMemory accesses were not watched: `darwarp verify %s %s --races` counts bank conflicts and sectors on "+
			"the processor, `darwarp search --races` for every candidate.", r.Path(), c.ID.Short())
	}
}

func (a *app) showTimes(r *record.Record, c kernels.Candidate) error {
	if len(c.Result.Times) == 0 {
		return nil
	}
	f, err := r.Figures(c)
	if err != nil {
		return err
	}
	if f.Proof == nil {
		a.Sayf("\nThe run has no provenance for this candidate's times, so they are not shown: `darwarp verify %s %s` "+
			"measures them.", r.Path(), c.ID.Short())
		return nil
	}
	t, err := f.Table()
	if err != nil {
		return err
	}
	a.Printf("\ntimes (medians, 95%% intervals)\n")
	t.Indent = "  "
	t.Write(a.Out)
	a.Printf("\nmeasured on\n")
	figures.Provenance(a.Out, *f.Proof)
	return nil
}

// showGenes lists a candidate's genes; a source of its own has none.
func (a *app) showGenes(r *record.Record, c kernels.Candidate) {
	f, err := r.Bundle.Family(c.Variant.Family)
	if err != nil {
		return
	}
	whose := "naive start"
	if naive, err := record.Start(r.Run); err == nil && naive != nil && naive.Variant.Family != f.Name {
		whose = "default"
	}
	figures.Genes(a.Out, f, c.Variant.Genes, whose)
}

// showTrial lists what a champion stood, where it can be doubted.
func (a *app) showTrial(r *record.Record, c kernels.Candidate) {
	t, word := r.Standing(c)
	if word == "" {
		return
	}
	a.Printf("\ntrial\n")
	table := figures.Trial(t)
	table.Indent, table.Width = "  ", console.Width(a.Out)
	table.Write(a.Out)
}

// showInsights lists what explain found out about a candidate.
func (a *app) showInsights(r *record.Record, c kernels.Candidate) error {
	all, err := r.InsightsOf(c.ID)
	if err != nil || len(all) == 0 {
		return err
	}
	a.Printf("\nwhat each choice gains (darwarp explain; time without it over time with it)\n")
	t := figures.Insights(r.Meta().Objective, r.Meta().Workloads, all)
	t.Indent, t.Width = "  ", console.Width(a.Out)
	t.Write(a.Out)
	return nil
}
