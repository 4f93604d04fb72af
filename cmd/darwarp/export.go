package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/export"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/eval"
	"darwarp/kernels"
	"darwarp/templates"
)

func (a *app) exportCmd() *cobra.Command {
	var dir string
	var as []string
	var portfolio int
	c := command("export", func(c *cobra.Command, args []string) error {
		if dir == "" {
			return exit.Usagef("-o is missing: name a new folder, as in %s", cmdline.Of("export", args[0], "-o", "DIR"))
		}
		if err := checkExport(dir, as, args, c.Flags().Changed("portfolio"), portfolio); err != nil {
			return err
		}
		return record.With(a.Sayf, args[0], func(r *record.Record) error {
			if r.Bundle.Problem.Reference.IsModule() {
				return exit.Usagef("%s: a module of PyTorch tells its truth, and what is exported tests itself against a "+
					"reference kernel: %s prints the kernel", r.Bundle.Problem.Name, cmdline.Of("show", r.Path(), "--source"))
			}
			if portfolio != 0 {
				return a.exportPortfolio(c.Context(), dir, as, r, portfolio)
			}
			return a.export(c.Context(), dir, as, r, arg(args, 1))
		})
	})
	c.Flags().StringVarP(&dir, "output", "o", "", "the folder to write")
	c.Flags().StringSliceVar(&as, "as", nil, "further forms beside the bench: "+strings.Join(export.Targets()[1:], ", "))
	c.Flags().IntVar(&portfolio, "portfolio", 0,
		"export the run's portfolio of this many kernels as one unit, with a dispatcher by shape, and of a fleet's runs "+
			"by GPU")
	return c
}

// checkExport refuses what could not be written, or chosen, before the run is read.
func checkExport(dir string, as, args []string, asked bool, portfolio int) error {
	if asked && portfolio < 1 {
		return exit.Usagef("--portfolio %d: expected 2 or more kernels, or 1 for each device of a fleet", portfolio)
	}
	if asked && len(args) > 1 {
		return exit.Usagef("--portfolio %d: the run's portfolio chooses the kernels: leave out %q", portfolio, args[1])
	}
	there, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return exit.Usagef("-o %s is a file: name a new folder", dir)
	case err == nil && len(there) > 0:
		return exit.Usagef("%s is not empty: name a new folder with -o", dir)
	}
	if err := files.Makeable(dir); err != nil {
		return exit.Usagef("-o %s: %w: name a folder elsewhere", dir, err)
	}
	if err := export.CheckTargets(as); err != nil {
		return exit.Usagef("--as: %v", err)
	}
	return nil
}

func (a *app) export(ctx context.Context, dir string, as []string, r *record.Record, name string) error {
	c, err := r.Pick(name)
	if err != nil {
		return err
	}
	if c.Result.Outcome != kernels.OK {
		return exit.Usagef("candidate %s is not right (%s): export one that `%s` lists", c.ID.Short(),
			c.Result.Outcome, cmdline.Of("top", r.Path()))
	}
	if err := r.FallenError(c); err != nil {
		return err
	}
	k, err := a.kernelToExport(ctx, r, c)
	if err != nil {
		return err
	}
	k.As = as
	a.warnOfTrial(r, c)
	write := func(dir string) error { return export.Write(dir, k) }
	if err := a.proveAndWrite(ctx, dir, write, k); err != nil {
		return asUsage(err)
	}
	a.Sayf("Wrote candidate %s to %s. Prove it where nvcc and the GPU are:\n\n  cd %s && %s && ./bench", c.ID.Short(), dir,
		cmdline.Quote(dir), k.Build())
	return nil
}

// warnOfTrial says what has not been tried of a candidate that is exported.
func (a *app) warnOfTrial(r *record.Record, c kernels.Candidate) {
	t, word := r.Standing(c)
	if word == "" || t.Exported() != kernels.OnTrial {
		return
	}
	var parts []string
	for _, p := range t.Missing(kernels.WholeTrial) {
		parts = append(parts, string(p))
	}
	where := "is on trial"
	if t.Standing() == kernels.Stood {
		where = "has passed what a champion's trial asks for, and an export's asks for more"
	}
	a.Sayf("warning: candidate %s %s: not tried yet: %s. %s does", c.ID.Short(), where, strings.Join(parts, ", "),
		cmdline.Of("verify", r.Path(), c.ID.Short(), "--trial"))
}

// proveAndWrite writes a folder. Where nvcc is, it first looks at what nvcc makes of it.
func (a *app) proveAndWrite(ctx context.Context, dir string, write func(string) error, all ...export.Kernel) error {
	nvcc, err := exec.LookPath("nvcc")
	if err != nil {
		return write(dir)
	}
	p, err := export.Prove(ctx, nvcc, write, all...)
	switch unproven := new(export.UnprovenError); {
	case errors.As(err, &unproven), errors.As(err, new(*export.RefusedError)):
		return err
	case err != nil:
		a.Sayf("warning: %s does not build it here: %v", nvcc, err)
	default:
		a.Sayf("nvcc %s makes no code of the host of it.", p.NVCC)
	}
	return write(dir)
}

// asUsage makes a form that the kernel cannot have the caller's mistake.
func asUsage(err error) error {
	if refused := new(export.RefusedError); errors.As(err, &refused) {
		return exit.Usagef("--as %w", err)
	}
	return err
}

// kernelToExport gathers a candidate with its machine code, and says what is amiss.
func (a *app) kernelToExport(ctx context.Context, r *record.Record, c kernels.Candidate) (export.Kernel, error) {
	k, warning, err := toExport(r, c)
	if err != nil {
		return k, err
	}
	if warning != "" {
		a.Sayf("warning: %s", console.Lines(warning))
	}
	if k.Device.Kind == "cuda" {
		var toolchain string
		if k.Cubin, toolchain, err = eval.Cubin(ctx, templates.Include(), k.Device.Arch, k.Job.Source); err != nil {
			a.Sayf("warning: the machine code of %s is left out: %v", c.ID.Short(), err)
		} else if toolchain != k.Device.Toolchain {
			a.Sayf("warning: the machine code of %s was compiled by %s, its figures were measured with %s",
				c.ID.Short(), toolchain,
				k.Device.Toolchain)
		}
	}
	return k, nil
}

// toExport gathers all that the run knows about a candidate.
func toExport(r *record.Record, c kernels.Candidate) (k export.Kernel, warning string, err error) {
	m := r.Meta()
	k = export.Kernel{Bundle: r.Bundle, DType: m.DType, Workloads: m.Workloads, Device: m.Device, Candidate: c,
		Run: r.Path()}
	if k.Job, warning, err = r.Job(c); err != nil {
		return k, "", err
	}
	if k.Trial, err = r.Trial(c.ID); err != nil {
		return k, "", err
	}
	if k.Pace, err = r.Pace(); err != nil {
		return k, "", err
	}
	k.NVCCFlags = eval.NVCCFlags(k.Job.Source)
	if k.Lineage, err = r.Lineage(c); err != nil {
		return k, "", err
	}
	f, err := r.Figures(c)
	k.Candidate.Result.Times, k.Provenance, k.Baselines, k.Duels = f.Times, f.Proof, f.Baselines, f.Duels
	return k, warning, err
}
