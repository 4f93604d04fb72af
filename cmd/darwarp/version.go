package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/session"
)

func (a *app) versionCmd() *cobra.Command {
	var asJSON bool
	c := command("version", func(*cobra.Command, []string) error {
		if asJSON {
			return a.PrintJSON(session.ThisBuild())
		}
		_, err := fmt.Fprintln(a.Out, "darwarp", session.Version())
		return err
	})
	addJSON(c, &asJSON)
	return c
}
