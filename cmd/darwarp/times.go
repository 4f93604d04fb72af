package main

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// naiveStart is the baseline that every run has.
const naiveStart = kernels.NaiveStart

// figures are the times of one candidate with what they are compared with.
type figures struct {
	problem   *kernels.Problem
	dtype     kernels.DType
	workloads []kernels.Workload
	times     []kernels.Timing
	proof     *kernels.Provenance
	baselines []kernels.BaselineResult
	duels     []kernels.Duel // with the candidate as challenger, by champion
	waves     []float64      // by workload, 0 unknown
	sanitized []kernels.Sanitized
}

// figures gathers what a run knows about a candidate's times: those of the final measurement when
// there was one, else the search's own. No times without what they stand on.
func (r *record) figures(c kernels.Candidate) (figures, error) {
	m := r.Meta()
	f := figures{problem: r.bundle.Problem, dtype: m.DType, workloads: m.Workloads, times: c.Result.Times}
	f.waves = r.waves(c)
	proof := c.Result.Proof
	all, err := r.Baselines()
	if err != nil {
		return f, err
	}
	for _, b := range latest(all) {
		if b.IsBaseline() {
			f.baselines = append(f.baselines, b)
		} else if b.Name == c.ID.Short() {
			f.times, f.sanitized, proof = b.Times, b.Sanitized, b.Proof
		}
	}
	duels, err := r.Duels()
	if err != nil {
		return f, err
	}
	for _, d := range duels {
		if d.Challenger == c.ID.Short() && d.WithBaseline() {
			f.duels = append(f.duels, d)
		}
	}
	if f.proof, err = r.proofOf(proof); f.proof == nil {
		f.times = nil
	}
	return f, err
}

// waves are a candidate's by workload; nil where it cannot be rendered.
func (r *record) waves(c kernels.Candidate) []float64 {
	j, _, err := r.job(c)
	if err != nil {
		return nil
	}
	return wavesOf(&j, c.Result.Resources, r.Meta().Workloads, r.Meta().Device)
}

// wavesOf are a job's waves by workload: none on a processor, whose cores hold a block each.
func wavesOf(j *kernels.Job, rs []kernels.Resources, workloads []kernels.Workload, dev kernels.Device) []float64 {
	var out []float64
	for _, w := range workloads {
		call, err := j.Resolve(w.Dims)
		if err != nil || dev.Kind == "cpu" {
			return nil
		}
		out = append(out, kernels.Waves(call, rs, dev.SMs))
	}
	return out
}

// shape is what one candidate's time at one workload means.
type shape struct {
	kernels.Timing
	Speedups map[string]float64 `json:"speedups,omitempty"` // by baseline
	Rate     string             `json:"-"`
	Roofline float64            `json:"roofline,omitempty"` // share of the least time that the ceilings allow
	Binds    string             `json:"binds,omitempty"`    // the ceiling: compute, memory or L2
	Waves    float64            `json:"waves,omitempty"`    // blocks over those that the device holds at once
	Scaling  float64            `json:"scaling,omitempty"`  // work a second, over that of the candidate's best shape
}

// shapes are the figures of every workload, in order.
func (f figures) shapes() ([]shape, error) {
	var out []shape
	best := map[string]float64{} // rate of work by cache
	var rates []float64
	compute, err := f.countsFlops()
	if err != nil {
		return nil, err
	}
	for i, w := range f.workloads {
		flops, bytes, err := f.problem.Work(w.Dims, f.dtype)
		if err != nil {
			return nil, err
		}
		for _, x := range f.times {
			if x.Workload != w.Name {
				continue
			}
			s := shape{Timing: x, Speedups: map[string]float64{}}
			if i < len(f.waves) {
				s.Waves = f.waves[i]
			}
			s.rate(report.Ceilings(f.proof), flops, bytes)
			for _, b := range f.baselines {
				if v := f.speedup(b, x); v > 0 {
					s.Speedups[b.Name] = v
				}
			}
			rate := bytes / x.Median
			if compute {
				rate = flops / x.Median
			}
			best[x.Cache] = max(best[x.Cache], rate)
			out, rates = append(out, s), append(rates, rate)
		}
	}
	for i := range out {
		if len(f.workloads) > 1 {
			out[i].Scaling = rates[i] / best[out[i].Cache]
		}
	}
	return out, nil
}

