package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/files"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// variantFile is a candidate as a person writes it, or as `show --json` prints it.
type variantFile struct {
	Family  string         `toml:"family" json:"family"`
	Genes   map[string]any `toml:"genes" json:"genes"`
	Source  any            `toml:"source" json:"source"` // refused; show --json has it beside
	Variant *variantFile   `toml:"variant" json:"variant"`
}

// maxVariant bounds such a file in bytes: `show --json` prints a source, too.
const maxVariant = 2 << 20

// readVariant reads the genes of a family from a TOML or JSON file.
func readVariant(name string) (*kernels.Variant, error) {
	data, err := files.Read(name, maxVariant)
	if err != nil {
		return nil, exit.Usagef("%v", err)
	}
	var f variantFile
	if strings.EqualFold(filepath.Ext(name), ".json") {
		if err = report.UnmarshalJSON(data, &f); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	} else {
		err = kernels.DecodeTOML(name, data, &f)
	}
	if err != nil {
		return nil, exit.Usagef("%s: expected family = \"NAME\" and a table [genes]", report.FirstLine(err.Error()))
	}
	if f.Variant != nil {
		f = *f.Variant
	}
	if f.Source != nil {
		return nil, exit.Usagef("%s: a source cannot be injected: put it into a problem folder and search that", name)
	}
	if f.Family == "" || len(f.Genes) == 0 {
		return nil, exit.Usagef("%s: expected family = \"NAME\" and a table [genes]", name)
	}
	v := &kernels.Variant{Family: f.Family, Genes: kernels.Genome{}}
	for gene, value := range f.Genes {
		if v.Genes[gene], err = kernels.NewValue(value); err != nil {
			return nil, exit.Usagef("%s: gene %q: %v", name, gene, err)
		}
	}
	if err := v.Admit(); err != nil {
		return nil, exit.Usagef("%s: %v", name, err)
	}
	return v, nil
}
