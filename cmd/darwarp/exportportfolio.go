package main

import (
	"context"
	"fmt"
	"slices"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/export"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// exportPortfolio writes the kernels of the run's last portfolio of this size as one unit, with those of the same
// search's runs on GPUs of other architectures.
func (a *app) exportPortfolio(ctx context.Context, dir string, as []string, r *record.Record, k int) error {
	return r.WithIslands(func(runs []*record.Record) error {
		runs = a.byArch(runs)
		if k < 2 && len(runs) < 2 {
			return exit.Usagef("--portfolio %d: expected 2 or more kernels: the run has no other beside it, on another GPU", k)
		}
		var p export.Portfolio
		var all []export.Kernel
		for i, r := range runs {
			one, err := a.portfolioOf(ctx, r, k, len(runs) > 1)
			if err != nil {
				return err
			}
			if all = append(all, one.Kernels...); i == 0 {
				p, p.As = one, as
			} else {
				p.Others = append(p.Others, one)
			}
		}
		write := func(dir string) error { return export.WritePortfolio(dir, p) }
		if err := a.proveAndWrite(ctx, dir, write, all...); err != nil {
			return asUsage(err)
		}
		of := ""
		if len(runs) > 1 {
			of = fmt.Sprintf(" for %d architectures", len(runs))
		}
		a.Sayf("Wrote a portfolio of %s%s to %s. Prove it where nvcc and the GPU are: see %s/README.md",
			report.Quantity(len(all), "kernel"), of, dir, dir)
		return nil
	})
}

// byArch are the runs that a unit can choose between: one for each architecture, that the user named before others.
func (a *app) byArch(runs []*record.Record) (all []*record.Record) {
	for _, r := range runs {
		d := r.Meta().Device
		at := slices.IndexFunc(all, func(o *record.Record) bool { return o.Meta().Device.Arch == d.Arch })
		if _, crowned := r.Champion(); len(all) > 0 && !crowned {
			a.Sayf("%s is left out: it has no champion yet", r.Path())
		} else if at >= 0 {
			a.Sayf("%s is left out: %s is %s, as %s is, and a unit chooses by architecture: export it by itself", r.Path(),
				d.Label(), d.Arch, all[at].Meta().Device.Label())
		} else {
			all = append(all, r)
		}
	}
	return all
}

// portfolioOf is the run's last portfolio of this size; beside others also its champion alone, where none was measured.
func (a *app) portfolioOf(ctx context.Context, r *record.Record, k int, beside bool) (p export.Portfolio, err error) {
	found, err := r.LastPortfolio(k)
	if err == nil && found == nil && beside {
		p.Alone = true
		found, err = alone(r)
	}
	if err != nil {
		return p, err
	}
	if found == nil {
		return p, exit.Usagef("%s has no portfolio of %d kernels: %s measures one", r.Path(), k,
			cmdline.Of("portfolio", r.Path(), "--k", fmt.Sprint(k)))
	}
	p.Found = *found
	for _, id := range found.Kernels {
		c, err := r.Get(id)
		if err != nil {
			return p, err
		}
		if err := r.FallenError(c); err != nil {
			return p, err
		}
		a.warnOfTrial(r, c)
		kernel, err := a.kernelToExport(ctx, r, c)
		if err != nil {
			return p, err
		}
		if !p.Alone {
			if kernel.Provenance, err = r.ProofOf(found.Provenance); err != nil {
				return p, err
			}
		}
		p.Kernels = append(p.Kernels, kernel)
	}
	return p, nil
}

// alone is a run's champion as a portfolio of one; nil: there is none.
func alone(r *record.Record) (*kernels.Portfolio, error) {
	id, ok := r.Champion()
	if !ok {
		return nil, nil
	}
	c, err := r.Get(id)
	if err != nil {
		return nil, err
	}
	f, err := r.Figures(c)
	p := &kernels.Portfolio{K: 1, Kernels: []kernels.ID{id}, Objective: r.Meta().Objective}
	for _, w := range r.Meta().Workloads {
		choice := kernels.Choice{Workload: w.Name}
		for _, t := range f.Times {
			if t.Workload == w.Name && t.Cache == r.Meta().Cache {
				choice.Time = t.Median
			}
		}
		p.Choices = append(p.Choices, choice)
	}
	return p, err
}
