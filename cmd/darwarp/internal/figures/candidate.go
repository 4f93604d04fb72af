package figures

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// shownSites is how many access sites are worth a look.
const shownSites = 12

// Sites lists the lines that cost most: shared accesses by their bank conflicts, then global ones by
// their sectors.
func Sites(w io.Writer, all []kernels.Site) {
	if len(all) == 0 {
		return
	}
	sites := slices.Clone(all)
	slices.SortStableFunc(sites, func(x, y kernels.Site) int {
		return cmp.Or(cmp.Compare(y.Conflicts, x.Conflicts), cmp.Compare(y.Sectors, x.Sectors))
	})
	fmt.Fprintf(w, "\nmemory accesses, as the cpu device saw them (a warp that reads 128 neighbouring bytes takes 4 "+
		"sectors)\n")
	t := report.NewTable("llrrr", "line", "space", "requests", "bank conflicts per request", "sectors a request")
	t.Indent = "  "
	for _, s := range sites[:min(len(sites), shownSites)] {
		conflicts, sectors := "-", fmt.Sprintf("%.1f", s.Sectors)
		if s.Space == "shared" {
			conflicts, sectors = fmt.Sprintf("%.2f", float64(s.Conflicts)/float64(max(1, s.Accesses))), "-"
		}
		t.Row(fmt.Sprintf("%s:%d", s.File, s.Line), s.Space, report.Count(s.Accesses), conflicts, sectors)
	}
	t.Write(w)
}

// Prepared lists what is done once for the weights, which no time of a call includes.
func Prepared(w io.Writer, all []kernels.Prepared) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "\nweights are packed beforehand, which the times do not include\n")
	t := report.NewTable("lrr", "workload", "packing takes", "bytes kept")
	t.Indent = "  "
	for _, p := range all {
		t.Row(p.Workload, report.Time(p.Nanos), report.Bytes(p.Bytes))
	}
	t.Write(w)
}

// GateText is what the gate saw of a candidate, in a line; empty where it saw nothing.
func GateText(g *kernels.GateReport) string {
	if g == nil {
		return ""
	}
	s := fmt.Sprintf("%s, %s outputs; worst error %s", report.Quantity(g.Checks, "check"),
		report.Count(g.Elements), report.Tolerance(g.Worst))
	if g.Where != "" {
		s += " (" + g.Where + ")"
	}
	if g.Frobenius > 0 {
		s += fmt.Sprintf("; relative Frobenius error %.1e", g.Frobenius)
	}
	return s
}

// CostText is what the verdict on a candidate cost, in a line.
func CostText(c kernels.Cost) string {
	if c.Total() == 0 {
		return ""
	}
	return fmt.Sprintf("compile %.2f s, gate %.2f s, time %.2f s, waited %.2f s", c.Compile, c.Gate, c.Time, c.Wait)
}

// Resources lists what each of a candidate's kernels takes of the device.
func Resources(w io.Writer, rs []kernels.Resources) {
	if len(rs) == 0 {
		return
	}
	fmt.Fprintf(w, "\nresources\n")
	t := report.NewTable("lrrrrrr", "kernel", "registers", "spills", "static smem", "dynamic smem", "blocks/SM",
		"occupancy")
	t.Indent = "  "
	for _, x := range rs {
		t.Row(x.Entry, x.Registers, report.Bytes(x.SpillStores+x.SpillLoads), report.Bytes(x.StaticSmem),
			report.Bytes(x.DynamicSmem),
			x.BlocksPerSM, report.Occupancy([]kernels.Resources{x}))
	}
	t.Write(w)
}

// Provenance lists what figures stand on.
func Provenance(w io.Writer, p kernels.Provenance) {
	noise := ""
	if p.Noise > 0 {
		noise = fmt.Sprintf("%.2f%% between a kernel and itself", 100*p.Noise)
	}
	ceilings := ""
	if c := p.Ceilings; c != nil {
		ceilings = CeilingsText(*c)
	}
	report.Fields(w, "  ",
		[2]string{"device", p.Device.Label() + " " + p.Device.Arch},
		[2]string{"GPU", GPUText(p)},
		[2]string{"driver", p.Device.Driver},
		[2]string{"toolchain", p.Device.Toolchain},
		[2]string{"protocol", p.Protocol},
		[2]string{"started", p.Started.Format("2006-01-02 15:04:05 MST")},
		[2]string{"noise", noise},
		[2]string{"ceilings", ceilings})
}

// CeilingsText lists the ceilings that are known.
func CeilingsText(c kernels.Ceilings) string {
	var parts []string
	for _, x := range []struct {
		rate float64
		text string
	}{{c.Matrix, report.Flops(c.Matrix) + " matrix"}, {c.Bandwidth, report.Bandwidth(c.Bandwidth) + " memory"},
		{c.L2, report.Bandwidth(c.L2) + " L2"}} {
		if x.rate > 0 {
			parts = append(parts, x.text)
		}
	}
	return strings.Join(parts, ", ")
}

// OperatorText is what made a candidate; the naive start goes by that name alone.
func OperatorText(operator string, score float64) string {
	if operator == kernels.NaiveStart && score == 1 {
		return NaiveStart
	}
	return operator
}

// OriginText is where a candidate comes from, in a few words.
func OriginText(c kernels.Candidate) string {
	if OperatorText(c.Origin.Operator, c.Score) == NaiveStart {
		return NaiveStart
	}
	if c.Origin.Note == "" {
		return c.Origin.Operator
	}
	return c.Origin.Operator + ": " + c.Origin.Note
}

// FigureCells are the speedup and times of a candidate, blank when they stand on nothing.
func FigureCells(c kernels.Candidate, speedup string, proof *kernels.Provenance, workloads []kernels.Workload) []any {
	cells := []any{"no proof"}
	if proof != nil {
		cells[0] = speedup
	}
	for _, w := range workloads {
		cell := "-"
		if t := report.Find(c.Result.Times, w.Name); t != nil && proof != nil {
			cell = report.Time(t.Median)
		}
		cells = append(cells, cell)
	}
	return cells
}

// Outcomes counts outcomes in their order; none that did not happen.
func Outcomes(counts map[kernels.Outcome]int) *report.Table {
	total := 0
	for _, n := range counts {
		total += n
	}
	t := report.NewTable("lrr", "outcome", "count", "share")
	for _, o := range kernels.Outcomes() {
		if n := counts[o]; n > 0 {
			t.Row(o, report.Count(n), report.Percent(float64(n)/float64(total)))
		}
	}
	return t
}

// Trial lists the parts of a trial with what each has shown.
func Trial(t kernels.Trial) *report.Table {
	table := report.NewTable("lll", "part", "verdict", "")
	for _, part := range kernels.WholeTrial {
		d := t.Part(part)
		table.Row(d.Part, d.Verdict, report.FirstLine(d.Detail))
	}
	return table
}

// Genes lists a candidate's genes, and the defaults of the family that it does not have: those of the naive start,
// or of a family that the search did not start from.
func Genes(w io.Writer, f *kernels.Family, genes kernels.Genome, whose string) {
	start := f.Defaults()
	fmt.Fprintf(w, "\ngenes\n")
	t := report.Table{Indent: "  "}
	for _, name := range f.GeneNames() {
		v, ok := genes[name]
		if !ok {
			continue
		}
		was := ""
		if d, ok := start[name]; !ok || d != v {
			was = fmt.Sprintf("(%s: %s)", whose, report.OrDash(d.String()))
		}
		t.Row(name, v, was)
	}
	t.Write(w)
}
