package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

type showFlags struct{ source, json bool }

func (a *app) showCmd() *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:     "show RUN [ID]",
		Short:   "One candidate: genes, origin, resources, evidence, times, source",
		Example: "  darwarp show gemm.db\n  darwarp show gemm.db 3fa2 --source",
		Args:    argsBetween(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRecord(args[0], func(r *record) error { return a.show(f, r, arg(args, 1)) })
		},
	}
	c.Flags().BoolVar(&f.source, "source", false, "print the rendered CUDA source only")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON, with the source")
	return c
}

// arg is the i-th argument, or nothing.
func arg(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// shown is what show --json prints.
type shown struct {
	kernels.Candidate
	Source     string              `json:"source"`
	Warning    string              `json:"warning,omitempty"`
	Provenance *kernels.Provenance `json:"provenance,omitempty"`
	Shapes     []shape             `json:"shapes,omitempty"` // of the final measurement when there was one
	Insights   []kernels.Insight   `json:"insights,omitempty"`
	Trial      *kernels.Trial      `json:"trial,omitempty"`
	Standing   string              `json:"standing,omitempty"` // on trial, stood or fell
}

func (a *app) show(f showFlags, r *record, name string) error {
	c, err := r.pick(name)
	if err != nil {
		return err
	}
	j, warning, err := r.job(c)
	if err != nil {
		return err
	}
	proof, err := r.proof(c)
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
		a.Sayf("warning: %s", warning)
	}
	if f.source {
		return report.Source(a.Out, j.Source, console.UseColour(a.Out))
	}
	a.showText(r, c, proof)
	if err := a.showTimes(r, c); err != nil {
		return err
	}
	return a.showInsights(r, c)
}

func (a *app) showJSON(r *record, s shown) error {
	f, err := r.figures(s.Candidate)
	if err != nil {
		return err
	}
	if s.Shapes, err = f.shapes(); err != nil {
		return err
	}
	if s.Insights, err = r.insights(s.ID); err != nil {
		return err
	}
	if t, word := r.standing(s.Candidate); len(t.Parts) > 0 {
		s.Trial, s.Standing = &t, word
	}
	return a.PrintJSON(s)
}

func (a *app) showText(r *record, c kernels.Candidate, proof *kernels.Provenance) {
	var parents []string
	for _, p := range c.Origin.Parents {
		parents = append(parents, p.Short())
	}
	champion, _ := r.Champion()
	outcome := c.Result.Outcome.String()
	if c.ID == champion {
		outcome += ", champion"
		if _, word := r.standing(c); word == string(kernels.OnTrial) {
			outcome += " " + word
		}
	}
	speedup := ""
	if proof != nil && c.Score > 0 {
		speedup = report.Speedup(c.Score) + " over the naive start"
	}
	sanitized := ""
	if f, err := r.figures(c); err == nil {
		sanitized = kernels.SanitizedText(f.sanitized)
	}
	report.Fields(a.Out, "", [2]string{"candidate", c.ID.String()}, [2]string{"outcome", outcome},
		[2]string{"speedup", speedup}, [2]string{"family", r.familyTitle(c)},
		[2]string{"origin", fmt.Sprintf("%s, generation %d, evaluation %d", originText(c), c.Origin.Generation, c.Seq)},
		[2]string{"parents", strings.Join(parents, " ")}, [2]string{"gate", gateText(c.Result.Gate)},
		[2]string{"trial", r.trialText(c)}, [2]string{"sanitizer", sanitized}, [2]string{"cost", costText(c.Result.Cost)})
	if d := c.Result.Detail; d != "" {
		fmt.Fprintf(a.Out, "\ndetail\n  %s\n", strings.ReplaceAll(d, "\n", "\n  "))
	}
	a.showGenes(r, c)
	a.showResources(c.Result.Resources)
	a.showSites(c.Result.Sites)
	if c.Result.Outcome == kernels.OK && len(c.Result.Sites) == 0 {
		a.Sayf("\nMemory accesses were not watched: `darwarp verify %s %s --races` counts bank conflicts and sectors on the processor, `darwarp search --races` for every candidate.", r.Path(), c.ID.Short())
	}
}

// shownSites is how many access sites are worth a look.
const shownSites = 12

