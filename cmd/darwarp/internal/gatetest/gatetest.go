// Package gatetest holds the kernels that the gate itself is tested with: cheats and mistakes, none of which
// may reign, and honest kernels that are right in unusual ways, all of which must be accepted. There is a folder
// for every kind of problem, with a family of cheats and one of honest kernels, and beside it a table that says
// what each of them is and what must become of it. The cheats are those seen in published searches (result replay,
// half the work, narrower types, poison detection, ...), the ordinary mistakes of kernel authors, and what
// somebody who has read the gate's own documentation would try.
package gatetest

import (
	"embed"
	"errors"
	"io/fs"
	"slices"

	"darwarp/kernels"
	"darwarp/templates"
)

//go:embed all:problems
var files embed.FS

// Kind is the principle of the gate that a cheat is sent against: docs/internals/gate.md has a section for each.
type Kind string

// The kinds, in the order of docs/internals/gate.md.
const (
	Judge      Kind = "judge"      // outputs are compared with the truth, all of those that count
	Stateless  Kind = "stateless"  // a call is a function of its arguments
	Regimes    Kind = "regimes"    // what is fast on calls that it has seen must be fast on new ones
	Coverage   Kind = "coverage"   // inputs and shapes reach every path
	Power      Kind = "power"      // the check can tell that something was left out
	Doubt      Kind = "doubt"      // who would reign is held against more than others
	Authorship Kind = "authorship" // a fault is its author's
)

// Kinds lists all of them.
var Kinds = []Kind{Judge, Stateless, Regimes, Coverage, Power, Doubt, Authorship}

// Stage is where a cheat has to be found out at the latest. The gate cannot refuse what is right as far as anybody can
// see, but it must not reign either.
type Stage string

// The stages, one after the other.
const (
	Gate  Stage = "gate"  // by the verdict on it
	Duel  Stage = "duel"  // it may get a verdict of ok, and must not win against the honest kernel of its problem
	Trial Stage = "trial" // it may win, and must be refused by what a would-be champion goes through
)

// Case is one kernel and what must become of it.
type Case struct {
	Problem string
	Family  string // cheat, claim (a cheat, too) or honest
	Name    string // the value of the family's gene
	Kind    Kind   // empty of an honest kernel
	Stage   Stage
	Want    []kernels.Outcome // any of these from the gate; a cheat for a later stage may be ok as well
	About   string
	Genes   kernels.Genome
	Rival   kernels.Genome // the point of the same family that does not cheat: its rival in a duel
}

// Holds reports whether the gate made of the kernel what it must.
func (c Case) Holds(o kernels.Outcome) bool { return slices.Contains(c.Want, o) }

// row is a kernel in the table of its problem.
type row struct {
	name  string
	kind  Kind
	stage Stage
	want  []kernels.Outcome // nil: anyFault
	about string
}

// folder is a problem with its table, a list for each family.
type folder struct {
	name   string
	cheats []row
	honest []row
	claims []row // cheats that say of themselves that they may be less exact
}

// rows are those of all families.
func (f folder) rows() []row { return slices.Concat(f.cheats, f.claims, f.honest) }

// all lists the problems. The first is the one of the short test.
var all = []folder{
	product, tiles, softmax, layernorm, sum, attention, atomics, elementwise, transpose, narrow,
	linear, tempered, longdot, residual, stats, prefix, halves, pipes, scaled, codes, powers, cache, gated,
	packed, greatest, activated, whole, gradients, losses, gathered, recurrence, columns, counts, grouped, windowed,
	masked, ranked, running, pooled, bits, packs, lse,
	distances, cosines, scattered, doubled, shutters, planes, halfrows, embedded, accumulated, routed,
	quantised,
	rotary, adam, convolved, clipped, triangle, eights,
	alone, chained, normed, curves, channels, margins, logits, prepacked,
}

