// Package cubin reads the ELF files that hold GPU machine code.
package cubin

import (
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoCode is returned for a cubin without any kernel or function.
var ErrNoCode = errors.New("cubin holds no machine code")

// launched lists the sections that decide what a launch does: instructions, constants, initial values
// of globals, shared memory, and the attributes and relocations that belong to them. Everything else
// (symbol names of the source, debug frames, the compiler's notes and its command line) may differ
// between two sources that compiled to the same kernels.
var launched = []string{".text.", ".nv.constant", ".nv.global", ".nv.shared.", ".nv.info", ".rel.text.", ".rela.text.",
	".rel.nv.constant", ".rela.nv.constant", ".rel.nv.global", ".rela.nv.global"}

// Code is the SHA-256 of the machine code in a cubin: two sources with the same Code behave the same, so only one
// needs to run. It depends on the architecture and on the kernels' names. It may differ for equal code with
// differently numbered symbols; that costs only one more run.
func Code(image []byte) ([]byte, error) {
	f, symbols, err := open(image)
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	sections := slices.DeleteFunc(slices.Clone(f.Sections), func(s *elf.Section) bool {
		return !slices.ContainsFunc(launched, func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) })
	})
	if !slices.ContainsFunc(sections, func(s *elf.Section) bool {
		return strings.HasPrefix(s.Name, ".text.") && s.Size > 0
	}) {
		return nil, ErrNoCode
	}
	slices.SortStableFunc(sections, func(a, b *elf.Section) int { return cmp.Compare(a.Name, b.Name) })
	h := sha256.New()
	put := func(values ...uint64) {
		for _, v := range values {
			h.Write(binary.LittleEndian.AppendUint64(nil, v))
		}
	}
	put(uint64(f.Machine), flags(image))
	for _, s := range sections {
		put(uint64(len(s.Name)), s.Size, uint64(s.Type), uint64(s.Addralign), codeFlags(s))
		h.Write([]byte(s.Name))
		if s.Type == elf.SHT_NOBITS || s.Size == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, fmt.Errorf("read section %s: %w", s.Name, err)
		}
		h.Write(data)
		h.Write(targets(f, s, data, symbols))
	}
	return h.Sum(nil), nil
}

// targets says where the symbols lie that a section's relocations name, in the order of the entries: section and offset
// in it, or the name of what the driver provides. Two programs with the same tables may differ in nothing but which of
// them a symbol stands for.
func targets(f *elf.File, s *elf.Section, data []byte, symbols []elf.Symbol) (at []byte) {
	size := map[elf.SectionType]int{elf.SHT_REL: 16, elf.SHT_RELA: 24}[s.Type]
	for ; size > 0 && len(data) >= size; data = data[size:] {
		number := int(elf.R_SYM64(f.ByteOrder.Uint64(data[8:])))
		if number == 0 || number > len(symbols) {
			continue // no symbol: the list begins with number 1
		}
		target := symbols[number-1]
		in := target.Name
		if target.Section != elf.SHN_UNDEF && int(target.Section) < len(f.Sections) {
			in = f.Sections[target.Section].Name
		}
		at = fmt.Appendf(at, "%s+%d ", in, target.Value)
	}
	return at
}

// flags is the ELF header's e_flags, which hold the architecture; debug/elf does not keep them.
func flags(image []byte) uint64 {
	const offset = 48 // of e_flags in a 64-bit header
	if len(image) < offset+4 {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(image[offset:]))
}

// codeFlags are a text section's flags and info. Besides the symbol index in its low 24 bits, sh_info of
// a kernel's section holds the number of registers in the high 8.
func codeFlags(s *elf.Section) uint64 {
	if !strings.HasPrefix(s.Name, ".text.") {
		return 0
	}
	return uint64(s.Flags)<<8 | uint64(s.Info>>24)
}
