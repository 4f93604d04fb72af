package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/doctor"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/eval"
)

func (a *app) doctorCmd() *cobra.Command {
	var asJSON, withLLM, attack bool
	var f models.Options
	c := command("doctor", func(c *cobra.Command, _ []string) error {
		for _, name := range []string{"llm-model", "llm-url", "llm-key-file", "llm-timeout"} {
			if c.Flags().Changed(name) && !withLLM {
				return exit.Usagef("--%s goes with --llm", name)
			}
		}
		return interruptible(c, func(ctx context.Context) error {
			if attack {
				return a.attack(ctx, asJSON)
			}
			if !withLLM {
				return a.doctor(ctx, asJSON, nil)
			}
			return a.doctor(ctx, asJSON, &f)
		})
	})
	addJSON(c, &asJSON)
	c.Flags().BoolVar(&attack, "attack", false,
		"attack this machine from inside of each kind of worker, and say what stops it; does no harm")
	c.Flags().BoolVar(&withLLM, "llm", false, "also query the language model server, which may cost a fraction of a cent")
	c.Flags().StringSliceVar(&f.Models, "llm-model", nil, "with --llm: models to try")
	a.addServer(c.Flags(), &f)
	return c
}

// attack tries what a hostile candidate would.
func (a *app) attack(ctx context.Context, asJSON bool) error {
	found, err := doctor.Attack(ctx, eval.SandboxBest)
	if err := cmp.Or(ctx.Err(), err); err != nil { // what was not tried was not stopped
		return err
	}
	if asJSON {
		if err := a.PrintJSON(found); err != nil {
			return err
		}
	} else {
		found.Text(a.Out)
	}
	if found.Failed() > 0 {
		return exit.Quietly(exit.Failed)
	}
	return nil
}

// doctor looks at the machine, and at a server of language models where one is to be tried.
func (a *app) doctor(ctx context.Context, asJSON bool, server *models.Options) error {
	d := doctor.Diagnose(ctx, a.Console)
	if server != nil {
		d.Findings = append(d.Findings, doctor.TryModels(ctx, server)...)
	}
	if ctx.Err() != nil { // what was not looked at is not missing
		return ctx.Err()
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
