package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	typed = regexp.MustCompile("(?:^|[\\s`/(])darwarp ([a-z][^\n`#]*)")
	flag  = regexp.MustCompile(`^--[a-z][a-z-]*`)
)

// stumbles says what is wrong with a command line of the manual, after the program's name: a command or a flag that
// does not exist. Prose that goes on with another word than a command is not one.
func stumbles(root *cobra.Command, line string) []string {
	c, words := root, strings.Fields(line)
	for len(words) > 0 {
		child, _, err := c.Find(words[:1])
		if err != nil || child == c {
			break
		}
		c, words = child, words[1:]
	}
	if c == root {
		return nil
	}
	var out []string
	for _, word := range words {
		if word == "|" || word == "&&" || word == "&" {
			break
		}
		name := strings.TrimPrefix(flag.FindString(word), "--")
		if name != "" && name != "help" && c.Flag(name) == nil && c.InheritedFlags().Lookup(name) == nil {
			out = append(out, c.CommandPath()+" --"+name)
		}
	}
	return out
}

// TestDocsCommands looks for each flag that a page gives to a command.
func TestDocsCommands(t *testing.T) {
	root, lines := (&app{}).rootCmd(), 0
	for _, pattern := range []string{"../../README.md", "../../docs/*.md", "../../docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range typed.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\\\n", " "), -1) {
				lines++
				for _, bad := range stumbles(root, m[1]) {
					t.Errorf("%s: %q: there is no %s", file, m[1], bad)
				}
			}
		}
	}
	if lines < 100 {
		t.Errorf("only %d command lines found", lines)
	}
}

func TestStumbles(t *testing.T) {
	root := (&app{}).rootCmd()
	for line, want := range map[string]string{
		"search gemm --for 8h --plain": "",
		"bench soak gemm --faults 10":  "",
		"bench soak gemm --wishes 10":  "darwarp bench soak --wishes",
		"verify RUN --trial | --none":  "",
		"is a program --none":          "",
	} {
		if got := strings.Join(stumbles(root, line), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
