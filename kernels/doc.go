// Package kernels holds the nouns of darwarp: what is searched, and what is known about it.
//
//	Problem    what is to be computed: tensors, dims, workloads, tolerance, reference
//	Family     one template's genes, constraints and launch plan
//	Space      the legal points of a family on one device
//	Variant    one point of a space, or a source of its own, with its launch plan
//	Plan       the launches of a variant: expressions that Resolve to a Call at one size
//	Candidate  a variant with its origin and its Result; immutable once stored
//	Outcome    the closed set of things that can become of a candidate
//
// Package kernels/expr is the language of their rules and launch plans; kernels/diagram counts the points of a space
// that is too large for a list.
//
// A problem and its families are declared in TOML, which ParseProblem and ParseFamily read; what is
// wrong with a file comes back as Mistakes, all of them at once. docs/manual/problems.md is the manual.
//
// The package does no I/O, starts no goroutine and no process. Everything that reads a folder,
// compiles, runs or stores imports it; it imports none of them.
package kernels
