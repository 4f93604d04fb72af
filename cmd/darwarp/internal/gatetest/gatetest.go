// Package gatetest holds the kernels that the gate itself is tested with: cheats and mistakes, none of which
// may pass, and as many honest kernels that are right in unusual ways, all of which must. The cheats are those
// seen in published searches (result replay, half the work, narrower types, poison detection, ...)
// and the ordinary mistakes of kernel authors.
package gatetest

import (
	"embed"
	"io/fs"
	"slices"

	"darwarp/kernels"
	"darwarp/templates"
)

//go:embed problem
var files embed.FS

// Bundle is the problem with its two families, cheat and honest.
func Bundle() (*templates.Bundle, error) {
	dir, err := fs.Sub(files, "problem")
	if err != nil {
		return nil, err
	}
	return templates.Load(dir)
}

// Case is one kernel and what the gate must make of it.
type Case struct {
	Name   string
	Family string // cheat or honest
	Genes  kernels.Genome
	Want   []kernels.Outcome // any of these
}

// Holds reports whether the gate made of the kernel what it must.
func (c Case) Holds(o kernels.Outcome) bool { return slices.Contains(c.Want, o) }

// anyFault is what a cheat without a row in wants may be found out as.
var anyFault = []kernels.Outcome{kernels.Wrong, kernels.Suspect, kernels.Flaky}

// wants lists the cheats that must be found out in their own way.
var wants = map[string][]kernels.Outcome{
	"too_much_shared":  {kernels.Invalid},
	"too_many_threads": {kernels.Invalid},
	"trap":             {kernels.Crashed},
	"illegal":          {kernels.Crashed},
	"misaligned":       {kernels.Crashed},
	"spin":             {kernels.TimedOut},
	"deadlock":         {kernels.TimedOut},
	"keeps_by_call":    {kernels.Suspect},
	"keeps_by_pointer": {kernels.Suspect},
	"keeps_by_content": {kernels.Suspect},
	"keeps_in_heap":    {kernels.Suspect},
	"tenth_call":       {kernels.Suspect},
	"keeps_in_scratch": {kernels.Suspect},
	"writes_past":      {kernels.Suspect},
	"writes_before":    {kernels.Suspect},
	"strays_later":     {kernels.Suspect},
	"mutates_input":    {kernels.Suspect, kernels.Wrong},
	"zeroes_input":     {kernels.Suspect, kernels.Wrong},
}

// unfit lists the kernels that a kind of device cannot tell from others: a processor stores to odd
// addresses, has one machine code for calls and stores of any kind, and no device heap.
var unfit = map[string][]string{"cpu": {"misaligned", "keeps_in_heap", "noinline", "streaming_store"}}

// brief lists the kernels of the short test that runs before a search: one of each way of cheating, and honest
// kernels that a gate which refuses too much would refuse.
var brief = []string{"zeros", "half", "last_tile", "tf32", "keeps_by_content", "skips_if_done", "writes_past", "backwards", "tf32x3", "last_block"}

// Cases lists the kernels in the order of their families' genes. A short list is for the start of a search.
func Cases(b *templates.Bundle, kind string, short bool) ([]Case, error) {
	var out []Case
	for _, name := range []string{"cheat", "honest"} {
		f, err := b.Family(name)
		if err != nil {
			return nil, err
		}
		gene := f.Genes[0]
		for _, v := range gene.All() {
			label := v.String()
			if slices.Contains(unfit[kind], label) || short && !slices.Contains(brief, label) {
				continue
			}
			out = append(out, Case{Name: label, Family: name, Genes: kernels.Genome{gene.Name: v}, Want: want(name, label)})
		}
	}
	return out, nil
}

func want(family, name string) []kernels.Outcome {
	if family == "honest" {
		return []kernels.Outcome{kernels.OK}
	}
	if w := wants[name]; w != nil {
		return w
	}
	return anyFault
}
