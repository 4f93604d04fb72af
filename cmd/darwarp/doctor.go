package main

import (
	"context"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/doctor"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/models"
)

func (a *app) doctorCmd() *cobra.Command {
	var asJSON, withLLM bool
	var f models.Options
	c := command("doctor", func(c *cobra.Command, _ []string) error {
		for _, name := range []string{"llm-model", "llm-url", "llm-key-file", "llm-timeout"} {
			if c.Flags().Changed(name) && !withLLM {
				return exit.Usagef("--%s goes with --llm", name)
			}
		}
		if !withLLM {
			return a.doctor(c.Context(), asJSON, nil)
		}
		return a.doctor(c.Context(), asJSON, &f)
	})
	addJSON(c, &asJSON)
	c.Flags().BoolVar(&withLLM, "llm", false, "also query the language model server, which may cost a fraction of a cent")
	c.Flags().StringSliceVar(&f.Models, "llm-model", nil, "with --llm: models to try")
	a.addServer(c.Flags(), &f)
	return c
}

// doctor looks at the machine, and at a server of language models where one is to be tried.
func (a *app) doctor(ctx context.Context, asJSON bool, server *models.Options) error {
	d := doctor.Diagnose(ctx, a.Console)
	if server != nil {
		d.Findings = append(d.Findings, doctor.TryModels(ctx, server)...)
	}
	if asJSON {
		if err := a.PrintJSON(d); err != nil {
			return err
		}
	} else {
		d.Text(a.Out)
	}
	if d.Device == "" {
		return exit.Quietly(exit.Environment)
	}
	return nil
}
