package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/kernels"
)

func (a *app) exchangesCmd() *cobra.Command {
	var asJSON bool
	c := command("exchanges", func(_ *cobra.Command, args []string) error {
		return record.With(a.Sayf, args[0], func(r *record.Record) error {
			switch {
			case len(args) == 2:
				e, err := listing.Exchange(r, args[1])
				if err != nil {
					return err
				}
				return a.ShowExchange(e, asJSON)
			case asJSON:
				return a.PrintList(func(add func(any) error) error {
					return r.EachExchange(func(e kernels.Exchange) error { return add(e) })
				})
			}
			return a.Exchanges(r)
		})
	})
	addJSON(c, &asJSON)
	return c
}
