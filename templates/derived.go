package templates

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// derived are the built-in problems that another one's families, or these families' partials, serve, too.
var derived = map[string]struct {
	from     []string // folders, of whose first the families are
	families []string
}{
	"linear_gelu":      {[]string{"gemm"}, []string{"tile", "vectors", "hopper"}},
	"gemm_accumulate":  {[]string{"gemm"}, []string{"tile", "vectors", "hopper"}},
	"gemm_quantised":   {[]string{"gemm"}, []string{"tile", "vectors", "hopper"}},
	"gemm_fp8":         {[]string{"gemm"}, nil},
	"gemm_grouped":     {[]string{"gemm"}, nil},
	"gemm_grouped_fp8": {[]string{"gemm", "gemm_fp8", "gemm_grouped"}, nil},

	// Products of any order and of batches. What the orders are is in each folder's own part of a family.
	"gemm_batched": {[]string{"batched", "gemm"}, []string{"tile", "hopper"}},
	"gemm_nn":      {[]string{"batched", "gemm"}, []string{"tile", "hopper"}},
	"gemm_tn":      {[]string{"batched", "gemm"}, []string{"tile", "hopper"}},
	"gemm_tt":      {[]string{"batched", "gemm"}, []string{"tile", "hopper"}},

	// Weights of four bits. What their codes are is in each folder's own part of a family.
	"gemm_w4a16": {[]string{"fourbit", "gemm"}, []string{"skinny", "stream"}},
	"gemm_mxfp4": {[]string{"fourbit", "gemm"}, []string{"skinny", "stream"}},

	// Few queries against a cache. What it holds is in each folder's own part of the family.
	"decode":     {[]string{"cached"}, []string{"split"}},
	"decode_fp8": {[]string{"cached"}, []string{"split"}},
	"decode_mla": {[]string{"cached"}, nil},

	"swiglu": {[]string{"gemm"}, nil},

	// Families of their own, of the other's partials.
	"attention_backward": {[]string{"attention"}, nil},
	"prefill":            {[]string{"attention"}, nil},
}

// moreSuffix ends the name of a file that is appended to a family of another problem: genes and constraints of its own.
const moreSuffix = ".more.toml"

// derive adds to a built-in problem's files the families that it shares with another, and the partials of these.
func derive(name string, files map[string][]byte) error {
	d, ok := derived[name]
	if !ok {
		return nil
	}
	all := map[string][]byte{}
	for _, from := range slices.Backward(d.from) { // the first has the last word
		sub, err := fs.Sub(families, from)
		if err != nil {
			return err
		}
		if err := readFlat(sub, all); err != nil {
			return err
		}
	}
	for n, data := range all {
		if strings.HasPrefix(n, "_") {
			files[n] = data
		}
	}
	for _, f := range d.families {
		files[f+tmplSuffix] = all[f+tmplSuffix]
		files[f+".toml"] = slices.Concat(files[f+".toml"], all[f+".toml"], files[f+moreSuffix]) // its own part first
		delete(files, f+moreSuffix)
		if files[f+tmplSuffix] == nil {
			return errors.New("no family " + f + " in " + d.from[0])
		}
	}
	return nil
}
