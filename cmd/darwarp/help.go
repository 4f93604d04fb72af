package main

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/help"
	"darwarp/evolve"
	"darwarp/kernels"
)

// command makes a command with its page of the help, by its path below darwarp. Its arguments are counted before run
// gets them.
func command(path string, run func(c *cobra.Command, args []string) error) *cobra.Command {
	p := help.Pages[path]
	return &cobra.Command{Use: p.Usage, Short: p.Short, Long: p.Long, Example: p.Example,
		Args: counted(p.Usage), RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(noneEmpty(c, args), noneEndless(c)); err != nil {
				return err
			}
			return run(c, args)
		}}
}

// noneEmpty refuses what has no text, which a script's unset variable is: a flag would be as if it had been left out,
// and so would all arguments but the first, which every command checks itself.
func noneEmpty(c *cobra.Command, args []string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if text := f.Value.String(); err == nil && (text == "" || text == "[]") {
			err = exit.Usagef("--%s \"\" has no value: name one, or leave the flag out", f.Name)
		}
	})
	if at := slices.Index(args, ""); err == nil && at > 0 {
		err = exit.Usagef("argument %d is empty: expected: %s", at+1, c.UseLine())
	}
	return err
}

// noneEndless refuses times of years.
func noneEndless(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if d, no := c.Flags().GetDuration(f.Name); err == nil && no == nil && d > evolve.MostTime {
			err = exit.Usagef("--%s %s: expected at most %.0fh, a year", f.Name, kernels.Span(d), evolve.MostTime.Hours())
		}
	})
	return err
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
