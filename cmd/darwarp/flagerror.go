package main

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
)

// expected says what a flag of a type takes.
var expected = map[string]string{
	"int": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number", "bool": "true or false",
	"duration": "a time, as in 90s, 20m or 8h", "stringToInt": "NAME=SIZE, as in batch=4096",
}

// flagError says in the user's words what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		return exit.Usagef("%v%s (try %s --help)", err, report.Meant("--"+unknown.GetSpecifiedName(), known), c.CommandPath())
	case errors.As(err, &invalid) && (errors.Is(err, strconv.ErrRange) || tooLong(invalid)):
		return exit.Usagef("--%s %s is out of range (try %s --help)", invalid.GetFlag().Name, invalid.GetValue(),
			c.CommandPath())
	case errors.As(err, &invalid) && expected[invalid.GetFlag().Value.Type()] != "":
		return exit.Usagef("--%s %q: expected %s (try %s --help)", invalid.GetFlag().Name, invalid.GetValue(),
			expected[invalid.GetFlag().Value.Type()], c.CommandPath())
	}
	return exit.Usagef("%v (try %s --help)", err, c.CommandPath())
}

var durationRE = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`)

// tooLong reports whether a time is well written, and more than the 292 years that can be counted.
func tooLong(err *pflag.InvalidValueError) bool {
	return err.GetFlag().Value.Type() == "duration" && durationRE.MatchString(err.GetValue())
}

// helpCmd replaces cobra's, which does not mind a command that there is not.
func helpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if c != nil && err == nil && len(rest) > 0 && c != root && !c.HasSubCommands() {
				return exit.Usagef("%s has no commands of its own: leave out %q", c.CommandPath(), rest[0])
			}
			if c == nil || err != nil || len(rest) > 0 {
				if c == nil {
					c = root
				}
				return unknownCommand(c, append(rest, args...)[0])
			}
			c.InitDefaultHelpFlag() // which a command gets when it runs
			return c.Help()
		},
	}
}
