package export

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels"
	"darwarp/templates"
)

// signed is the source with who wrote it: whoever builds an export builds what they wrote.
func (k Kernel) signed() []byte {
	return []byte("// Written by " + cxxProse(k.author()) + ". Candidate " + k.Job.ID.Short() + ", found by darwarp.\n" +
		"// It is the text that was measured, from the next line on.\n" + k.Job.Source)
}

func (k Kernel) author() string {
	model, _, _ := kernels.SplitArm(k.Candidate.Origin.Operator)
	switch family := k.Job.Variant.Family; {
	case family == "" && model != "":
		return "the language model " + model + ": a source of its own"
	case family == "":
		return "hand: a source that was injected into the search"
	case kernels.Grown(family):
		return fmt.Sprintf("the language model %s: family %s", k.grower(family), family)
	case builtin(k.Bundle):
		return fmt.Sprintf("darwarp: the built-in family %s of %s", family, k.Bundle.Problem.Name)
	default:
		return fmt.Sprintf("the authors of the problem folder %s: family %s", k.Bundle.Problem.Name, family)
	}
}

// grower is the model that made a family, as far as the lineage says.
func (k Kernel) grower(family string) string {
	for _, c := range append(slices.Clone(k.Lineage), k.Candidate) {
		if model, _, _ := kernels.SplitArm(c.Origin.Operator); c.Variant.Family == family && model != "" {
			return model
		}
	}
	return "of the run"
}

// builtin reports whether a bundle is a built-in problem, but for families of language models.
func builtin(b *templates.Bundle) bool {
	ours, err := templates.Builtin(b.Problem.Name)
	if err != nil {
		return false
	}
	for name, data := range b.Files {
		family, _, _ := strings.Cut(name, ".")
		if !kernels.Grown(family) && !bytes.Equal(data, ours.Files[name]) {
			return false
		}
	}
	for name := range ours.Files {
		if b.Files[name] == nil {
			return false
		}
	}
	return true
}
