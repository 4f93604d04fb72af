package kernels

import (
	"fmt"
	"strconv"
	"strings"
)

// grownPrefix marks the families that language models gave to a run: they belong to the run and to no folder.
const grownPrefix = "llm-"

// maxGrownAbout is how many bytes are kept of what a model says of its family: it stands beside the family's name.
const maxGrownAbout = 100

// GrownName names the n-th such family of a run, from 1.
func GrownName(n int) string { return fmt.Sprintf("%s%d", grownPrefix, n) }

// Grown reports whether a family is of a language model, by its name.
func Grown(family string) bool { return strings.HasPrefix(family, grownPrefix) }

// GrownNumber is the n of GrownName, 0 for every other name.
func GrownNumber(family string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(family, grownPrefix))
	if err != nil || family != GrownName(n) {
		return 0
	}
	return n
}

// Title is the family's name, with what it is where no person chose the name: "llm-3: cp.async ring".
func (f *Family) Title() string {
	if !Grown(f.Name) || f.About == "" {
		return f.Name
	}
	return f.Name + ": " + f.About
}

// Combinations is the number of points of the family before any rule, at most so many: then it is most+1.
func (f *Family) Combinations(most int) int {
	n := 1
	for i := range f.Genes {
		if n *= max(1, len(f.Genes[i].values)); n > most {
			return most + 1
		}
	}
	return n
}
