package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/manpage"
	"darwarp/cmd/darwarp/internal/session"
)

// manCmd writes the manual pages, for packages.
func (a *app) manCmd() *cobra.Command {
	return &cobra.Command{Use: "man DIR", Hidden: true, Short: "Write manual pages", Args: argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			b := session.ThisBuild()
			all := manpage.All(c.Root(), manpage.Source{Version: b.String(), Date: b.Date})
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			for _, name := range slices.Sorted(maps.Keys(all)) {
				path := filepath.Join(args[0], name)
				if err := os.WriteFile(path, all[name], 0o644); err != nil {
					return err
				}
				fmt.Fprintln(a.Out, path)
			}
			return nil
		}}
}
