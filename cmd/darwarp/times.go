package main

import (
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// naiveStart is the baseline that every run has.
const naiveStart = "default"

// figures are the times of one candidate with what they are compared with.
type figures struct {
	problem   *kernels.Problem
	dtype     kernels.DType
	workloads []kernels.Workload
	times     []kernels.Timing
	proof     *kernels.Provenance
	baselines []kernels.BaselineResult
	duels     []kernels.Duel // with the candidate as challenger, by champion
}

// figures gathers what a run knows about a candidate's times: those of the final measurement when
// there was one, else the search's own. No times without what they stand on.
func (r *record) figures(c kernels.Candidate) (figures, error) {
	m := r.Meta()
	f := figures{problem: r.bundle.Problem, dtype: m.DType, workloads: m.Workloads, times: c.Result.Times}
	proof := c.Result.Proof
	all, err := r.Baselines()
	if err != nil {
		return f, err
	}
	for _, b := range latest(all) {
		if b.Name == c.ID.Short() {
			f.times, proof = b.Times, b.Proof
		} else if !isID(b.Name) {
			f.baselines = append(f.baselines, b)
		}
	}
	duels, err := r.Duels()
	if err != nil {
		return f, err
	}
	for _, d := range duels {
		if d.Challenger == c.ID.Short() && !isID(d.Champion) {
			f.duels = append(f.duels, d)
		}
	}
	if f.proof, err = r.proofOf(proof); f.proof == nil {
		f.times = nil
	}
	return f, err
}

// isID tells a candidate's short ID from a baseline's name.
func isID(s string) bool { return len(s) == 10 && strings.Trim(s, "0123456789abcdef") == "" }

// table lists the time of every workload with what it means: rate, share of the roofline, and speedup
// over each baseline.
func (f figures) table() (*report.Table, error) {
	head := []string{"workload", "cache", "time", "rate", "roofline"}
	align := "llrrr"
	for _, b := range f.baselines {
		head, align = append(head, "vs "+b.Name), align+"r"
	}
	t := report.NewTable(align+"l", append(head, "")...)
	for _, w := range f.workloads {
		flops, bytes, err := f.problem.Work(w.Dims, f.dtype)
		if err != nil {
			return nil, err
		}
		for _, x := range f.times {
			if x.Workload != w.Name {
				continue
			}
			row := append([]any{w.Name, x.Cache, report.Interval(x.Median, x.Lo, x.Hi)}, f.rateCells(flops, bytes, x)...)
			for _, b := range f.baselines {
				row = append(row, f.speedupCell(b, x))
			}
			t.Row(append(row, strings.Join(x.Tags, " "))...)
		}
	}
	return t, nil
}

// computeBound is the arithmetic of a byte, in operations, from which on work is told in operations a
// second where no ceiling was measured: the ridge of a GPU without matrix units.
const computeBound = 20

// rateCells are the rate that matters, arithmetic or traffic, and its share of the roofline.
func (f figures) rateCells(flops, bytes float64, x kernels.Timing) []any {
	share, binds := report.Roofline(f.proof.Ceilings, flops, bytes, x.Median, x.Cache)
	rate, roofline := report.Bandwidth(bytes/x.Median*1e9), "-"
	if binds == "compute" || binds == "" && flops > computeBound*bytes {
		rate = report.Flops(flops / x.Median * 1e9)
	}
	if binds != "" {
		roofline = report.Percent(share) + " " + binds
	}
	return []any{rate, roofline}
}

// speedupCell is a baseline's time over the candidate's: from the paired duel when there was one,
// else from the two medians.
func (f figures) speedupCell(b kernels.BaselineResult, x kernels.Timing) string {
	for i := len(f.duels) - 1; i >= 0; i-- {
		if f.duels[i].Champion != b.Name {
			continue
		}
		for _, round := range f.duels[i].Rounds {
			if round.Workload == x.Workload && round.Cache == x.Cache && round.Ratio > 0 {
				return report.Ratio(1 / round.Ratio)
			}
		}
	}
	for _, base := range b.Times {
		if base.Workload == x.Workload && base.Cache == x.Cache {
			return report.Ratio(base.Median / x.Median)
		}
	}
	return "-"
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
