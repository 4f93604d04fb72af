package htmlreport

import (
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"fmt"
	"slices"
)

// gatherShapes are the champion's times of each workload beside the baselines'.
func gatherShapes(f figures.Figures) ([]Shape, error) {
	all, err := f.Shapes()
	if err != nil {
		return nil, err
	}
	var out []Shape
	for _, x := range all {
		w := workload(f, x.Workload)
		s := Shape{Workload: w.Name, Dims: w.Dims.String(), Cache: x.Cache, Bound: x.Binds,
			Waves: report.Waves(x.Waves), Bars: []Bar{barOf("champion", "champion", x)}, Versus: []string{""}}
		if x.Scaling > 0 {
			s.Scaling = fmt.Sprintf("%.0f%%", 100*x.Scaling)
		}
		for _, b := range f.Baselines {
			i := slices.IndexFunc(b.Times, func(t kernels.Timing) bool {
				return t.Workload == w.Name && t.Cache == x.Cache && t.Median > 0
			})
			if i < 0 {
				continue
			}
			bar, err := barAt(f, shownName(b.Name), kindOfBaseline(b.Name), b.Times[i])
			if err != nil {
				return nil, err
			}
			s.Bars, s.Versus = append(s.Bars, bar), append(s.Versus, report.Ratio(f.Speedup(b, x.Timing)))
		}
		out = append(out, s)
	}
	return out, nil
}

// addPortfolio puts the portfolio's kernel of each workload beside the champion.
func addPortfolio(f figures.Figures, shapes []Shape, p kernels.Portfolio) error {
	for i := range shapes {
		s := &shapes[i]
		at := slices.IndexFunc(p.Choices, func(c kernels.Choice) bool {
			return c.Workload == s.Workload && s.Cache == p.Cache && c.Time > 0
		})
		if at < 0 {
			continue
		}
		c := p.Choices[at]
		bar, err := barAt(f, "portfolio", "portfolio", kernels.Timing{Workload: c.Workload, Cache: p.Cache, Median: c.Time})
		if err != nil {
			return err
		}
		s.Bars, s.Versus = append(s.Bars, bar), append(s.Versus, report.Ratio(c.Time/s.Bars[0].NS))
	}
	return nil
}

func workload(f figures.Figures, name string) kernels.Workload {
	return f.Workloads[slices.IndexFunc(f.Workloads, func(w kernels.Workload) bool { return w.Name == name })]
}

// shownName is a baseline's name for people.
func shownName(name string) string {
	if name == kernels.NaiveStart {
		return NaiveStart
	}
	return name
}

// kindOfBaseline is the meaning that a baseline's colour has.
func kindOfBaseline(name string) string {
	if name == kernels.NaiveStart {
		return "naive"
	}
	return "baseline"
}

// barAt is what a time means at its workload.
func barAt(f figures.Figures, name, kind string, t kernels.Timing) (Bar, error) {
	s, err := f.At(t, workload(f, t.Workload).Dims)
	return barOf(name, kind, s), err
}

func barOf(name, kind string, s figures.Shape) Bar {
	return Bar{Name: name, Kind: kind, NS: s.Median, Time: report.Time(s.Median), Rate: s.Rate, Roofline: s.Roofline}
}
