package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/htmlreport"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

type reportFlags struct{ out, workload string }

func (a *app) reportCmd() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report RUN -o FILE.html",
		Short: "A run as one HTML page: charts, tables, provenance; T4 results beside it",
		Long: "report writes one self-contained HTML file that loads nothing from the network, and beside it, as FILE.json,\n" +
			"the results in the T4 format of the auto-tuning community. T4 has one time a configuration: --workload says whose.",
		Example: "  darwarp report gemm.db -o gemm.html",
		Args:    argsBetween(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if ext := strings.ToLower(filepath.Ext(f.out)); ext != ".html" && ext != ".htm" {
				return usagef("-o %q: expected a file to write that ends in .html, as in -o report.html", f.out)
			}
			return a.withRecord(args[0], func(r *record) error { return a.report(f, r) })
		},
	}
	c.Flags().StringVarP(&f.out, "output", "o", "", "the HTML file to write; the T4 results get its name with .json")
	c.Flags().StringVar(&f.workload, "workload", "", "whose times the T4 results have (default: the first workload)")
	return c
}

func (a *app) report(f reportFlags, r *record) error {
	m := r.Meta()
	if f.workload == "" {
		f.workload = m.Workloads[0].Name
	} else if !slices.ContainsFunc(m.Workloads, func(w kernels.Workload) bool { return w.Name == f.workload }) {
		var names []string
		for _, w := range m.Workloads {
			names = append(names, w.Name)
		}
		return usagef("--workload %q: expected one of %s", f.workload, strings.Join(names, ", "))
	}
	in, err := r.reportInput()
	if err != nil {
		return err
	}
	page := htmlreport.Build(in)
	if err := writeFile(f.out, func(w io.Writer) error { return htmlreport.Write(w, page) }); err != nil {
		return fmt.Errorf("%s: %w", f.out, err)
	}
	a.sayf("Wrote %s (%s).", f.out, count(len(in.Candidates), "candidate"))
	if page.Note != "" {
		a.sayf("%s", page.Note)
	}
	return a.reportT4(strings.TrimSuffix(f.out, filepath.Ext(f.out))+".json", f.workload, r, len(in.Candidates) == 0)
}

// reportT4 writes the run's results as T4 beside the page.
func (a *app) reportT4(path, workload string, r *record, empty bool) error {
	if empty {
		a.sayf("%s is not written: there is no result yet.", path)
		return nil
	}
	rec, left, err := r.recording()
	if err != nil {
		a.sayf("%s is not written: %v", path, err)
		return nil
	}
	if err := writeFile(path, func(w io.Writer) error { return rec.Convert(w, "t4", workload, false) }); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	note := ""
	if left > 0 {
		note = fmt.Sprintf("; %s left out, which are no points of a space or were lost", count(left, "candidate"))
	}
	a.sayf("Wrote %s: T4 results, times of workload %s%s.", path, workload, note)
	return nil
}

// reportInput gathers all that the run knows.
func (r *record) reportInput() (in htmlreport.Input, err error) {
	in = htmlreport.Input{Path: filepath.Base(r.Path()), Version: version(), Meta: r.Meta(), Problem: r.bundle.Problem, Proofs: map[string]kernels.Provenance{}}
	err = r.Each(func(c kernels.Candidate) error {
		c.Variant.Source, c.Variant.Plan, c.Result.Sites = "", nil, nil // large, and not shown
		in.Candidates = append(in.Candidates, c)
		key := c.Result.Proof
		if _, ok := in.Proofs[key]; ok || key == "" {
			return nil
		}
		p, err := r.proofOf(key)
		if p != nil {
			in.Proofs[key] = *p
		}
		return err
	})
	if err != nil || r.Counts()[kernels.OK] == 0 {
		return in, err
	}
	champion, err := r.pick("")
	if err != nil {
		return in, err
	}
	in.Champion = &champion
	if in.Lineage, err = r.lineage(champion); err != nil {
		return in, err
	}
	f, err := r.figures(champion)
	if err != nil {
		return in, err
	}
	in.Proof = f.proof
	for _, b := range f.baselines {
		if p, err := r.proofOf(b.Proof); err != nil {
			return in, err
		} else if p != nil {
			in.Baselines = append(in.Baselines, b)
		}
	}
	f.baselines = in.Baselines
	in.Versus = f.versus(r.Meta().Cache)
	in.Shapes, err = f.shapes()
	return in, err
}

// versus is the champion over each baseline, all workloads together: by the last duel, else by medians.
func (f figures) versus(cache string) []htmlreport.Versus {
	var out []htmlreport.Versus
	for _, b := range f.baselines {
		v := htmlreport.Versus{Name: b.Name, About: b.About}
		if b.Name == naiveStart {
			v.Name = "the naive start"
		}
		base := map[string]float64{}
		for _, t := range b.Times {
			if t.Cache == cache {
				base[t.Workload] = t.Median
			}
		}
		times := slices.DeleteFunc(slices.Clone(f.times), func(t kernels.Timing) bool { return t.Cache != cache })
		if score, err := kernels.Score(times, base, f.workloads); err == nil && score > 0 { // err: some workload has no time
			v.Speedup = 1 / score
		}
		for _, d := range f.duels {
			if d.Champion == b.Name && d.Ratio > 0 && len(d.Rounds) > 0 && d.Rounds[0].Cache == cache {
				v.Speedup, v.Duel = 1/d.Ratio, true
			}
		}
		if v.Speedup > 0 {
			out = append(out, v)
		}
	}
	return out
}

// shapes are the champion's times of each workload beside the baselines'.
func (f figures) shapes() ([]htmlreport.Shape, error) {
	var out []htmlreport.Shape
	for _, w := range f.workloads {
		flops, bytes, err := f.problem.Work(w.Dims, f.dtype)
		if err != nil {
			return nil, err
		}
		for _, x := range f.times {
			if x.Workload != w.Name {
				continue
			}
			s := htmlreport.Shape{Workload: w.Name, Dims: w.Dims.String(), Cache: x.Cache}
			champion := f.bar("champion", flops, bytes, x)
			_, s.Bound = report.Roofline(f.proof.Ceilings, flops, bytes, x.Median, x.Cache)
			s.Bars, s.Versus = append(s.Bars, champion), append(s.Versus, "")
			for _, b := range f.baselines {
				for _, t := range b.Times {
					if t.Workload == w.Name && t.Cache == x.Cache && t.Median > 0 {
						s.Bars = append(s.Bars, f.bar(shownName(b.Name), flops, bytes, t))
						s.Versus = append(s.Versus, f.speedupCell(b, x))
						break
					}
				}
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// shownName is a baseline's name for people.
func shownName(name string) string {
	if name == naiveStart {
		return "naive start"
	}
	return name
}

func (f figures) bar(name string, flops, bytes float64, t kernels.Timing) htmlreport.Bar {
	share, binds := report.Roofline(f.proof.Ceilings, flops, bytes, t.Median, t.Cache)
	b := htmlreport.Bar{Name: name, NS: t.Median, Time: report.Time(t.Median), Roofline: share, Rate: bytes / t.Median * 1e9}
	b.RateText = report.Bandwidth(b.Rate)
	if binds == "compute" || binds == "" && flops > computeBound*bytes {
		b.Rate = flops / t.Median * 1e9
		b.RateText = report.Flops(b.Rate)
	}
	return b
}
