package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/importer"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/eval/module"
)

func (a *app) importCmd() *cobra.Command {
	c := command("import", showHelp)
	var req importer.Request
	var t session.Target
	torch := command("import torch", func(c *cobra.Command, args []string) error {
		req.Sandbox = eval.SandboxMode(t.Sandbox)
		return interruptible(c, func(ctx context.Context) error { return a.importTorch(ctx, args[0], req) })
	})
	f := torch.Flags()
	f.StringVarP(&req.Dir, "output", "o", "", "the folder to write")
	f.StringVar(&req.Class, "class", "", "the module's class: Model, or the only one of the file")
	f.StringToIntVar(&req.Dims, "dims", nil, "sizes in place of the file's, as in batch=4096,features=512")
	f.BoolVar(&req.Eval, "eval", false, "the module in evaluation, as after .eval(): dropout does nothing")
	f.StringVar(&req.Precision, "precision", "",
		"of all floating numbers: fp32, fp16 or bf16, or tf32: fp32 with products in TF32 (default: the file's)")
	f.Float64Var(&req.Scale, "scale", 1,
		"search at this share of the first axis of the first input; the whole is a workload, too")
	addSandbox(f, &t)
	c.AddCommand(torch, a.importFlashInferCmd())
	return c
}

// importTorch writes a folder, or says in one line why not.
func (a *app) importTorch(ctx context.Context, path string, req importer.Request) (err error) {
	if err := req.Read(path); err != nil {
		return err
	}
	if req.Devices, err = archDevices(); err != nil {
		return err
	}
	req.Say, req.Version = func(what string) { a.Sayf("%s", what) }, session.Version()
	req.Convert, req.Alone = importer.Folder, true
	req.CacheDir, _ = session.CacheDir() // without one it takes longer
	made, err := importer.Run(ctx, req)
	var refused *module.Refused
	var missing *module.Missing
	switch {
	case errors.As(err, &refused):
		return exit.Usagef("%s is not imported: %s", path, refused.Why)
	case errors.As(err, &missing):
		return exit.Environmentf("%s", missing.Why)
	case err != nil:
		return err
	}
	a.sayMade(made, req.Dir)
	return nil
}

// sayMade tells of a folder that was made.
func (a *app) sayMade(made *importer.Made, dir string) {
	for _, name := range made.Files {
		a.Printf("%s\n", filepath.Join(dir, name))
	}
	for _, note := range made.Notes {
		a.Sayf("note: %s", note)
	}
	if made.Alone != "" && !made.Pipeline {
		a.Sayf("\nIt has no family: %s. The module itself, in torch %s in fp64, tells the truth (%s). Write a family "+
			"(%s, docs/manual/import.md), then:\n  %s", made.Alone, made.Torch, report.Quantity(made.Cases, "case"),
			filepath.Join(dir, "NAME.toml and NAME.cu.tmpl"), cmdline.Of("search", dir))
		return
	}
	next := []string{"search", dir}
	if made.Whole != "" {
		next = append(next, "--then", made.Whole)
	}
	if made.Pipeline {
		a.Sayf("\nNo family takes it whole (%s), but one in stages. The module itself, in torch %s in fp64, tells the truth "+
			"(%s). Next:\n  %s", made.Alone, made.Torch, report.Quantity(made.Cases, "case"), cmdline.Of(next...))
		return
	}
	a.Sayf("\nThe reference kernel gives what torch %s gives in fp64, in %s. Next:\n  %s", made.Torch,
		report.Quantity(made.Cases, "case"), cmdline.Of(next...))
}
