package session

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"darwarp/templates"
)

var (
	command = regexp.MustCompile("(?:search|bench [a-z]+)\\s+([a-z][a-z0-9_]*)( [^\n`|]*)")
	gene    = regexp.MustCompile(`--gene ([a-z0-9_]+=[a-z0-9_,]*[a-z0-9_])(?:[^a-z0-9_,]|$)`)
)

// writtenPins are the genes that commands in a text ask of built-in problems, by problem. A line that the shell joins
// to the next one is one with it.
func writtenPins(text string) map[string][]string {
	found := map[string][]string{}
	for _, c := range command.FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", " "), -1) {
		for _, g := range gene.FindAllStringSubmatch(c[2], -1) {
			if slices.Contains(templates.Builtins(), c[1]) {
				found[c[1]] = append(found[c[1]], g[1])
			}
		}
	}
	return found
}

// TestWrittenGenes: what the pages and the scripts of tests type has genes and values of today. Some of these scripts
// run one time of many, and pages never. What was measured once, in docs/results, may have genes of then.
func TestWrittenGenes(t *testing.T) {
	const root = "../../../../"
	asked := 0
	for _, pattern := range []string{"README.md", "docs/manual/*.md", "docs/internals/*.md", "docs/internals/*.sh",
		"cmd/darwarp/testdata/script/*.txtar", "cmd/darwarp/internal/help/*.go"} {
		files, err := filepath.Glob(root + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for problem, pins := range writtenPins(string(text)) {
				b, err := templates.Builtin(problem)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := pinsOf(b, pins); err != nil {
					t.Errorf("%s: %s: %v", strings.TrimPrefix(file, root), problem, err)
				}
				asked += len(pins)
			}
		}
	}
	if asked < 10 {
		t.Errorf("only %d genes found: the commands are written in another way", asked)
	}
}

// TestWrittenPins: how commands are told from the text around them.
func TestWrittenPins(t *testing.T) {
	for text, want := range map[string][]string{
		"darwarp search gemm --gene mma=fma,wmma --evals 3\n":       {"mma=fma,wmma"},
		"`darwarp bench aa gemm --gene stages=2`, --gene warps=3":   {"stages=2"},
		"darwarp search\ngemm --for 3s \\\n  --gene a=1 --gene b=2": {"a=1", "b=2"},
		"darwarp search gemm --gene a=1\n--gene b=2":                {"a=1"},
		"darwarp __complete search gemm --gene items=1,''":          nil, // unfinished
		"darwarp search two --gene rounds=2":                        nil,
	} {
		if got := writtenPins(text)["gemm"]; !slices.Equal(got, want) {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}
