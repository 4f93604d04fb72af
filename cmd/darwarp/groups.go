package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandGroups are the commands as the help lists them.
var commandGroups = []struct {
	id, title string
	names     []string
}{
	{"search", "Search:", []string{"search", "watch", "runs", "steer", "stop", "join", "fleet"}},
	{"read", "Read a run:", []string{"top", "show", "diff", "lineage", "report", "exchanges"}},
	{"use", "Use and measure what was found:", []string{"export", "verify", "explain", "portfolio"}},
	{"problem", "Problems:", []string{"list", "new", "check", "import"}},
	{"self", "This machine, and darwarp itself:", []string{"doctor", "gate", "bench", "version", "help", "completion"}},
}

// flagGroups are the flags of commands that have many, as their help lists them.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Budget", []string{"for", "evals", "stall", "require", "then"}},
	{"The run", []string{"store", "resume", "from", "strategy", "seed", "objective", "portfolio", "gate-test",
		"baseline", "no-baseline"}},
	{"What is evaluated, and where", []string{"device", "dtype", "cache", "workload", "gene", "jobs", "gpus", "sandbox",
		"races", "trace", "fleet", "fleet-token-file", "fleet-creds", "fleet-ca"}},
	{"Language models", []string{"llm", "llm-model", "llm-url", "llm-key-file", "llm-budget", "llm-prompts", "llm-prices",
		"llm-jobs", "llm-timeout", "llm-replay"}},
	{"Output", []string{"plain", "json", "detach", "help"}},
}

// manyFlags are too many for one list.
const manyFlags = 20

// group sorts the commands and the flags of the help.
func group(root *cobra.Command) {
	for _, g := range commandGroups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
	}
	for _, c := range root.Commands() {
		for _, g := range commandGroups {
			if slices.Contains(g.names, c.Name()) {
				c.GroupID = g.id
			}
		}
	}
	root.SetHelpCommandGroupID("self")
	root.SetCompletionCommandGroupID("self")
	strictCompletion(root)
	cobra.AddTemplateFunc("groupedFlags", groupedFlags)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "Flags:\n{{.LocalFlags.FlagUsages | "+
		"trimTrailingWhitespaces}}", "{{groupedFlags .LocalFlags | trimTrailingWhitespaces}}", 1))
}

// strictCompletion has cobra's command for shells refuse what it does not know, as all others do.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args, c.RunE = noArgs, showHelp
		for _, shell := range c.Commands() {
			shell.Args = noArgs
		}
	}
}

// groupedFlags are the usages of flags, under titles where there are many.
func groupedFlags(flags *pflag.FlagSet) string {
	n := 0
	flags.VisitAll(func(f *pflag.Flag) { n++ })
	if n < manyFlags {
		return "Flags:\n" + flags.FlagUsages()
	}
	var b strings.Builder
	list := func(title string, names []string) {
		of := pflag.NewFlagSet("", pflag.ContinueOnError)
		of.SortFlags = false
		for _, name := range names {
			if f := flags.Lookup(name); f != nil {
				of.AddFlag(f)
			}
		}
		if of.HasFlags() {
			fmt.Fprintf(&b, "%s:\n%s\n", title, of.FlagUsages())
		}
	}
	var named, others []string
	for _, g := range flagGroups {
		list(g.title, g.names)
		named = append(named, g.names...)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(named, f.Name) {
			others = append(others, f.Name)
		}
	})
	list("Others", others)
	return b.String()
}
