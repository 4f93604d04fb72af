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
	caveat := ""
	if c := k.Caveat(); c != "" {
		caveat = "// " + cxxProse(c) + "\n"
	}
	return []byte("// Written by " + cxxProse(k.author()) + ". Candidate " + k.Job.ID.Short() + ", found by darwarp.\n" +
		caveat +
		"// It is the text that was measured, from the next line on.\n" + k.Job.Source)
}

// Caveat says of a kernel that was found without a GPU what its figures are; empty: it was found on one.
func (k Kernel) Caveat() string {
	switch k.Device.Kind {
	case "cpu":
		return fmt.Sprintf("Found on the cpu device (%s), which emulates CUDA: all times are CPU times, and the kernel "+
			"never ran on a GPU. Run the bench on one before it is used.", k.Device.Name)
	case "replay":
		return fmt.Sprintf("Found on a recording of %s: its times were read there, and nothing was run for this search. "+
			"Run the bench on a GPU before it is used.", k.Device.Name)
	}
	return ""
}

// Times is what the head of a column of times says.
func (k Kernel) Times() string {
	if k.Device.Kind == "cpu" {
		return "CPU time"
	}
	return "time"
}

func (k Kernel) author() string {
	model, _, _ := kernels.SplitArm(k.Candidate.Origin.Operator)
	switch family := k.Job.Variant.Family; {
	case family == "" && model != "":
		return "the language model " + model + ": a source of its own"
	case family == "":
		return "somebody whom the run does not name: a source of its own"
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
		if !kernels.Grown(family) && !templates.OfRun(name) && !bytes.Equal(data, ours.Files[name]) {
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
