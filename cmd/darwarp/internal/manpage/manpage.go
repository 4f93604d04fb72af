// Package manpage writes the help of commands as manual pages, in the macros of man(7).
package manpage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Source is what a page says of the program: its version, and the date of that.
type Source struct{ Version, Date string }

// All are the pages of a command and of those below it that are not hidden, by file name: darwarp-bench-search.1.
func All(root *cobra.Command, from Source) map[string][]byte {
	out := map[string][]byte{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		out[name(c)+".1"] = page(c, from)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub)
			}
		}
	}
	walk(root)
	return out
}

func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func page(c *cobra.Command, from Source) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	section := func(title string) { line(".SH %s", title) }
	c.InitDefaultHelpFlag()
	line(".TH %s 1 %q %q", strings.ToUpper(name(c)), from.Date, "darwarp "+from.Version)
	section("NAME")
	line("%s \\- %s", text(name(c)), text(c.Short))
	section("SYNOPSIS")
	line(".B %s", text(strings.TrimSuffix(c.UseLine(), " [flags]")))
	if c.HasAvailableLocalFlags() {
		line(".RI [ flags ]")
	}
	section("DESCRIPTION")
	b.WriteString(paragraphs(described(c)))
	if c.HasAvailableLocalFlags() {
		section("OPTIONS")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { b.WriteString(option(f)) })
	}
	if c.HasAvailableSubCommands() {
		section("COMMANDS")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				line(".TP\n.BR %s (1)\n%s", text(name(sub)), text(sub.Short))
			}
		}
	}
	if c.Example != "" {
		section("EXAMPLES")
		line(".nf\n%s\n.fi", text(c.Example))
	}
	if c.HasParent() {
		section("SEE ALSO")
		line(".BR %s (1)", text(name(c.Parent())))
	}
	return []byte(b.String())
}

func described(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

func paragraphs(s string) string {
	return strings.ReplaceAll(text(s), "\n\n", "\n.PP\n") + "\n"
}

func option(f *pflag.Flag) string {
	if f.Hidden {
		return ""
	}
	value, usage := pflag.UnquoteUsage(f)
	names := "--" + f.Name
	if f.Shorthand != "" {
		names = "-" + f.Shorthand + ", " + names
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && !strings.Contains(usage, "default") {
		usage += " (default " + f.DefValue + ")"
	}
	head := `\fB` + text(names) + `\fR`
	if value != "" {
		head += ` \fI` + text(value) + `\fR`
	}
	return ".TP\n" + head + "\n" + text(usage) + "\n"
}

// text is plain text in troff: no backslash, dash or line acts.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
