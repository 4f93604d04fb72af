package main

import (
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/templates"
)

// failure is what went wrong with points of a family: with the first of them, and with how many more.
type failure struct {
	first, what string
	more        int
}

// failures are what went wrong with points, each once, whatever the point, the architecture or the dtype.
func failures(all []templates.FamilyReport) (list []*failure) {
	seen := map[string]*failure{}
	for _, f := range all {
		for _, s := range f.Spaces {
			for _, text := range s.Failed {
				point, what, _ := strings.Cut(text, ": ")
				if old := seen[f.Name+": "+what]; old != nil {
					old.more++
					continue
				}
				made := &failure{first: fmt.Sprintf("%s on %s, %s: %s", f.Name, s.Arch, s.DType, point), what: what}
				list, seen[f.Name+": "+what] = append(list, made), made
			}
		}
	}
	return list
}

// sayFailures says what went wrong with points, and how much that is.
func (a *app) sayFailures(all []templates.FamilyReport) int {
	list := failures(all)
	for _, f := range list {
		text := f.what
		if f.more > 0 {
			text += "\nthe same at " + report.Quantity(f.more, "other point") + " that were tried"
		}
		a.Printf("\n%s: %s\n", f.first, console.Lines(text))
	}
	return len(list)
}

// sayDetails says what else is to be known of a family.
func (a *app) sayDetails(f templates.FamilyReport) {
	for _, s := range f.Spaces {
		for _, what := range []string{s.Empty, s.Illegal} {
			if what != "" {
				a.Printf("\n%s on %s, %s: %s\n", f.Name, s.Arch, s.DType, console.Lines(what))
			}
		}
	}
	for _, w := range f.Warnings {
		a.Printf("\n%s: %s\n", f.Name, console.Lines("warning: "+w))
	}
}
