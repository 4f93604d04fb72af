package main

import (
	"darwarp/cmd/darwarp/internal/listing"

	"github.com/spf13/cobra"
)

func (a *app) listCmd() *cobra.Command {
	var f listing.ProblemOptions
	c := command("list", func(_ *cobra.Command, args []string) error { return a.Problems(f, args) })
	c.Flags().StringVar(&f.Arch, "arch", "", "count the space of this architecture only: sm_80, sm_89, sm_90a, sm_100a")
	c.Flags().StringVar(&f.DType, "dtype", "", "element type (default: the problem's first)")
	addJSON(c, &f.JSON)
	return c
}
