package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/record"
)

func (a *app) lineageCmd() *cobra.Command {
	var asJSON bool
	c := command("lineage", func(_ *cobra.Command, args []string) error {
		return record.With(a.Sayf, args[0], func(r *record.Record) error { return a.Lineage(asJSON, r, arg(args, 1)) })
	})
	addJSON(c, &asJSON)
	return c
}
