package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/record"
)

func (a *app) showCmd() *cobra.Command {
	var f listing.ShowOptions
	c := command("show", func(_ *cobra.Command, args []string) error {
		return record.With(a.Sayf, args[0], func(r *record.Record) error { return a.Show(f, r, arg(args, 1)) })
	})
	c.Flags().BoolVar(&f.Source, "source", false, "print the rendered CUDA source only")
	c.Flags().BoolVar(&f.JSON, "json", false, "print JSON, with the source")
	return c
}