// showSites lists the lines that cost most: shared accesses by their bank conflicts, then global ones by
// their sectors.
func (a *app) showSites(all []kernels.Site) {
	if len(all) == 0 {
		return
	}
	sites := slices.Clone(all)
	slices.SortStableFunc(sites, func(x, y kernels.Site) int {
		return cmp.Or(cmp.Compare(y.Conflicts, x.Conflicts), cmp.Compare(y.Sectors, x.Sectors))
	})
	fmt.Fprintf(a.Out, "\nmemory accesses, as the cpu device saw them (a warp that reads 128 neighbouring bytes takes 4 sectors)\n")
	t := report.NewTable("llrrr", "line", "space", "requests", "bank conflicts a request", "sectors a request")
	t.Indent = "  "
	for _, s := range sites[:min(len(sites), shownSites)] {
		conflicts, sectors := "-", fmt.Sprintf("%.1f", s.Sectors)
		if s.Space == "shared" {
			conflicts, sectors = fmt.Sprintf("%.2f", float64(s.Conflicts)/float64(max(1, s.Accesses))), "-"
		}
		t.Row(fmt.Sprintf("%s:%d", s.File, s.Line), s.Space, report.Count(s.Accesses), conflicts, sectors)
	}
	t.Write(a.Out)
}

func gateText(g *kernels.GateReport) string {
	if g == nil {
		return ""
	}
	s := fmt.Sprintf("%s, %s outputs; worst error %.2f of its tolerance", report.Quantity(g.Checks, "check"), report.Count(g.Elements), g.Worst)
	if g.Where != "" {
		s += " (" + g.Where + ")"
	}
	if g.Frobenius > 0 {
		s += fmt.Sprintf("; relative Frobenius error %.1e", g.Frobenius)
	}
	return s
}

func costText(c kernels.Cost) string {
	if c.Total() == 0 {
		return ""
	}
	return fmt.Sprintf("compile %.2f s, gate %.2f s, time %.2f s, waited %.2f s", c.Compile, c.Gate, c.Time, c.Wait)
}

func (a *app) showGenes(r *record, c kernels.Candidate) {
	f, err := r.bundle.Family(c.Variant.Family)
	if err != nil {
		return // a source of its own has no genes
	}
	start, whose := f.Defaults(), "naive start"
	if naive, err := startOf(r.Run); err == nil && naive != nil && naive.Variant.Family != f.Name {
		whose = "default" // of a family that the search did not start from
	}
	fmt.Fprintf(a.Out, "\ngenes\n")
	t := report.Table{Indent: "  "}
	for _, name := range f.GeneNames() {
		v, ok := c.Variant.Genes[name]
		if !ok {
			continue
		}
		was := ""
		if d, ok := start[name]; !ok || d != v {
			was = fmt.Sprintf("(%s: %s)", whose, report.OrDash(d.String()))
		}
		t.Row(name, v, was)
	}
	t.Write(a.Out)
}

func (a *app) showResources(rs []kernels.Resources) {
	if len(rs) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\nresources\n")
	t := report.NewTable("lrrrrrr", "kernel", "registers", "spills", "static smem", "dynamic smem", "blocks/SM", "occupancy")
	t.Indent = "  "
	for _, x := range rs {
		t.Row(x.Entry, x.Registers, report.Bytes(x.SpillStores+x.SpillLoads), report.Bytes(x.StaticSmem), report.Bytes(x.DynamicSmem),
			x.BlocksPerSM, report.Occupancy([]kernels.Resources{x}))
	}
	t.Write(a.Out)
}

func (a *app) showTimes(r *record, c kernels.Candidate) error {
	if len(c.Result.Times) == 0 {
		return nil
	}
	f, err := r.figures(c)
	if err != nil {
		return err
	}
	if f.proof == nil {
		a.Sayf("\nThe run has no provenance for this candidate's times, so they are not shown: `darwarp verify %s %s` measures them.", r.Path(), c.ID.Short())
		return nil
	}
	t, err := f.table()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "\ntimes (medians, 95%% intervals)\n")
	t.Indent = "  "
	t.Write(a.Out)
	fmt.Fprintf(a.Out, "\nmeasured on\n")
	provenanceFields(a, *f.proof)
	return nil
}

func provenanceFields(a *app, p kernels.Provenance) {
	noise := ""
	if p.Noise > 0 {
		noise = fmt.Sprintf("%.2f%% between a kernel and itself", 100*p.Noise)
	}
	ceilings := ""
	if c := p.Ceilings; c != nil {
		ceilings = fmt.Sprintf("%s matrix, %s memory, %s L2", report.Flops(c.Matrix), report.Bandwidth(c.Bandwidth), report.Bandwidth(c.L2))
	}
	report.Fields(a.Out, "  ", [2]string{"device", p.Device.Label() + " " + p.Device.Arch}, [2]string{"driver", p.Device.Driver},
		[2]string{"toolchain", p.Device.Toolchain}, [2]string{"protocol", p.Protocol}, [2]string{"started", p.Started.Format("2006-01-02 15:04:05 MST")},
		[2]string{"noise", noise}, [2]string{"ceilings", ceilings})
}
