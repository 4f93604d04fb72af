package main

import (
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
	"darwarp/kernels"
)

type reportFlags struct{ out, workload string }

func (a *app) reportCmd() *cobra.Command {
	var f reportFlags
	c := command("report", func(_ *cobra.Command, args []string) error {
		if ext := strings.ToLower(filepath.Ext(f.out)); ext != ".html" && ext != ".htm" {
			return exit.Usagef("-o %q: expected a file to write that ends in .html, as in -o report.html", f.out)
		}
		return record.With(args[0], func(r *record.Record) error { return a.report(f, r) })
	})
	c.Flags().StringVarP(&f.out, "output", "o", "", "the HTML file to write; the T4 results get its name with .json")
	c.Flags().StringVar(&f.workload, "workload", "", "workload whose times the T4 results have (default: the first)")
	return c
}

func (a *app) report(f reportFlags, r *record.Record) error {
	m := r.Meta()
	if f.workload == "" {
		f.workload = m.Workloads[0].Name
	} else if !slices.ContainsFunc(m.Workloads, func(w kernels.Workload) bool { return w.Name == f.workload }) {
		var names []string
		for _, w := range m.Workloads {
			names = append(names, w.Name)
		}
		return exit.Usagef("--workload %q: expected one of %s", f.workload, strings.Join(names, ", "))
	}
	in, err := htmlreport.Gather(r, session.Version())
	if err != nil {
		return err
	}
	page := htmlreport.Build(in)
	if err := console.WriteFile(f.out, func(w io.Writer) error { return htmlreport.Write(w, page) }); err != nil {
		return fmt.Errorf("%s: %w", f.out, err)
	}
	a.Sayf("Wrote %s (%s).", f.out, report.Quantity(len(in.Candidates), "candidate"))
	if page.Note != "" {
		a.Sayf("%s", page.Note)
	}
	return a.reportT4(strings.TrimSuffix(f.out, filepath.Ext(f.out))+".json", f.workload, r, len(in.Candidates) == 0)
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
		return fmt.Errorf("%s: %w", path, err)
	}
	note := ""
	if left > 0 {
		note = fmt.Sprintf("; %s left out, because they are not points of a space or were lost",
			report.Quantity(left, "candidate"))
	}
	a.Sayf("Wrote %s: T4 results, times of workload %s%s.", path, workload, note)
	return nil
}
