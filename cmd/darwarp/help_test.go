package main

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/help"
)

// Every command has a page, every page a command, and a page's usage line begins with the command's name.
func TestPages(t *testing.T) {
	var paths []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			path := strings.TrimPrefix(sub.CommandPath(), "darwarp ")
			if sub.Hidden || sub.Name() == "completion" { // workers are not for people, the other has cobra's pages
				continue
			}
			paths = append(paths, path)
			if name, _, _ := strings.Cut(sub.Use, " "); !strings.HasSuffix(path, name) || sub.Short == "" {
				t.Errorf("%s: usage %q, short %q", path, sub.Use, sub.Short)
			}
			walk(sub)
		}
	}
	walk(newApp(&console.Console{}).rootCmd())
	have := slices.Sorted(maps.Keys(help.Pages))
	slices.Sort(paths)
	if !slices.Equal(have, paths) {
		t.Errorf("pages of %q\ncommands    %q", have, paths)
	}
}

func TestCounted(t *testing.T) {
	for _, tt := range []struct {
		usage       string
		least, most int
	}{
		{"runs", 0, 0},
		{"diff RUN ID ID", 3, 3},
		{"show RUN [ID]", 1, 2},
		{"list [PROBLEM|DIR]", 0, 1},
		{"export RUN [ID] -o DIR", 1, 2},
		{"space RECORDING --constraints FILE[:NAME] | space T1FILE", 1, 1},
		{"search RECORDING...", 1, math.MaxInt},
	} {
		check := counted(tt.usage)
		for n := range 6 {
			err := check(&cobra.Command{Use: tt.usage}, make([]string, n))
			if ok := tt.least <= n && n <= tt.most; (err == nil) != ok {
				t.Errorf("%s with %d arguments: %v", tt.usage, n, err)
			}
		}
	}
}

// TestGroups: every command and every flag of search stands in one group of the help.
func TestGroups(t *testing.T) {
	root := newApp(&console.Console{}).rootCmd()
	for _, c := range root.Commands() {
		if !c.Hidden && c.GroupID == "" {
			t.Errorf("%s is in no group", c.Name())
		}
	}
	search, _, err := root.Find([]string{"search"})
	if err != nil {
		t.Fatal(err)
	}
	search.InitDefaultHelpFlag()
	text := groupedFlags(search.LocalFlags())
	search.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if n := strings.Count(text, " --"+f.Name+" "); n != 1 {
			t.Errorf("--%s stands in %d groups of\n%s", f.Name, n, text)
		}
	})
	for _, g := range flagGroups {
		if !strings.Contains(text, g.title+":\n") {
			t.Errorf("no group %s", g.title)
		}
	}
	if strings.Contains(text, "Others:") {
		t.Errorf("flags without a group:\n%s", text)
	}
	usage := search.UsageString()
	for _, part := range []string{"Budget:\n", "Examples:\n"} {
		if !strings.Contains(usage, part) {
			t.Errorf("the help of search has no %q", part)
		}
	}
}
