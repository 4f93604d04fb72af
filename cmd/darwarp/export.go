package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/export"
	"darwarp/eval"
	"darwarp/kernels"
	"darwarp/templates"
)

func (a *app) exportCmd() *cobra.Command {
	var dir string
	var as []string
	c := &cobra.Command{
		Use:   "export RUN [ID] -o DIR",
		Short: "A candidate as a folder that stands by itself, with a bench that proves it",
		Long: "export writes the kernel, its launches with every number known, and bench.cu, which needs only the\n" +
			"CUDA toolkit: it checks the kernel against the problem's reference and times it.",
		Example: "  darwarp export gemm.db -o fast-gemm",
		Args:    argsBetween(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if dir == "" {
				return usagef("-o is missing: name a new folder, as in darwarp export %s -o DIR", args[0])
			}
			if err := export.CheckTargets(as); err != nil {
				return usagef("--as: %v", err)
			}
			return a.withRecord(args[0], func(r *record) error { return a.export(c.Context(), dir, as, r, arg(args, 1)) })
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", "", "the folder to write")
	c.Flags().StringSliceVar(&as, "as", nil, "further forms beside the bench: "+strings.Join(export.Targets()[1:], ", "))
	return c
}

func (a *app) export(ctx context.Context, dir string, as []string, r *record, name string) error {
	c, err := r.pick(name)
	if err != nil {
		return err
	}
	if c.Result.Outcome != kernels.OK {
		return usagef("candidate %s is not right (%s): export one that `darwarp top %s` lists", c.ID.Short(), c.Result.Outcome, r.Path())
	}
	k, warning, err := r.toExport(c)
	if err != nil {
		return err
	}
	if warning != "" {
		a.sayf("warning: %s", warning)
	}
	if k.Device.Kind == "cuda" {
		var toolchain string
		if k.Cubin, toolchain, err = eval.Cubin(ctx, templates.Include(), k.Device.Arch, k.Job.Source); err != nil {
			a.sayf("warning: kernel.cubin is left out: %v", err)
		} else if toolchain != k.Device.Toolchain {
			a.sayf("warning: kernel.cubin is compiled by %s, the figures are of %s", toolchain, k.Device.Toolchain)
		}
	}
	k.As = as
	if err := export.Write(dir, k); err != nil {
		return err
	}
	a.sayf("Wrote candidate %s to %s. Prove it where nvcc and the GPU are:\n\n  cd %s && %s && ./bench", c.ID.Short(), dir, dir, k.Build())
	return nil
}

// toExport gathers all that the run knows about a candidate.
func (r *record) toExport(c kernels.Candidate) (k export.Kernel, warning string, err error) {
	m := r.Meta()
	k = export.Kernel{Bundle: r.bundle, DType: m.DType, Workloads: m.Workloads, Device: m.Device, Candidate: c, Run: r.Path()}
	if k.Job, warning, err = r.job(c); err != nil {
		return k, "", err
	}
	k.NVCCFlags = eval.NVCCFlags(k.Job.Source)
	if k.Lineage, err = r.lineage(c); err != nil {
		return k, "", err
	}
	f, err := r.figures(c)
	k.Candidate.Result.Times, k.Provenance, k.Baselines = f.times, f.proof, f.baselines
	return k, warning, err
}
