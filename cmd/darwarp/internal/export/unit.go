package export

import (
	"fmt"
	"slices"
	"strings"

	"darwarp/kernels/source"
	"darwarp/templates"
)

// unit is the translation unit of one kernel. The source lies in a namespace of its own and its entries have names of
// their own, so that kernels of one family can be linked together and no name of a source means anything outside of it.
type unit struct {
	File, Source code // names of files
	Symbol       string
	Entries      []string // kernels that are launched, by the number that Symbol takes
	NVCCFlags    []string

	read *source.Source
}

// unit makes the unit of a kernel, whose source must be device code alone.
func (k Kernel) unit(name, from code) (unit, error) {
	read, err := readDevice(k.Job.Source)
	if err != nil {
		return unit{}, fmt.Errorf("the source of %s is not exported: %w", k.Job.ID.Short(), err)
	}
	u := unit{File: name + ".cu", Source: from, Symbol: "darwarp_" + k.Job.ID.Short(), NVCCFlags: k.NVCCFlags,
		read: read}
	for _, l := range k.Job.Plan.Spec.Launches { // a family may leave one out that none of its launches needs
		if slices.Contains(read.Kernels, l.Entry) && !slices.Contains(u.Entries, l.Entry) {
			u.Entries = append(u.Entries, l.Entry)
		}
	}
	return u, nil
}

// readDevice reads a source that is device code alone and includes what is exported with it, or CUDA's own.
func readDevice(text string) (*source.Source, error) {
	read, err := source.Read(text)
	if err != nil {
		return nil, err
	}
	ours := templates.Include()
	for _, name := range read.Includes {
		if ours[name] == nil && !slices.Contains(source.Headers, name) {
			return nil, fmt.Errorf("it includes <%s>, which is not device code of CUDA's or of ours", name)
		}
	}
	return read, nil
}

// Number is what Symbol takes for an entry.
func (u unit) Number(entry string) (int, error) {
	if n := slices.Index(u.Entries, entry); n >= 0 {
		return n, nil
	}
	return 0, fmt.Errorf("the source has no kernel %q", entry)
}

// wrapper is a unit's file.
func (u unit) wrapper() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s as it was measured, in a namespace of its own and its kernels under names of their own.\n",
		u.Source)
	writeIncludes(&b, u.read)
	for _, e := range u.read.Kernels {
		fmt.Fprintf(&b, "#define %s %s_%s\n", e, u.Symbol, e)
	}
	writeApart(&b, u.Symbol+"_source", u.Source, u.read)
	fmt.Fprintf(&b, "\n// %s is the address of an entry, for cudaLaunchKernelExC.\n", u.Symbol)
	fmt.Fprintf(&b, "extern \"C\" const void* %s(int entry) {\n    const void* const entries[] = {", u.Symbol)
	for i, e := range u.Entries {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(const void*)%s_source::%s", u.Symbol, e)
	}
	b.WriteString("};\n    return entries[entry];\n}\n")
	for _, e := range u.read.Kernels {
		fmt.Fprintf(&b, "#undef %s\n", e)
	}
	return b.String()
}

// writeIncludes includes a source's headers ahead of the namespace that it is put into.
func writeIncludes(b *strings.Builder, read *source.Source) {
	for _, name := range read.Includes {
		fmt.Fprintf(b, "#include <%s>\n", name)
	}
}

// writeApart includes a source in a namespace, and ends its macros.
func writeApart(b *strings.Builder, namespace string, file code, read *source.Source) {
	fmt.Fprintf(b, "namespace %s {\n#include %q\n}\n", namespace, file)
	for _, m := range read.Macros {
		fmt.Fprintf(b, "#undef %s\n", m)
	}
}

// refUnit is the problem's reference, which a program includes apart from its own code.
type refUnit struct{ read *source.Source }

func (k Kernel) reference() (refUnit, error) {
	read, err := readDevice(k.Bundle.ReferenceSource(k.DType))
	if err != nil {
		err = fmt.Errorf("the reference is not exported: %w", err)
	}
	return refUnit{read}, err
}

// Text includes reference.cu in the namespace darwarp_reference_source, its kernels under names of their own.
func (r refUnit) Text() code {
	var b strings.Builder
	writeIncludes(&b, r.read)
	for _, k := range r.read.Kernels {
		fmt.Fprintf(&b, "#define %s darwarp_reference_%s\n", k, k)
	}
	writeApart(&b, "darwarp_reference_source", "reference.cu", r.read)
	for _, k := range r.read.Kernels {
		fmt.Fprintf(&b, "#undef %s\n", k)
	}
	return code(b.String())
}

// Name is that of one of its kernels.
func (r refUnit) Name(kernel string) (code, error) {
	if !slices.Contains(r.read.Kernels, kernel) {
		return "", fmt.Errorf("the reference has no kernel %q", kernel)
	}
	return code("darwarp_reference_source::darwarp_reference_" + kernel), nil
}

// AllUnits are the units of a portfolio, or that of the kernel alone.
func (s *sheet) AllUnits() []unit {
	if len(s.Units) > 0 {
		return s.Units
	}
	return []unit{s.Unit}
}
