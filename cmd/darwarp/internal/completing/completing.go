// Package completing offers a shell what may come next on a command line: problems, runs, candidates, genes, devices.
package completing

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/export"
	"darwarp/cmd/darwarp/internal/printable"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/templates"
)

// offer is what may be typed: words, each with a tab and a description or without. Files are offered where no word
// fits.
type offer = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// Add gives every command below root the completion of its arguments, by its usage line, and of its flags.
func Add(root *cobra.Command) {
	for _, c := range root.Commands() {
		Add(c)
	}
	words := strings.Fields(root.Use)
	if root.Runnable() && root.ValidArgsFunction == nil && len(words) > 1 {
		root.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return argument(word(words[1:], len(args)), args)
		}
	}
	for name, complete := range flags {
		if root.Flags().Lookup(name) != nil {
			_ = root.RegisterFlagCompletionFunc(name, complete) // an error says that there is one already
		}
	}
}

// word is what a usage line calls the argument of an index. The last one that is repeated goes on.
func word(words []string, at int) string {
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			break
		}
		if i == at || strings.HasSuffix(w, "...") {
			return strings.Trim(w, "[].")
		}
	}
	return ""
}

// argument offers what a word of a usage line stands for.
func argument(word string, args []string) (all []string, d cobra.ShellCompDirective) {
	if word == "" || word == "NAME" || word == "N" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if strings.HasPrefix(word, actions[0]+"|") { // of steer
		return actions, cobra.ShellCompDirectiveNoFileComp
	}
	kinds := strings.Split(word, "|")
	for _, kind := range kinds {
		switch kind {
		case "PROBLEM":
			all = append(all, templates.Builtins()...)
		case "RUN":
			all = append(all, runs()...)
		case "ID":
			return candidates(args), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return all, cobra.ShellCompDirectiveDefault
}

// runs are the names of searches that were registered, and files of runs in the current folder.
func runs() (all []string) {
	known, _ := registry.List() // none is offered where none can be read
	for _, e := range known {
		all = append(all, e.Name+"\t"+described(e.Problem+", "+e.State))
	}
	here, _ := filepath.Glob("*.db")
	return slices.DeleteFunc(append(all, here...), func(s string) bool { return strings.ContainsAny(s, "\n\r\x1b") })
}

// actions are what steer does.
var actions = []string{"pause", "resume", "pin", "unpin", "kill", "add", "weigh", "inject"}

// offered is how many candidates are.
const offered = 30

var errEnough = errors.New("enough")

// candidates are the best ones of the run that is named before.
func candidates(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	all := []string{"best\tthe champion"}
	r, err := record.Open(args[0])
	if err != nil {
		return nil
	}
	defer r.Close()
	_ = r.EachTop(func(c kernels.Candidate) error {
		all = append(all, c.ID.Short()+"\t"+c.Variant.Family)
		if len(all) > offered {
			return errEnough
		}
		return nil
	})
	return all
}

// flags are what is offered for values of flags, by the flag's name.
var flags = map[string]offer{
	"device":    words("auto", "cuda", "cpu", "replay"),
	"cache":     words("hot", "cold"),
	"sandbox":   words(eval.SandboxModes()...),
	"strategy":  words(evolve.Strategies()...),
	"dtype":     ofProblem(func(b *templates.Bundle) []string { return texts(b.Problem.DTypes) }),
	"workload":  ofProblem(workloads),
	"then":      ofProblem(workloads),
	"baseline":  ofProblem(baselines),
	"objective": ofProblem(objectives),
	"arch":      words("sm_80", "sm_89", "sm_90a", "sm_100a"),
	"as":        words(export.Targets()...),
	"gpus":      gpus,
	"gene":      genes,
	"resume":    ofRuns,
	"from":      fromWhat,
}

func words(all ...string) offer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// ofProblem offers what the problem that is named before has.
func ofProblem(list func(*templates.Bundle) []string) offer {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		b, err := session.LoadBundle(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list(b), cobra.ShellCompDirectiveNoFileComp
	}
}

func workloads(b *templates.Bundle) (all []string) {
	for _, w := range b.Problem.Workloads {
		all = append(all, w.Name)
	}
	return all
}

func baselines(b *templates.Bundle) []string { return b.Problem.BaselineNames() }

func objectives(b *templates.Bundle) []string {
	return append([]string{string(kernels.Geomean), string(kernels.Worst)}, workloads(b)...)
}

func texts(types []kernels.DType) (all []string) {
	for _, t := range types {
		all = append(all, string(t))
	}
	return all
}

func gpus(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all := []string{"idle\tthose that nobody uses", "all"}
	for i := range env.VisibleGPUs() {
		all = append(all, strconv.Itoa(i))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// genes offers the names of a problem's genes, and behind NAME= the values, of which several may be typed.
func genes(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const d = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) == 0 {
		return nil, d
	}
	b, err := session.LoadBundle(args[0])
	if err != nil {
		return nil, d
	}
	name, values, chosen := strings.Cut(typed, "=")
	before := values[:strings.LastIndex(values, ",")+1]
	var all []string
	seen := map[string]bool{} // families have genes in common
	add := func(word, about string) {
		if !seen[word] {
			seen[word] = true
			all = append(all, word+about)
		}
	}
	for _, f := range b.Families {
		for i := range f.Genes {
			g := &f.Genes[i]
			if !chosen {
				add(g.Name+"=", "\t"+described(g.About))
				continue
			}
			for _, v := range g.All() {
				if g.Name == name {
					add(name+"="+before+v.String(), "")
				}
			}
		}
	}
	return all, d
}

// described is a text that others may have written, as a description.
func described(text string) string { return printable.Cut(printable.Line(text), 60) }

func ofRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return runs(), cobra.ShellCompDirectiveDefault
}

// fromWhat is a run for a search, and a problem for a new one.
func fromWhat(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	if c.Name() == "new" {
		return templates.Builtins(), cobra.ShellCompDirectiveDefault
	}
	return runs(), cobra.ShellCompDirectiveDefault
}
