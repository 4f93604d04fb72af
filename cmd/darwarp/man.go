package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/manpage"
	"darwarp/cmd/darwarp/internal/session"
)

// manCmd writes the manual pages, for packages.
func (a *app) manCmd() *cobra.Command {
	return &cobra.Command{Use: "man DIR", Hidden: true, Short: "Write manual pages", Args: argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			b := session.ThisBuild()
			all := manpage.All(c.Root(), manpage.Source{Version: b.String(), Date: b.Date})
			names := slices.Sorted(maps.Keys(all))
			for _, name := range names {
				path := filepath.Join(args[0], name)
				if err := writePage(path, all[name]); err != nil {
					return exit.Usagef("%s cannot be written (%v): name a folder for the pages that you may write to", path,
						files.Reason(err))
				}
			}
			for _, name := range names {
				fmt.Fprintln(a.Out, filepath.Join(args[0], name))
			}
			return nil
		}}
}

// writePage writes a page, and its folder where there is none.
func writePage(path string, page []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, page, 0o644)
}
