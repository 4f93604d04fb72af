package main

import (
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/importer"
	"darwarp/cmd/darwarp/internal/kernelbench"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/evolve"
)

func (a *app) benchKernelBenchCmd() *cobra.Command {
	var f kernelbench.Bench
	c := command("bench kernelbench", func(c *cobra.Command, args []string) (err error) {
		f.Dir, f.Strategy = args[0], evolve.DefaultStrategy
		f.Import.Sandbox, f.Import.Convert, f.Import.Version = eval.SandboxMode(f.Sandbox), importer.Folder, session.Version()
		f.Import.CacheDir, _ = session.CacheDir() // without one it takes longer
		if f.Import.Devices, err = archDevices(); err != nil {
			return err
		}
		stop := console.OnInterrupt(c.Context())
		defer stop.Release()
		return f.Run(stop, a.Console)
	})
	fs := c.Flags()
	fs.StringVarP(&f.Out, "output", "o", "", "the folder of the results; one that has some goes on")
	fs.StringVar(&f.Problems, "problems", "",
		"a folder of problem folders that import torch made: a module of the same name and text is not imported again")
	fs.DurationVar(&f.Budget.For, "for", 2*time.Minute, "how long each module is searched")
	fs.IntVar(&f.Budget.Evals, "evals", 0, "and after how many evaluations it ends (default: as many as the time allows)")
	fs.BoolVar(&f.Import.Eval, "eval", false, "modules in evaluation, as after .eval()")
	fs.StringVar(&f.Import.Precision, "precision", "",
		"of all floating numbers: fp32, tf32, fp16 or bf16 (default: the files')")
	fs.Float64Var(&f.Import.Scale, "scale", 1, "search at this share of the first axis, and finish at the whole")
	fs.BoolVar(&f.GateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	fs.StringVar(&f.Device, "device", "auto", "auto, cuda or cpu")
	fs.StringVar(&f.Cache, "cache", "", "what is timed: hot (inputs may be in L2, the default) or cold")
	addSeed(c, &f.Seed, "of the searches")
	addJSON(c, &f.JSON)
	fs.IntVar(&f.Jobs, "jobs", 0, "compiles at once (default: one per core)")
	addSandbox(fs, &f.Target)
	addGPUs(c, &f.Target)
	return c
}
