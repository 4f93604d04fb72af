package session

import (
	"maps"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
	"darwarp/templates"
)

// pinsOf reads the --gene flags of a problem. At least one of its families must have each gene, and one each value.
func pinsOf(b *templates.Bundle, flags []string) (kernels.Pins, error) {
	pins, err := parsePins(flags)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(pins)) {
		values, known := geneValues(b, name)
		if !known {
			return nil, unknownGene(b, name)
		}
		for _, v := range pins[name] {
			if !slices.Contains(values, v) {
				return nil, exit.Usagef("--gene %s=%v: gene %s has no value %v: expected one of %v", name, v, name, v, values)
			}
		}
	}
	return pins, nil
}

// geneValues are those that the families have of a gene.
func geneValues(b *templates.Bundle, name string) (values []kernels.Value, known bool) {
	for _, f := range b.Families {
		for i := range f.Genes {
			if f.Genes[i].Name != name {
				continue
			}
			known = true
			for _, v := range f.Genes[i].All() {
				if !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
	}
	return values, known
}

func unknownGene(b *templates.Bundle, name string) error {
	var known, has []string
	for _, f := range b.Families {
		known = append(known, f.GeneNames()...)
		has = append(has, f.Name+" has "+strings.Join(f.GeneNames(), ", "))
	}
	return exit.Usagef("--gene: unknown gene %q%s: %s", name, report.Meant(name, known), strings.Join(has, "; "))
}

// parsePins reads the --gene NAME=VALUE,VALUE flags.
func parsePins(flags []string) (kernels.Pins, error) {
	pins := kernels.Pins{}
	for _, s := range flags {
		name, list, ok := strings.Cut(s, "=")
		if !ok || name == "" || list == "" {
			return nil, exit.Usagef("--gene %q: expected NAME=VALUE or NAME=VALUE,VALUE", s)
		}
		for _, v := range strings.Split(list, ",") {
			pins[name] = append(pins[name], kernels.ParseValue(strings.TrimSpace(v)))
		}
	}
	return pins, nil
}