// computeBound is the arithmetic of a byte, in operations, from which on work is told in operations a
// second where no ceiling was measured: the ridge of a GPU without matrix units.
const computeBound = 20

// countsFlops says what the work of the problem's shapes is counted in, one unit for all: operations
// where they are most of the work at some shape, bytes else.
func (f figures) countsFlops() (bool, error) {
	for _, w := range f.workloads {
		flops, bytes, err := f.problem.Work(w.Dims, f.dtype)
		if err != nil {
			return false, err
		}
		if flops > computeBound*bytes {
			return true, nil
		}
	}
	return false, nil
}

// rate fills in the rate that matters, arithmetic or traffic, and its share of the roofline.
func (s *shape) rate(c *kernels.Ceilings, flops, bytes float64) {
	s.Roofline, s.Binds = report.Roofline(c, flops, bytes, s.Median, s.Cache)
	s.Rate = report.Bandwidth(bytes / s.Median * 1e9)
	if s.Binds == "compute" || s.Binds == "" && flops > computeBound*bytes {
		s.Rate = report.Flops(flops / s.Median * 1e9)
	}
}

// speedup is a baseline's time over the candidate's: from the paired duel when there was one, else from
// the two medians; 0 where the baseline has no figure.
func (f figures) speedup(b kernels.BaselineResult, x kernels.Timing) float64 {
	for i := len(f.duels) - 1; i >= 0; i-- {
		if f.duels[i].Champion != b.Name {
			continue
		}
		for _, round := range f.duels[i].Rounds {
			if round.Workload == x.Workload && round.Cache == x.Cache && round.Ratio > 0 {
				return 1 / round.Ratio
			}
		}
	}
	for _, base := range b.Times {
		if base.Workload == x.Workload && base.Cache == x.Cache {
			return base.Median / x.Median
		}
	}
	return 0
}

// shapeHead are the columns that shapeCells fills.
func (f figures) shapeHead() (head []string, align string) {
	head, align = []string{"workload", "cache", "time", "rate", "roofline"}, "llrrr"
	if slices.ContainsFunc(f.waves, func(w float64) bool { return w > 0 }) {
		head, align = append(head, "waves"), align+"r"
	}
	if len(f.workloads) > 1 {
		head, align = append(head, "scaling"), align+"r"
	}
	for _, b := range f.baselines {
		head, align = append(head, "vs "+b.Name), align+"r"
	}
	return head, align
}

func (f figures) shapeCells(s shape) []any {
	roofline := "-"
	if s.Binds != "" {
		roofline = report.Percent(s.Roofline) + " " + s.Binds
	}
	row := []any{s.Workload, s.Cache, report.Interval(s.Median, s.Lo, s.Hi), s.Rate, roofline}
	if slices.ContainsFunc(f.waves, func(w float64) bool { return w > 0 }) {
		row = append(row, report.Waves(s.Waves))
	}
	if len(f.workloads) > 1 {
		row = append(row, fmt.Sprintf("%.0f%%", 100*s.Scaling))
	}
	for _, b := range f.baselines {
		cell := "-"
		if v := s.Speedups[b.Name]; v > 0 {
			cell = report.Ratio(v)
		}
		row = append(row, cell)
	}
	return row
}

// table lists the time of every workload with what it means: rate, share of the roofline, waves, how well
// it scales to the shape, and speedup over each baseline.
func (f figures) table() (*report.Table, error) {
	all, err := f.shapes()
	if err != nil {
		return nil, err
	}
	head, align := f.shapeHead()
	t := report.NewTable(align+"l", append(head, "")...)
	for _, s := range all {
		t.Row(append(f.shapeCells(s), strings.Join(s.Tags, " "))...)
	}
	return t, nil
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
