// Package figures is what the numbers of a candidate mean, and the tables that people read them in.
package figures

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Figures are the times of one candidate with what they are compared with.
type Figures struct {
	Problem   *kernels.Problem
	DType     kernels.DType
	Workloads []kernels.Workload
	Times     []kernels.Timing
	Proof     *kernels.Provenance
	Baselines []kernels.BaselineResult
	Duels     []kernels.Duel // with the candidate as challenger, by champion
	Waves     []float64      // by workload, 0 unknown
	Sanitized []kernels.Sanitized
}

// Waves are a job's waves by workload: none on a processor, whose cores hold a block each.
func Waves(j *kernels.Job, rs []kernels.Resources, workloads []kernels.Workload, dev kernels.Device) []float64 {
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

// Shape is what one candidate's time at one workload means.
type Shape struct {
	kernels.Timing
	Speedups map[string]float64 `json:"speedups,omitempty"` // by baseline
	Rate     string             `json:"-"`
	Roofline float64            `json:"roofline,omitempty"` // share of the least time that the ceilings allow
	Binds    string             `json:"binds,omitempty"`    // the ceiling: compute, memory or L2
	Waves    float64            `json:"waves,omitempty"`    // blocks over those that the device holds at once
	Scaling  float64            `json:"scaling,omitempty"`  // work a second, over that of the candidate's best shape
}

// Shapes are the figures of every workload, in order.
func (f Figures) Shapes() ([]Shape, error) {
	var out []Shape
	compute, err := f.countsFlops()
	if err != nil {
		return nil, err
	}
	for i, w := range f.Workloads {
		flops, bytes, err := f.Problem.Work(w.Dims, f.DType)
		if err != nil {
			return nil, err
		}
		for _, x := range f.Times {
			if x.Workload != w.Name {
				continue
			}
			s := Shape{Timing: x, Speedups: f.speedups(x), Scaling: bytes / x.Median}
			if i < len(f.Waves) {
				s.Waves = f.Waves[i]
			}
			if compute {
				s.Scaling = flops / x.Median
			}
			s.fillRate(report.Ceilings(f.Proof), flops, bytes)
			out = append(out, s)
		}
	}
	scale(out, len(f.Workloads) > 1)
	return out, nil
}

// scale turns rates of work into shares of the best one with the same state of the cache; a single workload has none.
func scale(shapes []Shape, several bool) {
	best := map[string]float64{}
	for _, s := range shapes {
		best[s.Cache] = max(best[s.Cache], s.Scaling)
	}
	for i := range shapes {
		s := &shapes[i]
		if s.Scaling /= best[s.Cache]; !several {
			s.Scaling = 0
		}
	}
}

// speedups are the candidate's at one workload, by the baselines that have a time there.
func (f Figures) speedups(x kernels.Timing) map[string]float64 {
	out := map[string]float64{}
	for _, b := range f.Baselines {
		if v := f.Speedup(b, x); v > 0 {
			out[b.Name] = v
		}
	}
	return out
}

// computeBound is the arithmetic of a byte, in operations, from which on work is told in operations a
// second where no ceiling was measured: the ridge of a GPU without matrix units.
const computeBound = 20

// countsFlops says what the work of the problem's shapes is counted in, one unit for all: operations
// where they are most of the work at some shape, bytes else.
func (f Figures) countsFlops() (bool, error) {
	for _, w := range f.Workloads {
		flops, bytes, err := f.Problem.Work(w.Dims, f.DType)
		if err != nil {
			return false, err
		}
		if flops > computeBound*bytes {
			return true, nil
		}
	}
	return false, nil
}

// At is what a time means at a workload of such dims, waves, scaling and speedups aside.
func (f Figures) At(t kernels.Timing, d kernels.Dims) (Shape, error) {
	flops, bytes, err := f.Problem.Work(d, f.DType)
	s := Shape{Timing: t}
	s.fillRate(report.Ceilings(f.Proof), flops, bytes)
	return s, err
}

// fillRate fills in the rate that matters, arithmetic or traffic, and its share of the roofline.
func (s *Shape) fillRate(c *kernels.Ceilings, flops, bytes float64) {
	s.Roofline, s.Binds = report.Roofline(c, flops, bytes, s.Median, s.Cache)
	s.Rate = report.Bandwidth(bytes / s.Median * 1e9)
	if s.Binds == "compute" || s.Binds == "" && flops > computeBound*bytes {
		s.Rate = report.Flops(flops / s.Median * 1e9)
	}
}

// Speedup is a baseline's time over the candidate's: from the paired duel when there was one, else from
// the two medians; 0 where the baseline has no figure.
func (f Figures) Speedup(b kernels.BaselineResult, x kernels.Timing) float64 {
	for i := len(f.Duels) - 1; i >= 0; i-- {
		if f.Duels[i].Champion != b.Name {
			continue
		}
		for _, round := range f.Duels[i].Rounds {
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

// ShapeHead are the columns that ShapeCells fills.
func (f Figures) ShapeHead() (head []string, align string) {
	head, align = []string{"workload", "cache", "time", "rate", "roofline"}, "llrrr"
	if slices.ContainsFunc(f.Waves, func(w float64) bool { return w > 0 }) {
		head, align = append(head, "waves"), align+"r"
	}
	if len(f.Workloads) > 1 {
		head, align = append(head, "scaling"), align+"r"
	}
	for _, b := range f.Baselines {
		head, align = append(head, "vs "+BaselineText(b.Name)), align+"r"
	}
	return head, align
}

// NaiveStart is what people call the default of the first family, as a candidate and as a baseline.
const NaiveStart = "naive start"

// BaselineText is a baseline's name for people.
func BaselineText(name string) string {
	if name == kernels.NaiveStart {
		return NaiveStart
	}
	return name
}

// ShapeCells is the row of a shape under ShapeHead.
func (f Figures) ShapeCells(s Shape) []any {
	roofline := "-"
	if s.Binds != "" {
		roofline = report.Percent(s.Roofline) + " " + s.Binds
	}
	row := []any{s.Workload, s.Cache, report.Interval(s.Median, s.Lo, s.Hi), s.Rate, roofline}
	if slices.ContainsFunc(f.Waves, func(w float64) bool { return w > 0 }) {
		row = append(row, report.Waves(s.Waves))
	}
	if len(f.Workloads) > 1 {
		row = append(row, fmt.Sprintf("%.0f%%", 100*s.Scaling))
	}
	for _, b := range f.Baselines {
		cell := "-"
		if v := s.Speedups[b.Name]; v > 0 {
			cell = report.Ratio(v)
		}
		row = append(row, cell)
	}
	return row
}

// Table lists the time of every workload with what it means: rate, share of the roofline, waves, how well
// it scales to the shape, and speedup over each baseline.
func (f Figures) Table() (*report.Table, error) {
	all, err := f.Shapes()
	if err != nil {
		return nil, err
	}
	head, align := f.ShapeHead()
	t := report.NewTable(align+"l", append(head, "")...)
	for _, s := range all {
		t.Row(append(f.ShapeCells(s), strings.Join(s.Tags, " "))...)
	}
	return t, nil
}
