package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/htmlreport"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
)

type reportFlags struct{ out, workload string }

// maxReported bounds the runs of a page: each brings some hundred kilobytes.
const maxReported = 20

func (a *app) reportCmd() *cobra.Command {
	var f reportFlags
	c := command("report", func(_ *cobra.Command, args []string) error {
		if ext := strings.ToLower(filepath.Ext(f.out)); ext != ".html" && ext != ".htm" {
			return exit.Usagef("-o %q: expected a file to write that ends in .html, as in -o report.html", f.out)
		}
		if len(args) > maxReported {
			return exit.Usagef("%d runs: expected at most %d on a page", len(args), maxReported)
		}
		if err := console.CheckFile(f.out); err != nil {
			return err
		}
		return a.withRuns(args, nil, func(runs []*record.Record) error {
			if len(runs) > 1 {
				return a.report(f, runs)
			}
			return runs[0].WithIslands(func(runs []*record.Record) error {
				return a.report(f, runs[:min(len(runs), maxReported)])
			})
		})
	})
	c.Flags().StringVarP(&f.out, "output", "o", "", "the HTML file to write; the T4 results get its name with .json")
	c.Flags().StringVar(&f.workload, "workload", "", "workload whose times the T4 results have (default: the first)")
	return c
}

// withRuns runs fn on runs that are all open.
func (a *app) withRuns(paths []string, open []*record.Record, fn func([]*record.Record) error) error {
	if len(paths) == 0 {
		return fn(open)
	}
	return record.With(a.Sayf, paths[0], func(r *record.Record) error {
		return a.withRuns(paths[1:], append(open, r), fn)
	})
}

func (a *app) report(f reportFlags, runs []*record.Record) error {
	var ins []htmlreport.Input
	total := 0
	for _, r := range runs {
		if err := checkWorkload(f.workload, r); err != nil {
			return err
		}
		in, err := htmlreport.Gather(r, session.Version())
		if err != nil {
			return err
		}
		ins = append(ins, in)
		total += len(in.Candidates)
	}
	page := htmlreport.Build(ins...)
	if err := console.WriteFile(f.out, func(w io.Writer) error { return htmlreport.Write(w, page) }); err != nil {
		return err
	}
	several := ""
	if len(runs) > 1 {
		several = report.Quantity(len(runs), "run") + ", "
	}
	a.Sayf("Wrote %s (%s%s).", f.out, several, report.Quantity(total, "candidate"))
	return a.reportNotes(f, runs, ins, page)
}

// reportNotes says what is missing of each run, and writes its T4 results: of several, with the run's number.
func (a *app) reportNotes(f reportFlags, runs []*record.Record, ins []htmlreport.Input, page htmlreport.Page) error {
	base := strings.TrimSuffix(f.out, filepath.Ext(f.out))
	for i, r := range runs {
		name, of := base+".json", ""
		if len(runs) > 1 {
			name, of = fmt.Sprintf("%s-%d.json", base, i+1), r.Path()+": "
		}
		if note := page.Runs[i].Note; note != "" {
			a.Sayf("%s%s", of, note)
		}
		workload := cmp.Or(f.workload, r.Meta().Workloads[0].Name)
		if err := a.reportT4(name, workload, r, len(ins[i].Candidates) == 0); err != nil {
			return err
		}
	}
	return nil
}

// checkWorkload refuses one that a run does not have; none is the first.
func checkWorkload(name string, r *record.Record) error {
	var names []string
	for _, w := range r.Meta().Workloads {
		names = append(names, w.Name)
	}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return exit.Usagef("--workload %q: expected one of %s (%s)", name, strings.Join(names, ", "), r.Path())
}

// reportT4 writes the run's results as T4 beside the page.
func (a *app) reportT4(path, workload string, r *record.Record, empty bool) error {
	if empty {
		a.Sayf("%s is not written: there is no result yet.", path)
		return nil
	}
	rec, left, err := r.Recording()
	if err != nil {
		a.Sayf("%s is not written: %v", path, err)
		return nil
	}
	if err := console.WriteFile(path, func(w io.Writer) error {
		return rec.Convert(w, "t4", workload,
			false)
	}); err != nil {
		return err
	}
	note := ""
	if left > 0 {
		note = fmt.Sprintf("; %s left out (no point of a space, or lost)",
			report.Quantity(left, "candidate"))
	}
	a.Sayf("Wrote %s: T4 results, times of workload %s%s.", path, workload, note)
	return nil
}
