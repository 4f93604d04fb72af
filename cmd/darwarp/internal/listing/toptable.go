package listing

import (
	"slices"
	"strconv"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// shownWorkloads is how many workloads get a column of their own.
const shownWorkloads = 3

// ranking is what the rows of a leaderboard are made from.
type ranking struct {
	run       *record.Record
	champion  kernels.ID
	workloads []kernels.Workload
	pace      kernels.Pace
	fought    map[string]kernels.Duel // with the champion, by short ID
	gpus      map[kernels.ID]string   // nil: there is one
	dueled    bool                    // somebody listed has fought
	several   bool                    // families
}

func newRanking(r *record.Record, best []report.Placed) (x ranking, err error) {
	x.run, x.workloads = r, r.Meta().Workloads
	x.workloads = x.workloads[:min(len(x.workloads), shownWorkloads)]
	x.champion, _ = r.Champion()
	if x.pace, err = r.Pace(); err != nil {
		return x, err
	}
	if x.fought, err = r.Fought(); err != nil {
		return x, err
	}
	x.gpus, err = gpusOf(r, best)
	for _, c := range best {
		_, fought := x.fought[c.ID.Short()]
		x.dueled = x.dueled || fought
		x.several = x.several || c.Variant.Family != best[0].Variant.Family
	}
	return x, err
}

func (to Lister) topTable(r *record.Record, best []report.Placed) error {
	x, err := newRanking(r, best)
	if err != nil {
		return err
	}
	head, align := x.head()
	t := report.NewTable(align, head...)
	for _, c := range best {
		row, err := x.row(c)
		if err != nil {
			return err
		}
		t.Row(row...)
	}
	t.Width = console.Width(to.Out)
	t.Write(to.Out)
	to.topNote(r, x.champion, x.pace, x.dueled)
	return nil
}

// row are the cells of one candidate.
func (x *ranking) row(c report.Placed) ([]any, error) {
	proof, err := x.run.Proof(c.Candidate)
	if err != nil {
		return nil, err
	}
	cells := figures.FigureCells(c.Candidate, report.Paced(x.pace, c.Candidate), proof, x.workloads)
	if x.dueled {
		cells = slices.Insert(cells, 1, any(duelCell(x.fought, c)))
	}
	rs := c.Result.Resources
	row := append(placeCells(c, x.champion), cells...)
	row = append(row, report.Registers(rs), report.Smem(rs), report.Occupancy(rs))
	if x.several {
		row = append(row, report.OrDash(c.Variant.Family))
	}
	if x.gpus != nil {
		row = append(row, report.OrDash(x.gpus[c.ID]))
	}
	return append(row, figures.OriginText(c.Candidate)), nil
}

// topNote says what the table's marks mean.
func (to Lister) topNote(r *record.Record, champion kernels.ID, pace kernels.Pace, dueled bool) {
	if champion.IsZero() {
		return
	}
	to.Sayf("\n* champion%s. Speedup is over the naive start%s. Candidates without a number share the rank above: "+
		"their intervals overlap that of the first with it.%s", r.ChampionNote(", which ", champion), paceNote(pace),
		duelNote(dueled))
}

// duelCell is what a candidate's duel with the champion has shown.
func duelCell(fought map[string]kernels.Duel, c report.Placed) string {
	d, ok := fought[c.ID.Short()]
	if !ok {
		return ""
	}
	return figures.DuelGain(&d)
}

func duelNote(dueled bool) string {
	if !dueled {
		return ""
	}
	return " duel: its speed as a factor of the champion's, both timed in turns; it counts where the speedup, of one " +
		"timing, says otherwise (?: not told apart)."
}

// paceNote says what the speedups of a table stand on.
func paceNote(p kernels.Pace) string {
	switch {
	case p.Estimate:
		return "; ~: an estimate, no final measurement has told it"
	case p.Factor != 1 && p.Factor > 0:
		return "; the champion's is of the final measurement, and others are scaled to it"
	}
	return ""
}

// placeCells are where a candidate stands, the champion with a mark.
func placeCells(c report.Placed, champion kernels.ID) []any {
	mark := ""
	if c.ID == champion {
		mark = "*"
	}
	return []any{mark, c.Shown, c.ID.Short()}
}

// gpusOf are the GPUs on which candidates were timed; nil where it is one.
func gpusOf(r *record.Record, all []report.Placed) (map[kernels.ID]string, error) {
	var proofs []kernels.Provenance
	gpus := map[kernels.ID]string{}
	for _, c := range all {
		proof, err := r.Proof(c.Candidate)
		if err != nil {
			return nil, err
		}
		if proof != nil {
			proofs, gpus[c.ID] = append(proofs, *proof), strconv.Itoa(proof.GPU)
		}
	}
	if figures.GPUsText(proofs) == "" {
		return nil, nil
	}
	return gpus, nil
}

// head names the columns of row.
func (x *ranking) head() (head []string, align string) {
	head, align = []string{"", "#", "id", "speedup"}, "lrlr"
	if x.dueled {
		head, align = append(head, "duel"), align+"l"
	}
	for _, w := range x.workloads {
		name := w.Name
		if x.run.Meta().Device.Kind == "cpu" {
			name += " (CPU)"
		}
		head, align = append(head, name), align+"r"
	}
	head, align = append(head, "regs", "smem", "occ"), align+"rrr"
	if x.several {
		head, align = append(head, "family"), align+"l"
	}
	if x.gpus != nil {
		head, align = append(head, "GPU"), align+"r"
	}
	return append(head, "origin"), align + "l"
}
