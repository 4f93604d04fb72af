package main

import (
	"math"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/help"
)

// command makes a command with its page of the help, by its path below darwarp. Its arguments are counted before run
// gets them.
func command(path string, run func(c *cobra.Command, args []string) error) *cobra.Command {
	p := help.Pages[path]
	return &cobra.Command{Use: p.Usage, Short: p.Short, Long: p.Long, Example: p.Example,
		Args: counted(p.Usage), RunE: run}
}

// showHelp is what a command does that only has subcommands.
func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// counted checks the number of arguments against a usage line, NAME REQUIRED [OPTIONAL] REPEATED... --FLAG VALUE. It
// replaces cobra's own checks, whose messages do not say what to type.
func counted(usage string) cobra.PositionalArgs {
	least, most := 0, 0
	for _, word := range strings.Fields(usage)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if strings.HasSuffix(word, "...") {
			most = math.MaxInt
		}
	}
	if most == 0 {
		return noArgs
	}
	return argsBetween(least, most)
}