// Problems lists their names.
func Problems() []string {
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

// borrowed are the references that stand in another folder, by problem: those of one product are all the same.
var borrowed = map[string]struct {
	files fs.FS
	path  string
}{
	"tiles":     {files, "problems/product"},
	"atomics":   {files, "problems/product"},
	"narrow":    {files, "problems/product"},
	"prepacked": {files, "problems/product"},
	"sum":       {kernels.Problems, "reduction"},
	"packed":    {kernels.Problems, "prefill"},
	"activated": {kernels.Problems, "linear_gelu"},
	"powers":    {kernels.Problems, "gemm_mxfp4"},
	"gradients": {kernels.Problems, "attention_backward"},
	"grouped":   {kernels.Problems, "gemm_grouped"},
	"windowed":  {files, "problems/cache"},
	"shutters":  {kernels.Problems, "swiglu"},
	"planes":    {kernels.Problems, "gemm_tn"},
	"halfrows":  {kernels.Problems, "softmax"},

	"accumulated": {kernels.Problems, "gemm_accumulate"},
	"quantised":   {kernels.Problems, "gemm_quantised"},
	"routed":      {kernels.Problems, "gemm_grouped_fp8"},
}

// Bundle is a problem with its two families, cheat and honest.
func Bundle(name string) (*templates.Bundle, error) {
	dir, texts := "problems/"+name, map[string][]byte{}
	entries, failed := files.ReadDir(dir)
	read := func(from fs.FS, dir, file string) {
		data, err := fs.ReadFile(from, dir+"/"+file)
		texts[file], failed = data, errors.Join(failed, err)
	}
	for _, e := range entries {
		read(files, dir, e.Name())
	}
	if from, ok := borrowed[name]; ok {
		read(from.files, from.path, reference)
	}
	if failed != nil {
		return nil, failed
	}
	return templates.FromFiles(texts)
}

// reference is the file of the kernel that computes the truth, in every folder.
const reference = "reference.cu"

// anyFault is what a cheat may be found out as when its row says nothing else.
var anyFault = []kernels.Outcome{kernels.Wrong, kernels.Suspect, kernels.Flaky}

// Cases lists the kernels of a problem that the filter chooses and that exist on a device, in the order of the tables.
// The families' constraints say which do: a processor stores to odd addresses, has no device heap and knows no PTX.
func (f Filter) Cases(b *templates.Bundle, dev kernels.Device) ([]Case, error) {
	legal := map[string]bool{}
	for _, family := range b.Families {
		space, err := kernels.NewSpace(family, dev, b.Problem.DTypes[0], nil)
		if err != nil {
			return nil, err
		}
		for i := range space.Len() {
			legal[family.Name+" "+space.Genome(space.At(i))[family.Genes[0].Name].String()] = true
		}
	}
	var out []Case
	for _, p := range all {
		for _, r := range p.rows() {
			c := p.of(r)
			if dev.Kind == "cpu" && c.Kind == Coverage { // whose sizes are drawn small, until a candidate would reign
				c.Stage = Trial
			}
			if p.name == b.Problem.Name && f.wants(p.name, r) && legal[c.Family+" "+c.Name] {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// honestly is the value of a family of cheats that stands for none of them.
const honestly = "none"

func (f folder) of(r row) Case {
	c := Case{Problem: f.name, Family: "cheat", Name: r.name, Kind: r.kind, Stage: r.stage, Want: r.want, About: r.about}
	c.Genes = kernels.Genome{"cheat": kernels.String(r.name)}
	c.Rival = kernels.Genome{"cheat": kernels.String(honestly)}
	if slices.ContainsFunc(f.claims, func(claim row) bool { return claim.name == r.name }) {
		c.Family = "claim"
	}
	switch {
	case r.kind == "":
		c.Family, c.Stage, c.Want = "honest", Gate, []kernels.Outcome{kernels.OK}
		c.Genes = kernels.Genome{"way": kernels.String(r.name)}
	case c.Want == nil && r.kind == Doubt:
		c.Want = append(slices.Clone(anyFault), kernels.Crashed) // what an emulator sees at once
	case c.Want == nil:
		c.Want = anyFault
	}
	return c
}
